"""Files of a protocol of rollouts that nobody should have written: each is refused in words, and
nothing is stored.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import pytest
from django.core.management import CommandError, call_command

from authoring.claims import check_folder
from authoring.generating import MaterialUnfit, write_set
from fartbench.datafiles import MAX_JSON_BYTES, DataError, read_json, read_yaml
from fartbench.models import ProtocolVersion
from fartbench.protocol import load_protocol
from fartbench.protocol.rollouts.metrics import Metric, PlugInKey, Recipe
from measuring.plug_ins.registry import PLUG_INS
from scoring.metrics.recipes import ONE_FORM
from tests.streamav.small import FOLDER, write_protocol

BOMB = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n" + "".join(
    f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 12)
)
TWICE = "  - {kind: interval, text: Again, tracks: [progressive], windows: whole}"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_protocol(tmp_path / "protocol")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "it holds over"),
        ("&a {a: *a}", "too deep"),
        ("&a [*a]", "too deep"),
        ("[" * 2000, "too deep"),
        ("a: [1, {b: 2026-01-01}]", r"a\[2\].b: a date is not allowed here"),
        ("a: !!binary aGVsbG8=", "a bytes is not allowed here"),
        ("a: !!set {b, c}", "a set is not allowed here"),
        ("? [1, 2]\n: 3", r"the key .1, 2. is not text|not YAML"),
        ("true: 1", "the key True is not text"),
        ("a: .nan", "a: nan is not a number"),
        ("a: -.inf", "a: -inf is not a number"),
        ("a: " + "9" * 5000, "this is not YAML"),
        ('a: "\\0"', "a: this text has a control character"),
        ("a: 1\n---\nb: 2", "this is not YAML"),
        ("a: *nothing", "this is not YAML"),
    ],
)
def test_yaml_that_is_no_plain_data_is_refused_where_it_is(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "odd.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"odd\.yaml(?s:.*)({words})"):
        read_yaml(tmp_path / "odd.yaml")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1, "a": 2}', "the key 'a' appears twice"),
        ("[" * 100_000 + "]" * 100_000, "too deep"),
        ("[NaN]", r"\[1\]: nan is not a number"),
        ('["\\u0000"]', r"\[1\]: this text has a control character"),
        ('["\\ud800"]', r"\[1\]: this text has a control character"),
        ('{"a\\u0007": 1}', "the key .* has a control character"),
        ("[" + "1," * 300_000 + "1]", "it holds over"),
        ("", "this is not JSON"),
        ("[1" + " " * MAX_JSON_BYTES + "]", "larger than"),
    ],
)
def test_json_that_is_no_plain_data_is_refused_where_it_is(
    tmp_path: Path, text: str, words: str
) -> None:
    (tmp_path / "odd.json").write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=rf"odd\.json(?s:.*)({words})"):
        read_json(tmp_path / "odd.json")


def refused(folder: Path, file: str, old: str, new: str) -> str:
    """Return why the command refuses the folder after a change of one file."""
    path = folder / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(CommandError) as caught:
        call_command("load_protocol", str(folder))
    assert caught.value.returncode == 1
    assert not ProtocolVersion.objects.exists()
    return str(caught.value)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        (
            "small",
            "depends_on: P1",
            "depends_on: P9",
            "P2.depends_on: 'P9' is not an earlier update; there is P1",
        ),
        (
            "small",
            "depends_on: P1",
            "depends_on: P2",
            "updates.P2.depends_on: 'P2' is not an earlier update",
        ),
        (
            "small",
            "dependency: independent",
            "dependency: adjacent\n      depends_on: P2",
            "'P2' is not an earlier",
        ),
        ("small", "id: P2", "id: P1", "updates: their ids are P1, P2, in this order"),
        ("small", "at_s: 2", "at_s: 1", "updates: each comes later than the one before"),
        ("small", "at_s: 2", "at_s: 4", "between 0 and 4 s"),
        ("small", "at_s: 1", "at_s: 0", "between 0 and 4 s"),
        (
            "small",
            "at_s: 1",
            "at_s: 0.25",
            "updates.P1.at_s: the window 'prompt' would begin before the rollout",
        ),
        ("small", "at_s: 1", 'at_s: "1"', "at_s: Input should be a valid number"),
        (
            "small",
            '      audio: "It beeps."\n',
            "",
            "updates.P1.audio: an update of modality joint says what",
        ),
        (
            "small",
            "horizons_s: [2, 4]",
            "horizons_s: [4, 4]",
            "horizons_s: each is longer than the one before",
        ),
        (
            "small",
            "horizons_s: [2, 4]",
            "horizons_s: [2, 9]",
            "horizons_s: the last is the whole rollout, 4 s",
        ),
        (
            "small",
            "horizons_s: [2, 4]",
            "horizons_s: [0.5, 4]",
            "horizons_s: the first holds no interval of 1 s",
        ),
        ("small", "interval_s: 1", "interval_s: 1.0e-7", "greater than or equal to 1"),
        ("small", "duration_s: 4", "duration_s: 1.0e+9", "less than or equal to 3600"),
        ("small", "key: small-i", "key: small-p", "appears twice"),
        ("small", "{scene:", "{smell:", "there is no video criterion 'smell'"),
        (
            "small",
            '"Is it a landscape?"',
            "5",
            "video_checklist.scene: Input should be a valid string",
        ),
        ("small", "- key: small-p\n", "key: small-p\n", "this is not YAML"),
        ("units", "kinds:\n", f"kinds:\n{TWICE}\n", "units.kinds: 'interval' appears twice"),
        (
            "units",
            "windows: after, seconds: 1}",
            "windows: after}",
            "windows at updates say how many seconds",
        ),
        (
            "units",
            "windows: after, seconds: 1}",
            "windows: after, seconds: 1.0e+300}",
            "less than or equal to 3600",
        ),
        (
            "forms",
            "- unit: interval\n",
            "- unit: interval\n    target: visual\n",
            "its windows are not at updates",
        ),
        ("forms", "criteria: video", "criteria: smell", "should be 'video' or 'audio'"),
        (
            "forms",
            'video_started, value: "no"',
            "video_started, value: maybe",
            "'video_started' has no answer 'maybe'",
        ),
        (
            "forms",
            'video_started, value: "no"',
            'video_fulfilment, value: "1"',
            "does not come before",
        ),
        (
            "forms",
            "key: visual_fidelity",
            "key: subject_integrity",
            "question 'subject_integrity' appears twice",
        ),
        ("metrics", "recipe: mean", "recipe: total", "recipe: Input should be"),
        ("metrics", "plug_in: clip_aesthetics", "plug_in: another", "plug_in: Input should be"),
        ("metrics", "of: VQ, ", "", "names the metric that it is of"),
        (
            "metrics",
            "[visual_fidelity,",
            "[smell,",
            "metrics.VQ: no form about interval asks 'smell'",
        ),
        (
            "metrics",
            ", established_by: source_state_established",
            "",
            "metrics.HDF: a rating of how history",
        ),
        (
            "metrics",
            "averages_by_horizon_s:",
            "averages_by_horizon_s: {VA: [1]}\n  other:",
            "valid dictionary",
        ),
        ("metrics", "low: 0,", "low: .inf,", "inf is not a number"),
    ],
)
def test_what_would_be_stumbled_over_later_is_refused_by_its_path(
    folder: Path, file: str, old: str, new: str, words: str
) -> None:
    name = "scenarios/small.yaml" if file == "small" else f"{file}.yaml"
    assert words in refused(folder, name, old, new)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "text", ["{}", "null", "5", '["a"]', "[]", "[[]]", '[{"key": "a-a", "key": "b-b"}]']
)
def test_a_file_of_scenarios_is_a_list_of_scenarios(folder: Path, text: str) -> None:
    (folder / "scenarios" / "small.yaml").unlink()
    (folder / "scenarios" / "all.json").write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match="nothing was changed"):
        call_command("load_protocol", str(folder))
    assert not ProtocolVersion.objects.exists()


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("rule: intervals", "rule: taste", "there is no rule 'taste'"),
        ("values: {count: [6]}", "values: {}", "the values of intervals are count"),
        ("values: {count: [6]}", "values: {count: []}", "intervals takes one value"),
        (
            "values: {count: [6]}",
            "values: {count: [six]}",
            "values.count: 'six' is not allowed there",
        ),
        ("at_s: [30, 60, 90, 120, 150]", "at_s: [30]", "as many times as names"),
        ("field: theme,", "field: smell,", "have no field 'smell'"),
        ("per: track, values", "per: smell, values", "have no field 'smell'"),
        ("where: {visual_style", "where: {smell", "have no field 'smell'"),
        ("id: scenarios", "id: themes", "claim 'themes' appears twice"),
    ],
)
def test_a_claim_about_nothing_is_refused(tmp_path: Path, old: str, new: str, words: str) -> None:
    write_set(FOLDER, tmp_path / "set", seed=1)
    path = tmp_path / "set" / "constraints.yaml"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(DataError, match=words):
        check_folder(tmp_path / "set")


@pytest.mark.parametrize(
    ("kind", "registry"), [(PlugInKey, set(PLUG_INS)), (Recipe, {*ONE_FORM} - {"capped_latency"})]
)
def test_the_table_can_name_exactly_what_there_is(kind: Any, registry: set[str]) -> None:
    named = set(get_args(kind))
    joint = {"criteria_change", "endpoint_change", "if_established", "prompt_continuity"}
    assert named - registry <= joint
    assert registry <= named
    assert Metric.model_fields["recipe"].annotation == Recipe


def test_a_generated_set_can_be_loaded_beside_the_one_it_comes_from(tmp_path: Path) -> None:
    write_set(FOLDER, tmp_path / "whole", seed=3)
    protocol = load_protocol(tmp_path / "whole").protocol
    assert protocol.label == "streamav@0.1.0-seed.3"
    assert protocol.rollouts is not None
    assert len(protocol.rollouts.scenarios) == 320
    assert {path.name for path in tmp_path.iterdir()} == {"whole"}


def _without(name: str) -> Callable[[str], str]:
    return lambda text: "\n".join(line for line in text.splitlines() if f"id: {name}," not in line)


@pytest.mark.parametrize(
    ("file", "change"),
    [
        ("wording.yaml", lambda text: text.replace("{place}", "{nowhere}")),
        ("constraints.yaml", _without("entity")),
        ("constraints.yaml", _without("photorealistic_per_track")),
    ],
)
def test_material_that_makes_no_set_leaves_no_folder(
    tmp_path: Path, file: str, change: Callable[[str], str]
) -> None:
    material = tmp_path / "material"
    material.mkdir()
    for name in ("wording.yaml", "themes.yaml", "constraints.yaml"):
        (material / name).write_text((FOLDER / name).read_text(encoding="utf-8"), encoding="utf-8")
    text = (material / file).read_text(encoding="utf-8")
    assert change(text) != text
    (material / file).write_text(change(text), encoding="utf-8")
    with pytest.raises(MaterialUnfit, match="do not fit each other"):
        write_set(material, tmp_path / "out", seed=1)
    assert {path.name for path in tmp_path.iterdir()} == {"material"}


def test_a_title_in_any_script_is_kept(folder: Path) -> None:
    path = folder / "scenarios" / "small.yaml"
    title = "Schaf 🐑, овца, 羊"
    path.write_text(
        path.read_text(encoding="utf-8").replace('A small landscape"', f'{title}"', 1),
        encoding="utf-8",
    )
    assert load_protocol(folder).content["rollouts"]["scenarios"][0]["title"] == title
