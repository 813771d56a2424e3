"""Each countable claim, broken once: the check names the claim and what is off."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from authoring.claims import check, check_folder
from authoring.constraints import Constraints
from authoring.generating import generate, write_set
from authoring.material import read_material
from fartbench.protocol.rollouts.reading import ScenarioError, parse_scenarios, read_model
from fartbench.protocol.rollouts.schema import Scenario

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
CONSTRAINTS = read_model(FOLDER / "constraints.yaml", Constraints)
WHOLE = generate(read_material(FOLDER), CONSTRAINTS, seed=7)


def changed(change: Callable[[list[dict]], object], scenarios=WHOLE) -> tuple[Scenario, ...]:
    """The set after a change of its plain content."""
    content = [one.model_dump(mode="python") for one in scenarios]
    change(content)
    return parse_scenarios(content, source="test")


def off(scenarios) -> dict[str, str]:
    return {finding.claim: finding.words for finding in check(scenarios, CONSTRAINTS)}


def test_a_generated_set_meets_every_published_count_by_a_count_of_our_own():
    """Figures of arXiv:2608.26336v1, §A.1-A.3, counted here without the checker."""
    updates = [update for one in WHOLE for update in one.updates]
    assert (len(WHOLE), len({one.theme for one in WHOLE}), len(updates)) == (320, 160, 800)
    assert Counter(one.track for one in WHOLE) == {"progressive": 160, "interactive": 160}
    assert sum(one.visual_style == "photorealistic" for one in WHOLE) == 192
    assert Counter(u.type for u in updates) == {
        "agent_action": 440, "entity_state_change": 160, "environment_change": 80,
        "audio_change": 120,
    }  # fmt: skip
    assert Counter(u.modality for u in updates) == {"video": 360, "audio": 160, "joint": 280}
    assert Counter(u.dependency for u in updates) == {
        "independent": 440,
        "adjacent": 240,
        "long_range": 120,
    }
    for track in ("progressive", "interactive"):
        levels = [one.complexity for one in WHOLE if one.track == track]
        assert Counter(one.entity for one in levels) == {"single": 56, "multi": 72, "dense": 32}
        assert Counter(one.activity for one in levels) == {
            "atomic": 40,
            "relational": 80,
            "concurrent": 40,
        }
        assert Counter(one.audio for one in levels) == {
            "single_source": 48,
            "multi_source": 64,
            "overlapping": 48,
        }
    assert off(WHOLE) == {}


def test_equal_seeds_give_equal_sets_and_others_do_not():
    material = read_material(FOLDER)
    assert generate(material, CONSTRAINTS, seed=7) == WHOLE
    assert generate(material, CONSTRAINTS, seed=8) != WHOLE


def test_generated_sentences_are_whole_and_none_comes_twice_in_a_scenario():
    for one in WHOLE:
        texts = [one.prompt, *one.video_checklist.values(), *one.audio_checklist.values()]
        texts += [
            text for update in one.updates for text in (update.prompt, update.visual, update.audio)
        ]
        assert [text for text in texts if text is not None and ("{" in text or "  " in text)] == []
        assert len({update.prompt for update in one.updates}) == len(one.updates)


def _update(scenarios: list[dict], **wanted) -> dict:
    return next(
        u for one in scenarios for u in one["updates"] if all(u[k] == v for k, v in wanted.items())
    )


def _interactive(scenarios: list[dict]) -> dict:
    return next(one for one in scenarios if one["updates"])


@pytest.mark.parametrize(
    ("claim", "words", "change"),
    [
        ("scenarios", "there are 319, not 320", lambda s: s.pop()),
        ("themes", "theme takes 161 values", lambda s: s[0].update(theme="extra")),
        ("theme_once_per_track", "extra (0)", lambda s: s[0].update(theme="extra")),
        ("per_track", "progressive occurs 161 times",
         lambda s: _interactive(s).update(track="progressive")),
        ("duration", "kitchen-cook-p", lambda s: s[0].update(duration_s=170)),
        ("intervals", "5.66667 intervals", lambda s: s[0].update(duration_s=170)),
        ("horizons", "60, 120, 180", lambda s: s[0].update(horizons_s=(60, 180))),
        ("scene_domains", "takes 9 values", lambda s: s[0].update(scene_domain="space")),
        ("domain_names", "kitchen-cook-p", lambda s: s[0].update(scene_domain="space")),
        ("entity", "track progressive: ", lambda s: s[0]["complexity"].update(entity="crowded")),
        ("updates", "there are 799",
         lambda s: _interactive(s).update(updates=_interactive(s)["updates"][:4])),
        ("schedule", "P5 at 151 s", lambda s: _interactive(s)["updates"][4].update(at_s=151)),
        ("type", "audio_change occurs 119", lambda s: _update(s,
                                                              type="audio_change").update(type="agent_action")),
        ("type_names", "magic", lambda s: _update(s, type="audio_change").update(type="magic")),
        ("modality", "joint occurs 279 times", lambda s: _update(s,
                                                                 modality="joint").update(modality="video")),
        ("parts", "is video and has visual and audio", lambda s: _update(s,
                                                                         modality="joint").update(modality="video")),
        ("visual_updates", "639", lambda s: _update(s, modality="joint").update(modality="audio")),
        ("adjacent_source", "depends on none", lambda s: _update(s,
                                                                 dependency="adjacent").update(depends_on=None)),
        ("long_range_source", "depends on P9", lambda s: _update(s,
                                                                 dependency="long_range").update(depends_on="P9")),
        ("independent_source", "depends on P1", lambda s: _update(s,
                                                                  dependency="independent").update(depends_on="P1")),
        ("first_is_independent", "P1 is adjacent", lambda s: _update(s,
                                                                     id="P1").update(dependency="adjacent")),
        ("long_range_place", "P2 is long_range", lambda s: _update(s,
                                                                   id="P2").update(dependency="long_range")),
        ("checklist_fields", "audio_checklist has",
         lambda s: s[0]["audio_checklist"].pop("temporal_relation")),
        ("checklist_questions", "is not a question",
         lambda s: s[0]["video_checklist"].update(scene="A kitchen.")),
        ("keys", "is the key of more than one", lambda s: s[1].update(key=s[0]["key"])),
    ],
)  # fmt: skip
def test_a_broken_claim_is_named_with_what_is_off(
    claim: str, words: str, change: Callable[[list[dict]], object]
):
    found = off(changed(change))
    assert claim in found
    assert words in " ".join(found.values())


def test_every_claim_was_broken_by_some_change():
    """A claim that cannot fail says nothing: an empty set breaks the counts, one odd scenario the
    rest.
    """
    plain = {"at_s": 1, "prompt": "x", "type": "magic", "modality": "joint"}
    odd = changed(
        lambda s: s[0].update(
            key="odd", duration_s=10, horizons_s=(1,), visual_style="lego", scene_domain="space",
            audio_domain="hum",
            subject_category="ghost", video_checklist={}, audio_checklist={},
            updates=tuple(
                {"id": step, "dependency": how, "depends_on": on} | plain
                for step, how, on in (("P1", "adjacent", None), ("P2", "long_range", None), ("P3",
                                                                                             "independent", "P1"))
            ),
        ),
        WHOLE[:1],
    )  # fmt: skip
    assert {claim.id for claim in CONSTRAINTS.claims} - off(odd).keys() == set()


def test_the_hand_written_part_holds_and_has_both_tracks_of_twelve_themes():
    report = check_folder(FOLDER)
    assert report.findings == ()
    written = report.checked.scenarios
    assert len(written) >= 24
    assert Counter(one.track for one in written) == {"progressive": 12, "interactive": 12}
    for one in written:
        for update in one.updates:
            assert update.prompt == " ".join(text for text in (update.visual, update.audio) if text)


def test_a_written_set_reads_back_the_same_and_the_command_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    out = tmp_path / "made"
    assert write_set(FOLDER, out, seed=7) == WHOLE
    assert check_folder(out).checked.scenarios == WHOLE
    call_command("check_protocol", str(out))
    assert "320 scenarios hold all" in capsys.readouterr().out
    with pytest.raises(CommandError, match="is there already"):
        call_command("generate_scenarios", str(out))


def test_the_command_names_each_claim_that_is_off(tmp_path: Path):
    out = tmp_path / "made"
    write_set(FOLDER, out, seed=7)
    file = out / "scenarios" / "all.json"
    file.write_text(file.read_text().replace('"modality": "joint"', '"modality": "video"', 1))
    with pytest.raises(CommandError) as caught:
        call_command("check_protocol", str(out))
    assert caught.value.returncode == 1
    for part in (
        "modality: joint occurs 279 times, not 280",
        "parts: ",
        "audio_updates: there are 439, not 440",
    ):
        assert part in str(caught.value)


def test_an_unknown_key_is_refused_by_name():
    with pytest.raises(ScenarioError, match="colour: unknown key"):
        changed(lambda s: s[0].update(colour="red"))
