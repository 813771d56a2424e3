"""Release folders: the same bytes again, every changed byte found, and scores that do not follow
refused.
"""

import csv
import hashlib
import json
import os
import shutil
from io import StringIO
from random import Random

import pytest
from django.core.management import CommandError, call_command

from fartbench.numbers import signed_zeros
from fartbench.program import packages, program
from fartbench.protocol import digest_of
from fartbench.tables import guarded, plain
from scoring.errors import ReleaseRefused
from scoring.release.columns import ANSWERS, Column, Table
from scoring.release.contents import hashes_of, write_release
from scoring.release.folder import MOST_ENTRIES
from scoring.release.kinds import documents_of
from scoring.release.manifest import Issue
from scoring.release.parquet import write_parquet
from scoring.release.verifying import verify_release
from scoring.release.writers import readable_json_bytes, write_csv
from tests.scoring.record_factory import SCENES, core_r01, make_record

ISSUE = Issue(
    number=1, address="http://127.0.0.1:8000/rounds/r1/", demonstration=False,
    audit={"sequence": 7, "hash": "a" * 64}, program=program(), packages=packages(),
)  # fmt: skip
RECORD = make_record(
    votes={
        ("beta", "r01-lift"): {
            "event": ["no"] * 4,
            "cause": ["na:no_event"] * 4,
            "sound": ["na:no_sound"] * 4,
        },
        ("gamma", "r01-squat"): {
            "cause": ["yes", "no", "unclear", "yes"],
            "sound": ["1", "2", "3", "4"],
        },
    },
    refused={("delta", "r01-toast"): "=policy"},
)


def write(folder, record=RECORD, issue=ISSUE):
    folder.mkdir()
    return write_release(folder, documents_of(record), core_r01().content, issue)


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("release") / "1"
    write(folder)
    return folder


@pytest.fixture
def release(original, tmp_path):
    return shutil.copytree(original, tmp_path / "copy")


def faults_of(folder):
    with pytest.raises(ReleaseRefused) as caught:
        verify_release(folder)
    return caught.value.faults


def seal(folder):
    """Make hashes and digest right again, as someone would who wants to deceive."""
    stated = json.loads((folder / "manifest.json").read_bytes())
    stated.pop("digest")
    stated["files"] = {
        path: digest for path, digest in hashes_of(folder).items() if path != "manifest.json"
    }
    (folder / "manifest.json").write_bytes(
        readable_json_bytes({**stated, "digest": digest_of(stated)})
    )


def test_the_same_round_gives_the_same_bytes(original, tmp_path):
    write(tmp_path / "again")
    assert hashes_of(tmp_path / "again") == hashes_of(original)


def test_a_release_holds_what_it_should(original):
    assert set(hashes_of(original)) == {
        "README.md", "answers.csv", "answers.jsonl", "answers.parquet", "clips.csv",
        "configurations.csv",
        "croissant.json", "leaderboard.csv", "manifest.json", "plots/agreement.svg",
        "plots/gates.svg",
        "plots/leaderboard.svg", "plots/ratings.svg", "plots/scenes.svg", "protocol.json",
        "reports.json", "scores.json",
    }  # fmt: skip
    stated = json.loads((original / "manifest.json").read_bytes())
    assert {"numpy", "scipy", "python"} <= set(stated["packages"])
    assert stated["seeds"] == {"round": RECORD.seed}
    assert stated["program"]["name"] == "fartbench"
    assert (
        hashlib.sha256((original / "protocol.json").read_bytes()).hexdigest()
        == RECORD.protocol_digest
    )


