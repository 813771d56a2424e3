"""Releases that older versions of the program made: each still verifies, by its own format.

The files in ``releases/`` were made by commits a0ea2ff (format 1) and fe9f84c (format 2), from
records as columns.
"""

import hashlib
import json
import zipfile
from pathlib import Path

import pytest

from fartbench.protocol import digest_of
from scoring.errors import ReleaseRefused
from scoring.records.rules import FORMAT
from scoring.release import versions
from scoring.release.contents import hashes_of
from scoring.release.verifying import verify_release
from scoring.release.versions import Change
from scoring.release.writers import readable_json_bytes

KEPT = sorted((Path(__file__).parent / "releases").glob("*.zip"))


@pytest.fixture(params=KEPT, ids=lambda path: path.stem)
def release(request, tmp_path):
    return unpacked(request.param, tmp_path)


@pytest.fixture
def gates(tmp_path):
    return unpacked(next(path for path in KEPT if path.stem == "format-1-gates"), tmp_path)


def unpacked(file, folder):
    with zipfile.ZipFile(file) as archive:
        archive.extractall(folder)
    return folder


def seal(folder, **changes):
    """Make hashes and digest right again, as someone would who wants to deceive."""
    description = json.loads((folder / "croissant.json").read_bytes())
    for file in description["distribution"]:
        file["sha256"] = hashlib.sha256((folder / file["contentUrl"]).read_bytes()).hexdigest()
    (folder / "croissant.json").write_bytes(readable_json_bytes(description))
    stated = json.loads((folder / "manifest.json").read_bytes()) | changes
    stated.pop("digest")
    stated["files"] = {
        path: digest for path, digest in hashes_of(folder).items() if path != "manifest.json"
    }
    content = readable_json_bytes({**stated, "digest": digest_of(stated)})
    (folder / "manifest.json").write_bytes(content)


def faults_of(folder):
    with pytest.raises(ReleaseRefused) as caught:
        verify_release(folder)
    return caught.value.faults


def test_every_kind_of_round_has_a_kept_release():
    kinds = ("gates", "gates-replicates", "weighted", "rollouts")
    names = {path.stem for path in KEPT}
    assert names == {f"format-{n}-{kind}" for n in range(1, FORMAT) for kind in kinds}


def test_a_release_of_an_older_format_holds(release):
    verified = verify_release(release)
    assert 1 <= verified.format < FORMAT
    assert all(change.format > verified.format for change in verified.not_recomputed)


def test_an_answer_that_was_changed_in_an_older_release_is_refused(release):
    table = release / "answers.csv"
    lines = table.read_bytes().split(b"\r\n")
    # The answer of a row goes into counts of every report, whatever became of its intervals.
    place = next(number for number, line in enumerate(lines) if b",yes," in line)
    lines[place] = lines[place].replace(b",yes,", b",no,", 1)
    table.write_bytes(b"\r\n".join(lines))
    seal(release)
    assert faults_of(release)


@pytest.mark.parametrize("number", [FORMAT + 1, 99])
def test_a_format_newer_than_the_program_is_refused_with_what_to_do(gates, number):
    seal(gates, format=number)
    [fault] = faults_of(gates)
    assert f"is of format {number}" in fault
    assert f"formats up to {FORMAT}" in fault
    assert "newer version" in fault


@pytest.mark.parametrize("number", [0, -1, True, None, "2", 1.0])
def test_what_is_not_the_number_of_a_format_is_refused(gates, number):
    seal(gates, format=number)
    assert "not the number of a format" in faults_of(gates)[0]


def test_a_value_whose_rule_changed_is_named_and_others_are_not_excused(gates, monkeypatch):
    path = gates / "reports.json"
    reports = json.loads(path.read_bytes())
    reports["reports"]["coverage"]["overall"]["cells"] += 1
    path.write_text(json.dumps(reports, ensure_ascii=False) + "\n", encoding="utf-8")
    seal(gates)
    assert "reports.coverage.overall.cells is 21" in "".join(faults_of(gates))
    change = Change(FORMAT, "reports.json", "reports/coverage/*/cells", "Cells are counted twice.")
    monkeypatch.setattr(versions, "CHANGES", (change, *versions.CHANGES))
    assert verify_release(gates).not_recomputed[change] == 1
    reports["reports"]["coverage"]["overall"]["outcomes"]["delivered"] += 1
    path.write_text(json.dumps(reports, ensure_ascii=False) + "\n", encoding="utf-8")
    seal(gates)
    assert "outcomes.delivered is" in "".join(faults_of(gates))


def test_values_that_follow_an_older_rule_are_not_excused(gates, monkeypatch):
    change = Change(FORMAT, "reports.json", "reports", "All.", keeps_old_rule=True)
    monkeypatch.setattr(versions, "CHANGES", (change, *versions.CHANGES))
    assert change not in versions.changes_since(1)


@pytest.mark.parametrize(
    ("file", "place", "expected"),
    [
        ("reports.json", ("reports", "x", "low"), True),
        ("reports.json", ("reports", "x", "low", "deeper"), True),
        ("reports.json", ("reports", "x"), False),
        ("reports.json", ("reports", "x", "high"), False),
        ("scores.json", ("reports", "x", "low"), False),
    ],
)
def test_a_change_covers_its_place_and_what_lies_below(file, place, expected):
    assert Change(2, "reports.json", "reports/*/low", "").covers(file, place) is expected


def test_a_change_without_a_place_covers_whole_files():
    change = Change(2, "plots/*.svg", "", "")
    assert change.covers("plots/gates.svg", ())
    assert not change.covers("README.md", ())


def test_every_change_says_where_since_when_and_why():
    for change in versions.CHANGES:
        assert 1 < change.format <= FORMAT
        assert change.words.endswith(".")
