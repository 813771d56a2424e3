"""The eight canonical specifications of Core v0.1: they say what the protocol says, and every
adapter renders them.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from fartbench.protocol import load_protocol
from fartbench.protocol.specification import FOLDER
from generation.prompts import ADAPTERS, prompt_faults, read_specification, render
from generation.prompts.agreement import specification_faults

PROTOCOLS = Path(settings.BASE_DIR) / "fixtures" / "protocols"
PROTOCOL = load_protocol(PROTOCOLS / "core-v0.1" / "0.1.0").protocol
SCENES = [scene.key for scene in PROTOCOL.scenes]


@pytest.mark.parametrize("scene", SCENES)
def test_every_adapter_says_what_the_specification_says(scene: str) -> None:
    specification, _ = read_specification(PROTOCOL.name, PROTOCOL.version, scene)
    for adapter in ADAPTERS.values():
        rendered = render(specification, adapter)
        assert prompt_faults(rendered.text, specification, adapter=adapter.key) == [], adapter.key


def test_the_tests_differ_in_what_they_ask_for() -> None:
    found = {
        scene: read_specification(PROTOCOL.name, PROTOCOL.version, scene)[0] for scene in SCENES
    }
    assert [scene for scene, one in found.items() if one.events.condition == "silent"] == ["fb-c06"]
    assert {scene: one.events.count for scene, one in found.items() if one.events.count != 1} == {
        "fb-c07": 2
    }
    assert [scene for scene, one in found.items() if one.reactions] == [
        "fb-c01",
        "fb-c02",
        "fb-c06",
    ]


def test_specifications_and_protocol_agree() -> None:
    assert specification_faults(PROTOCOL) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("count: 2, type", "count: 3, type", "events.count: it is 3, and the protocol requires 2"),
        (
            'event_count: "2"',
            'event_count: "1"',
            "checks.expected.event_count: it is '1', and the scene expects '2'",
        ),
        (", social]", "]", "checks.not_applicable: 'social' does not apply in the protocol alone"),
        ("duration_s: 8", "duration_s: 9", "duration_s: it is 9, and the protocol's clips last 8"),
        ("target: man", "target: nobody", "'nobody' is not one of the subjects"),
    ],
)
def test_a_disagreement_names_file_path_and_rule(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    own = tmp_path / PROTOCOL.name / PROTOCOL.version
    shutil.copytree(FOLDER / PROTOCOL.name / PROTOCOL.version, own)
    text = (own / "fb-c07.yaml").read_text(encoding="utf-8")
    assert old in text
    (own / "fb-c07.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    (found,) = specification_faults(PROTOCOL, folder=tmp_path)
    assert found.startswith(str(own / "fb-c07.yaml"))
    assert fault in found


def test_check_protocol_says_that_a_protocol_is_sound(capsys: pytest.CaptureFixture[str]) -> None:
    call_command("check_protocol", str(PROTOCOLS / "core-v0.1" / "0.1.0"))
    assert "core-v0.1@0.1.0 is sound: 8 scenes, 36 questions" in capsys.readouterr().out


def test_check_protocol_names_every_fault(tmp_path: Path) -> None:
    text = (PROTOCOLS / "core-r01" / "1.0.0" / "protocol.yaml").read_text(encoding="utf-8")
    broken = text.replace("reason: no_people_visible}", "reason: nobody}").replace(
        "needs: event}", "needs: sound}"
    )
    (tmp_path / "protocol.yaml").write_text(broken, encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        call_command("check_protocol", str(tmp_path))
    assert caught.value.returncode == 1
    words = str(caught.value)
    assert "protocol.yaml: 2 faults" in words
    assert "na_rules[5].reason: there is no N/A reason 'nobody'" in words
    assert "scoring.points[2].needs: 'sound' is not a gate" in words
