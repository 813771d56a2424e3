"""A protocol of rollouts holds all its parts in one digest, and each kind of window has its form in
it.
"""

import json
from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from fartbench.models import ProtocolVersion, Round
from fartbench.protocol import (
    ProtocolError,
    Response,
    digest_of,
    form_for,
    form_keys,
    load_protocol,
)
from fartbench.protocol.digest import canonical_bytes
from fartbench.protocol.loader import parse_protocol
from fartbench.protocols import store_protocol
from fartbench.rounds import create_round
from tests.streamav.small import write_protocol

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
NA = {"onset": "na:not_started", "target": "na:not_reached"}


def test_the_digest_covers_every_part(tmp_path: Path) -> None:
    whole = load_protocol(write_protocol(tmp_path / "a"))
    assert whole.digest == digest_of(whole.content)
    for number, (file, old, new) in enumerate(
        (
            ("units.yaml", "seconds: 0.5", "seconds: 0.25"),
            ("forms.yaml", "How clear", "How very clear"),
            ("metrics.yaml", "Visual quality", "Quality seen"),
            ("scenarios/small.yaml", "A small", "One small"),
        )
    ):
        folder = write_protocol(tmp_path / f"changed-{number}")
        path = folder / file
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")
        assert load_protocol(folder).digest != whole.digest


def test_a_protocol_of_rollouts_takes_no_questions_of_its_own(tmp_path: Path) -> None:
    folder = write_protocol(tmp_path)
    path = folder / "protocol.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("duration_s: 4\n", "duration_s: 5\n"),
        encoding="utf-8",
    )
    with pytest.raises(ProtocolError, match=r"clip.duration_s says 5 s"):
        load_protocol(folder)


@pytest.mark.django_db
def test_a_round_of_scenarios_is_made_and_reads_the_same_from_the_database() -> None:
    stored = store_protocol(FOLDER, actor="test")
    made = create_round(
        name="R", protocol="streamav@0.1.0", actor="test", scenes=["frog-pond-i", "cave-survey-p"]
    )
    again = Round.objects.get(pk=made.pk)
    assert again.scenes == ["cave-survey-p", "frog-pond-i"]
    assert digest_of(again.protocol.content) == stored.digest == load_protocol(FOLDER).digest
    assert len(again.protocol.rules.rollouts.metrics.metrics) == 32


@pytest.mark.django_db
def test_criteria_come_in_the_order_of_the_table_from_a_file_a_database_and_a_release() -> None:
    written = load_protocol(FOLDER)
    store_protocol(FOLDER, actor="test")
    stored = ProtocolVersion.objects.get().content  # PostgreSQL keeps the shortest keys first
    released = json.loads(canonical_bytes(stored))  # and here they are in alphabetical order
    backwards = json.loads(json.dumps(released))
    for scenario in backwards["rollouts"]["scenarios"]:
        scenario["video_checklist"] = dict(reversed(scenario["video_checklist"].items()))
    keys = form_keys(written.protocol)
    asked = {key: form_for(written.protocol, key).keys for key in keys}
    assert asked["full-video.cave-survey-p"] == ("scene", "visual_style", "subjects", "activity")
    for content in (stored, released, backwards):
        protocol = parse_protocol(content, source="here")
        assert form_keys(protocol) == keys
        assert {key: form_for(protocol, key).keys for key in keys} == asked


def test_a_checklist_has_no_criterion_that_no_metric_reads(tmp_path: Path) -> None:
    path = write_protocol(tmp_path) / "scenarios" / "small.yaml"
    path.write_text(
        path.read_text(encoding="utf-8").replace("subjects: null", "weather: null"),
        encoding="utf-8",
    )
    with pytest.raises(ProtocolError, match="there is no video criterion 'weather'"):
        load_protocol(tmp_path)


def test_each_kind_of_window_has_its_form_and_a_checklist_one_for_each_scenario() -> None:
    protocol = load_protocol(FOLDER).protocol
    keys = form_keys(protocol, ["sheepdog-hill-i"])
    assert [key for key in keys if "." not in key] == [
        "interval-video", "interval-both", "update-video", "update-both", "prompt-video",
        "prompt-audio",
        "retention-video", "retention-audio", "dependency-both",
    ]  # fmt: skip
    assert [key for key in keys if "." in key] == [
        "initial-video.sheepdog-hill-i",
        "initial-both.sheepdog-hill-i",
    ]
    heard = form_for(protocol, "initial-both.sheepdog-hill-i")
    assert heard.keys == ("sound_source", "sound_content")  # its temporal relation is null
    assert heard.wording("sound_source") == "Does the bleating come from the sheep?"
    with pytest.raises(KeyError):
        form_for(protocol, "update-audio")


@pytest.mark.parametrize("modality", ["video", "audio"])
def test_an_update_is_locked_exactly_when_the_published_rules_find_no_contradiction(
    modality: str,
) -> None:
    form = form_for(
        load_protocol(FOLDER).protocol, f"update-{'video' if modality == 'video' else 'both'}"
    )
    names = [
        f"{modality}_{name}"
        for name in ("started", "onset_latency", "target_latency", "fulfilment")
    ]
    times = ["0", "0.5", "12.5", "29.5"]
    seen = set()
    for texts in product(["yes", "no"], [*times, NA["onset"]], [*times, NA["target"]], "12345"):
        responses = {name: Response.parse(text) for name, text in zip(names, texts, strict=True)}
        onset, target = (None if text.startswith("na:") else float(text) for text in texts[1:3])
        fits = not form.violations(responses)
        assert fits == agrees_with_itself(texts[0] == "yes", onset, target, int(texts[3])), texts
        seen.add(fits)
    assert seen == {True, False}


def agrees_with_itself(
    started: bool, onset: float | None, target: float | None, fulfilment: float
) -> bool:
    """The rules of the public evaluation code: a time of the onset with a start and never without,
    the target no sooner than the onset, and what reached its target is fulfilled at least to 3.
    """
    if not started:
        return onset is None and target is None
    return onset is not None and (target is None or (onset <= target and fulfilment >= 3))


@pytest.mark.django_db
def test_the_method_page_says_what_is_asked_and_measured(client: Client) -> None:
    store_protocol(FOLDER, actor="test")
    page = client.get("/method/streamav/0.1.0/").content.decode()
    assert (
        "How far is it fulfilled by the end?" in page
        and "Bringing in the flock" in page
        and "PAUAR" in page
    )
    assert "plug_in" not in page and page.count("a model that needs weights") == 10
    assert "2 s before and after a prompt, sound alone" in page and "make a consensus" not in page
    assert client.get("/state/").status_code == 200


@pytest.mark.django_db
def test_the_first_page_speaks_of_the_protocol_that_is_there(client: Client) -> None:
    store_protocol(FOLDER, actor="test")
    page = client.get("/").content.decode()
    for words in (
        "StreamAV rollouts",
        "24 scenarios of 180 s",
        "32 metrics stand side by side",
        "Bringing in the flock",
    ):
        assert words in page
    for words in ("fart?", "one sound each", "0 questions", "A fact counts when"):
        assert words not in page


def test_what_contradicts_is_compared_as_numbers(tmp_path: Path) -> None:
    folder = write_protocol(tmp_path)
    path = folder / "forms.yaml"
    text = path.read_text(encoding="utf-8")
    changed = text.replace("not_below: video_onset_latency", "not_below: video_started")
    assert changed != text
    path.write_text(changed, encoding="utf-8")
    with pytest.raises(ProtocolError, match=r"the answers of 'video_started' are not numbers"):
        load_protocol(folder)
