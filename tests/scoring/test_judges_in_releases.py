"""AI judges in a release: their answers and protocols as files that verify, and nothing where there
are none.
"""

import csv
import json
import shutil
from dataclasses import replace

import pytest

from fartbench.protocol import digest_of
from scoring.errors import ReleaseRefused
from scoring.records import RoundRecord
from scoring.release.contents import hashes_of, write_release
from scoring.release.kinds import documents_of
from scoring.release.loading import load_record, read_manifest
from scoring.release.verifying import verify_release
from scoring.report_classes.judges import JudgeReport
from tests.scoring.judges import judged, make_judge
from tests.scoring.record_factory import ALL_RIGHT, core_r01, make_record
from tests.scoring.test_verify import ISSUE, seal, write
from web.pages.judges import judge_results

FILES = {
    "judges.csv", "judge_answers.csv", "judge_facts.csv", "judge_ratings.csv",
    "judge_protocols.json",
    "plots/judges-facts.svg", "plots/judges-ratings.svg",
}  # fmt: skip


def judged_record() -> RoundRecord:
    record = make_record(refused={("delta", "r01-toast"): "policy"})

    def says(cell):
        return (
            "blocked"
            if cell.configuration == "beta"
            else ALL_RIGHT | {"people": "na:no_people_visible"}
        )

    return judged(record, make_judge(record, says), make_judge(record, says, variant="muted"))


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged") / "1"
    write(folder, judged_record())
    return folder


@pytest.fixture
def release(original, tmp_path):
    return shutil.copytree(original, tmp_path / "copy")


def test_they_are_files_that_verify(original):
    assert set(hashes_of(original)) >= FILES
    verified = verify_release(original)
    assert verified.files == len(hashes_of(original))
    reports = json.loads((original / "reports.json").read_bytes())["reports"]["human_ai_agreement"]
    assert [judge["judge"] for judge in reports["judges"]] == ["judge"]
    assert [(run["judge"], run["variant"]) for run in reports["sensitivity"]] == [
        ("judge", "muted")
    ]


def test_the_tables_hold_every_run(original):
    with (original / "judge_answers.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 2 * 15 * 6  # judges x delivered cells x questions
    blocked = [row for row in rows if row["state"] == "blocked"]
    assert {(row["configuration"], row["answer"], row["reason"]) for row in blocked} == {
        ("beta", "", "because")
    }
    people = {
        row["answer"] for row in rows if row["question"] == "people" and row["state"] == "answered"
    }
    assert people == {"na:no_people_visible"}
    contents = json.loads((original / "judge_protocols.json").read_bytes())
    assert all(digest_of(found["content"]) == found["digest"] for found in contents)


def test_the_tables_of_calibration_say_what_the_report_says(original):
    def table(name):
        with (original / name).open(newline="") as file:
            return list(csv.DictReader(file))

    (judge,) = json.loads((original / "reports.json").read_bytes())["reports"][
        "human_ai_agreement"
    ]["judges"]
    facts = {(row["question"], row["scene"]): row for row in table("judge_facts.csv")}
    assert len(facts) == 3 * (1 + 4)  # questions x all scenes and each
    # 15 delivered cells, all right; 4 of them of beta, where the judge was blocked.
    cause = facts["cause", ""]
    assert [cause[name] for name in ("n", "agreed", "needed", "verdict")] == [
        "15",
        "11",
        "75/100",
        "not_met",
    ]
    assert float(cause["share"]) == pytest.approx(11 / 15)
    assert float(cause["low"]) == judge["facts"]["cause"]["overall"]["share"]["low"]
    assert (cause["commonest"], float(cause["commonest_share"])) == ("yes", 1.0)
    assert {facts[key]["leniency_n"] for key in facts if key[0] == "event"} == {""}
    ratings = {row["question"]: row for row in table("judge_ratings.csv")}
    assert {key: row["reads"] for key, row in ratings.items()} == {
        key: found["reads"] for key, found in judge["ratings"].items()
    }
    assert [ratings["people"][name] for name in ("n", "missing", "mae")] == ["0", "15", ""]


def test_a_judge_that_a_constant_would_equal_has_no_colour_of_success():
    record = make_record()
    report = documents_of(judged(record, make_judge(record, lambda _cell: ALL_RIGHT))).reports
    calibration = JudgeReport.model_validate(report["reports"]["human_ai_agreement"])
    (judge,) = judge_results(calibration, record.protocol)
    assert {(fact.overall.verdict, fact.overall.tone) for fact in judge.facts} == {
        ("Calibrated", "warn")
    }
    assert all("no better than always saying Yes" in fact.overall.why for fact in judge.facts)


def test_a_release_is_read_back_as_it_was(original):
    record, _ = load_record(original, read_manifest(original))
    assert record.judges == judged_record().judges


def test_a_round_without_judges_has_none_of_it(tmp_path):
    write(tmp_path / "plain", make_record())
    files = hashes_of(tmp_path / "plain")
    assert not FILES & set(files)
    for name in ("README.md", "croissant.json"):
        assert "judge_answers" not in (tmp_path / "plain" / name).read_text()
    verify_release(tmp_path / "plain")


def test_a_protocol_without_a_section_on_judges_is_verified_as_before(tmp_path):
    content = {key: part for key, part in core_r01().content.items() if key != "judges"}
    bare = make_record().protocol.model_copy(update={"judges": None})
    older = replace(make_record(), protocol=bare, protocol_digest=digest_of(content))
    (tmp_path / "older").mkdir()
    write_release(tmp_path / "older", documents_of(older), content, ISSUE)
    verify_release(tmp_path / "older")


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("judge_answers.csv", ",sound,4", ",sound,5", "reports.json is not what the answers give"),
        ("judge_answers.csv", ",sound,4", ",noise,4", "these are not the form's questions"),
        (
            "judge_answers.csv",
            "s-alpha-r01-lift-1",
            "s-omega-r01-lift-1",
            "the release has no stimulus",
        ),
        ("judge_protocols.json", "gemini", "gemino", "a judge protocol does not have the SHA-256"),
        ("judges.csv", ",judge,muted,", ",judge,louder,", "has no judge judge muted"),
    ],
)
def test_what_was_changed_is_found(release, file, old, new, words):
    text = (release / file).read_bytes().decode()
    assert old in text
    (release / file).write_bytes(text.replace(old, new).encode())
    with pytest.raises(ReleaseRefused):
        verify_release(release)
    seal(release)
    with pytest.raises(ReleaseRefused, match=words):
        verify_release(release)