def test_a_release_from_when_zeros_had_signs_still_holds(tmp_path):
    votes = {
        (configuration, scene): {
            question: [str(luck.randint(1, 5)) for _ in range(4)]
            for question in ("people", "sound", "timing")
        }
        for luck in [Random(24)]  # its agreement is a little below zero
        for configuration in ("alpha", "beta")
        for scene in SCENES
    }
    record = make_record(configurations=("alpha", "beta"), votes=votes)
    write(tmp_path / "now", record)
    with signed_zeros():
        write(tmp_path / "then", record)
    assert "-0.00" in (tmp_path / "then" / "plots" / "agreement.svg").read_text()
    assert "-0.00" not in (tmp_path / "now" / "plots" / "agreement.svg").read_text()
    assert {verify_release(tmp_path / when).round for when in ("then", "now")} == {record.name}
    plot = tmp_path / "then" / "plots" / "agreement.svg"
    plot.write_text(plot.read_text().replace("-0.00", "-0.01"))
    seal(tmp_path / "then")
    assert any(
        "agreement.svg is not what the answers give" in fault
        for fault in faults_of(tmp_path / "then")
    )


def test_verifying_needs_no_database(release):
    # This test has no mark for the database: any query in it is refused.
    said = StringIO()
    call_command("verify_release", release, stdout=said)
    assert "holds: 17 files" in said.getvalue()
    assert json.loads((release / "manifest.json").read_bytes())["digest"] in said.getvalue()


@pytest.mark.parametrize("name", sorted(["answers.csv", "answers.jsonl", "answers.parquet",
                                         "clips.csv", "README.md",
    "configurations.csv", "croissant.json", "leaderboard.csv", "manifest.json", "plots/gates.svg",
    "protocol.json",
    "reports.json", "scores.json"]))  # fmt: skip
def test_one_changed_byte_is_refused_and_its_file_named(release, name):
    content = bytearray((release / name).read_bytes())
    content[len(content) // 2] ^= 1
    (release / name).write_bytes(content)
    faults = faults_of(release)
    assert len(faults) == 1
    assert faults[0].startswith(name)


def test_the_command_refuses_with_status_1(release):
    (release / "scores.json").unlink()
    with pytest.raises(CommandError, match=r"scores\.json is missing") as caught:
        call_command("verify_release", release)
    assert caught.value.returncode == 1


def test_files_that_are_missing_or_additional_are_named(release):
    (release / "plots" / "gates.svg").unlink()
    (release / "notes.txt").write_text("more")
    assert faults_of(release) == [
        "plots/gates.svg is missing",
        "notes.txt is not part of the release",
    ]


def test_a_folder_without_a_manifest_is_no_release(tmp_path):
    assert "manifest.json is missing" in faults_of(tmp_path)[0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"[]",
        b"{}",
        b'{"digest": 1}',
        b"\xff",
        b'{"files": {}, "format": 2, "digest": ""}',
        b'{"files": {}, "format": 2, "digest": "", "round": Infinity}',
        b'{"files": {}, "format": 2, "digest": "", "round": 1e999}',
        b'{"files": {"\\ud800": ""}, "format": 2, "digest": ""}',
    ],
)
def test_a_manifest_of_another_kind_is_refused(release, content):
    (release / "manifest.json").write_bytes(content)
    assert faults_of(release)[0].startswith("manifest.json ")


def test_scores_that_do_not_follow_from_the_answers_are_refused_however_well_sealed(release):
    scores = json.loads((release / "scores.json").read_bytes())
    scores["leaderboard"][3]["factual_score"] = "8"
    (release / "scores.json").write_text(json.dumps(scores, ensure_ascii=False) + "\n")
    seal(release)
    first = next(fault for fault in faults_of(release) if fault.startswith("scores.json"))
    assert "leaderboard[3].factual_score is '8', and should be" in first


def changed_answers(release, change):
    rows = list(
        csv.reader(StringIO((release / "answers.csv").read_text(encoding="utf-8"), newline=""))
    )
    header, *body = rows
    body = change([dict(zip(header, row, strict=True)) for row in body])
    write_csv(release / "answers.csv", header, ([row[name] for name in header] for row in body))
    seal(release)


@pytest.mark.parametrize("part", ["audit", "packages", "program", "round"])
@pytest.mark.parametrize("value", [None, 5, "x", [[]]])
def test_a_manifest_with_values_of_another_kind_is_refused(release, part, value):
    rewritten = json.loads((release / "manifest.json").read_bytes()) | {part: value}
    (release / "manifest.json").write_bytes(readable_json_bytes(rewritten))
    seal(release)
    assert faults_of(release)


