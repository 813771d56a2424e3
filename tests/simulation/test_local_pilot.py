"""The tests of Core v0.1 as the built-in renderer draws them: what is known of a clip answers every
question.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from fartbench.protocol import form_for, load_protocol
from simulation import local
from simulation.demo.simulation import TEMPERS, simulated_responses
from simulation.local.pilot import KINDS, draw_test, right_answers

AS_ASKED: dict[str, dict[str, object]] = {
    "fb-c06": {"sound": local.Sound.SILENT},
    "fb-c07": {"events": 2},
}
PROTOCOL = load_protocol(
    Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-v0.1" / "0.1.0"
).protocol


def drawn(test: str, configuration: str = "local-maestro", seed: int = 3) -> local.Take:
    take = draw_test(local.configuration(configuration), test, 1, seed)
    assert isinstance(take, local.Take)
    return take


def faultless(test: str, **changes: object) -> dict[str, object]:
    take = local.Take(scene=KINDS[test], **changes)  # type: ignore[arg-type]
    return right_answers(test, local.truth_of(take))


def test_every_test_of_the_protocol_can_be_drawn() -> None:
    assert set(KINDS) == {scene.key for scene in PROTOCOL.scenes}
    takes = {test: drawn(test) for test in KINDS}
    assert len({(take.scene, take.seed) for take in takes.values()}) == len(KINDS), (
        "no two tests share a take"
    )
    assert takes == {test: drawn(test) for test in KINDS}


def test_a_faultless_take_meets_every_hard_check_of_its_test() -> None:
    for scene in PROTOCOL.scenes:
        changes: dict[str, object] = {
            "fb-c06": {"sound": local.Sound.SILENT},
            "fb-c07": {"events": 2},
        }.get(scene.key, {})
        answers = faultless(scene.key, **changes)
        asked = {question: str(answers[question]) for question in scene.expects}
        assert asked == dict(scene.expects), scene.key
        assert answers["compliant_events"] == scene.required_events


@pytest.mark.parametrize(
    ("test", "changes", "flag"),
    [
        ("fb-c02", {"wrong_source": True}, "f_wrong_actor"),
        ("fb-c02", {"events": 0}, "f_no_event"),
        ("fb-c07", {"events": 1}, "f_count_wrong"),
        ("fb-c06", {}, "f_audible_in_silent"),
        ("fb-c03", {"timing": local.Timing.LATE}, "f_out_of_window"),
        ("fb-c02", {"reaction": local.Reaction.SOMEONE_ELSE}, "f_reaction_misdirected"),
        ("fb-c02", {"reaction": local.Reaction.NOBODY}, "f_no_reaction"),
    ],
)
def test_each_fault_is_its_code(test: str, changes: dict[str, object], flag: str) -> None:
    assert faultless(test, **changes)[flag] == "yes"


@pytest.mark.parametrize("configuration", ["local-maestro", "local-potato"])
def test_scripted_reviewers_fill_in_every_form(configuration: str) -> None:
    for scene in PROTOCOL.scenes:
        form = form_for(PROTOCOL, scene.key)
        for seed in range(4):
            take = drawn(scene.key, configuration, seed)
            truth = local.truth_of(take)
            known = truth.as_json() | {"answers": right_answers(scene.key, truth)}
            for temper in TEMPERS:
                given = simulated_responses(form, known, temper=temper, seed=f"{seed}")
                assert form.violations(given) == [], (scene.key, take)