def test_a_manifest_without_a_head_of_the_trail_is_refused(release):
    rewritten = json.loads((release / "manifest.json").read_bytes()) | {"audit": {}}
    (release / "manifest.json").write_bytes(readable_json_bytes(rewritten))
    seal(release)
    assert faults_of(release) == ["its tables cannot be read as a release: 'sequence'"]


@pytest.mark.parametrize("key", ["name", "closed_at", "reviewers"])
def test_a_round_with_values_of_another_kind_is_refused(release, key):
    rewritten = json.loads((release / "manifest.json").read_bytes())
    rewritten["round"][key] = [{"code": "R-1", "role": []}]
    (release / "manifest.json").write_bytes(readable_json_bytes(rewritten))
    seal(release)
    assert faults_of(release)


def test_a_changed_answer_shows_in_every_file_that_follows_from_it(release):
    def change(rows):
        for row in rows[:1]:
            row["answer"] = "no"
        return rows

    changed_answers(release, change)
    named = {fault.split(" ")[0] for fault in faults_of(release)}
    assert {"answers.jsonl", "answers.parquet", "clips.csv", "reports.json", "scores.json"} <= named


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda rows: [{**rows[0], "answer": "perhaps"}, *rows[1:]], "'perhaps' is not an answer"),
        (lambda rows: rows[1:], "event: the answer is missing"),
        (
            lambda rows: [
                {**row, "reviewer": "R-9"} if row["reviewer"] == "R-0" else row for row in rows
            ],
            "no reviewer 'R-9'",
        ),
        (lambda rows: rows + rows[:6], "a second sheet of R-0"),
        (lambda rows: [{**row, "stimulus": "s-none"} for row in rows], "no stimulus 's-none'"),
    ],
)
def test_answers_that_cannot_be_are_refused_with_their_row(release, change, expected):
    changed_answers(release, change)
    (fault,) = faults_of(release)
    assert fault.startswith("answers.csv, row ")
    assert expected in fault


def test_a_fifth_primary_reviewer_is_refused(tmp_path):
    write(tmp_path / "five", make_record(locked=4))
    stated = json.loads((tmp_path / "five" / "manifest.json").read_bytes())
    stated["round"]["reviewers"].append({"code": "R-5", "role": "primary"})
    (tmp_path / "five" / "manifest.json").write_bytes(readable_json_bytes(stated))
    seal(tmp_path / "five")
    assert faults_of(tmp_path / "five") == [
        "manifest.json: 5 primary reviewers; the protocol says 4"
    ]


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+cmd",
        "-x",
        "@sum",
        "\tx",
        "\rx",
        "'=1",
        "''=1",
        "'",
        "plain",
        "-1",
        "+2.5",
        "",
        "-",
    ],
)
def test_a_guarded_cell_never_runs_and_can_be_read_back(text):
    cell = guarded(text)
    assert cell[:1] not in set("=+-@\t\r") or text in {"-1", "+2.5"}
    assert plain(cell) == text


def test_every_table_and_column_is_explained(original):
    readme = (original / "README.md").read_text(encoding="utf-8")
    description = json.loads((original / "croissant.json").read_bytes())
    fields = {
        field["name"] for record_set in description["recordSet"] for field in record_set["field"]
    }
    for name in ("answers", "clips", "configurations", "leaderboard"):
        header = (original / f"{name}.csv").read_text(encoding="utf-8").splitlines()[0].split(",")
        assert all(f"`{column}`" in readme and f"{name}/{column}" in fields for column in header)
    stated = json.loads((original / "manifest.json").read_bytes())["files"]
    for file in description["distribution"]:
        assert stated[file["contentUrl"]] == file["sha256"]


def test_parquet_bytes_are_those_that_other_readers_understood(tmp_path):
    # The file with this hash was read back by pyarrow 26 and duckdb 2: two columns, 300 rows, 17
    # different texts.
    table = Table("t", "", (Column("text", ""), Column("number", "", "integer")))
    write_parquet(
        tmp_path / "t.parquet", table, ((f"é{number % 17}", number - 5) for number in range(300))
    )
    digest = hashlib.sha256((tmp_path / "t.parquet").read_bytes()).hexdigest()
    assert digest == "9eb719ee14b750079b27211b620d0519c0bc473a8f69e569fca40bb542baf972"
    with pytest.raises(ValueError, match="'number' has a cell without a number"):
        write_parquet(tmp_path / "u.parquet", table, [("a", None)])


def test_jsonl_and_csv_hold_the_same_answers(original):
    lines = [
        json.loads(line)
        for line in (original / "answers.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    with (original / "answers.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(lines[0]) == [column.name for column in ANSWERS.columns]
    assert [{name: str(cell) for name, cell in line.items()} for line in lines] == rows


def make_deep(folder):
    place = folder
    for _ in range(300):
        place = place / "d"
        place.mkdir()


def make_many(folder):
    (folder / "many").mkdir()
    for number in range(MOST_ENTRIES):
        (folder / "many" / str(number)).mkdir()


BESIDE = {
    "a pipe": (lambda folder: os.mkfifo(folder / "x"), "x is neither a file nor a folder"),
    "a link out": (lambda folder: (folder / "x").symlink_to("/"), "x is a link"),
    "a link to itself": (lambda folder: (folder / "x").symlink_to(folder), "x is a link"),
    "a link to a device": (lambda folder: (folder / "x").symlink_to("/dev/zero"), "x is a link"),
    "a link to nothing": (lambda folder: (folder / "x").symlink_to("nowhere"), "x is a link"),
    "an empty folder": (lambda folder: (folder / "x").mkdir(), "x/ is an empty folder"),
    "holes of a terabyte": (lambda folder: os.truncate(os.open(folder / "x",
                                                               os.O_CREAT | os.O_WRONLY), 10**12),
                            "x is not part of the release"),
    "folders in folders": (make_deep, "is a folder that lies too deep"),
    "a name with a line break": (
        lambda folder: (folder / "a\nThe release holds").write_text(""),
        repr("a\nThe release holds"),
    ),
    "very many folders": (make_many, f"it holds more than {MOST_ENTRIES}"),
    "a file in a folder": (lambda folder: (folder / "plots" / "x").write_text(""), "plots/x is not "
                                                                                   "part"),
}  # fmt: skip


@pytest.mark.parametrize("kind", BESIDE)
def test_whatever_lies_beside_a_release_is_named_and_not_read(release, kind):
    make, fault = BESIDE[kind]
    make(release)
    assert any(fault in found for found in faults_of(release))


@pytest.mark.parametrize("name", ["clips.csv", "manifest.json", "plots/gates.svg"])
@pytest.mark.parametrize(
    "kind",
    ["a pipe", "a link to a device", "a link to itself", "holes of a terabyte", "an empty folder"],
)
def test_a_file_of_a_release_that_is_none_is_refused_at_once(release, name, kind, tmp_path):
    (release / name).unlink()
    (tmp_path / "odd").mkdir()
    BESIDE[kind][0](tmp_path / "odd")
    (tmp_path / "odd" / "x").rename(release / name)
    assert any(name in found for found in faults_of(release))


@pytest.mark.parametrize(
    "head",
    [
        (-5, "x"),
        (7, "A" * 64),
        ("seven", "a" * 64),
        (None, None),
        (7.5, "a" * 64),
        (10**12, "a" * 64),
    ],
)
def test_a_resealed_release_with_an_odd_head_is_refused(release, head):
    stated = json.loads((release / "manifest.json").read_bytes())
    stated["audit"] = {"sequence": head[0], "hash": head[1]}
    (release / "manifest.json").write_bytes(readable_json_bytes(stated))
    seal(release)
    assert any("SEQUENCE:HASH" in found for found in faults_of(release))
