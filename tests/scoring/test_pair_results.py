"""What comes of votes on pairs: the report, the release and its check, battles out and in again."""

from __future__ import annotations

import json
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from blinding.models import BlindingKey
from fartbench import writeonce
from fartbench.errors import BadInput
from fartbench.models import AuditEntry, Round
from operations.auditing import trail_faults
from review.models import Source, Vote
from review.pairs.entering import VoteEntry, enter_votes
from review.pairs.errors import NoPairs
from review.pairs.selectors import live_tasks
from rounds.battles_import import import_battles
from rounds.due import due_step
from rounds.errors import AnswersRefused, SheetsMissing
from rounds.opening import close_round, publish
from scoring.errors import ReleaseRefused, RoundAltered
from scoring.records.reading import read_round
from scoring.release.verifying import verify_release
from scoring.reports.preference import preference_report
from scoring.round_trail import round_faults
from tests.pairs import open_pair_round
from tests.scoring.rows import answer_all, make_open_round

pytestmark = pytest.mark.django_db
SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")
STRENGTH = {"alpha": 3, "beta": 2, "gamma": 1}


def configurations_of(round_: Round) -> dict[str, str]:
    keys = BlindingKey.objects.filter(stimulus__round=round_)
    return dict(keys.values_list("stimulus_id", "sample__cell__configuration__name"))


def vote_all(round_: Round, *, upsets: int = 4, source: str = Source.BROWSER) -> None:
    """Let the stronger configuration win, but for every ``upsets``-th vote: lost, tied and both bad
    in turn.
    """
    whose, entries = configurations_of(round_), []
    tasks = live_tasks(round_).select_related("pair__first", "pair__second", "member__reviewer")
    for number, task in enumerate(
        sorted(tasks, key=lambda each: (each.member.place, each.position))
    ):
        stronger = "a" if STRENGTH[whose[task.clip_a.pk]] > STRENGTH[whose[task.clip_b.pk]] else "b"
        other = [{"a": "b", "b": "a"}[stronger], "tie", "both_bad"][number // upsets % 3]
        answer = other if number % upsets == upsets - 1 else stronger
        entries.append(VoteEntry(task.member.reviewer, task.pair_id, answer))
    enter_votes(round=round_, entries=entries, source=source)


@pytest.fixture
def voted() -> Round:
    round_ = open_pair_round(scenes=SCENES)
    vote_all(round_)
    return round_


@pytest.fixture
def closed(voted: Round) -> Round:
    close_round(round_=voted, actor="test")
    return voted


def outcomes(round_: Round) -> list[str]:
    return sorted(Vote.objects.filter(task__pair__round=round_).values_list("answer", flat=True))


def test_a_round_stays_open_until_its_pairs_are_done_too() -> None:
    round_ = open_pair_round()
    step = due_step(round_)
    assert step and step.words.startswith("18 votes on pairs are still missing")
    with pytest.raises(SheetsMissing, match="votes on pairs are missing"):
        close_round(round_=round_, actor="test")
    vote_all(round_)
    close_round(round_=round_, actor="test")


def test_the_report_ranks_by_elo_and_counts_ties_and_both_bad_apart(closed: Round) -> None:
    record = read_round(closed)
    found = preference_report(record).document()["questions"]["convincing"]
    assert (found["votes"], found["pairs"], found["reviewers"]) == (36, 12, 4)
    (group,) = found["groups"]
    assert [line["configuration"] for line in group["configurations"]] == ["alpha", "beta", "gamma"]
    for line in group["configurations"]:
        elo = line["elo"]
        assert elo["low"] < elo["value"] < elo["high"] and elo["n"] == 24
        assert "4 scenes" in elo["method"]
        assert sum(line[way] for way in ("won", "lost", "tied", "both_bad")) == 24
    assert sum(line["elo"]["value"] for line in group["configurations"]) == pytest.approx(4500)
    assert (found["tie_rate"]["value"], found["tie_rate"]["n"]) == (pytest.approx(6 / 36), 36)
    assert found["both_bad_rate"]["value"] == pytest.approx(3 / 36)
    assert found["left_rate"]["n"] == 30
    matrix = found["matrix"]
    cell, back = matrix["alpha"]["gamma"], matrix["gamma"]["alpha"]
    assert (cell["won"], cell["lost"]) == (back["lost"], back["won"]) and cell["n"] == back[
        "n"
    ] == 12
    assert cell["share"] + back["share"] == pytest.approx(1) and cell["expected"] > 0.5
    assert found["not_compared"] == []


def test_pairs_stand_beside_the_score_and_never_in_it(closed: Round) -> None:
    twin = make_open_round(configurations=("alpha", "beta", "gamma"), scenes=list(SCENES))
    answer_all(twin)
    close_round(round_=twin, actor="test")
    scores = [
        [
            (line["factual_score"], line["rank"])
            for line in publish(round_=one, actor="test").scores["leaderboard"]
        ]
        for one in (closed, twin)
    ]
    assert scores[0] == scores[1]
    assert Fraction(scores[0][0][0]) == 8


def test_a_release_holds_the_votes_and_battles_and_verifies(closed: Round) -> None:
    release = publish(round_=closed, actor="test")
    assert {"pairs.csv", "battles.json", "plots/preference-convincing.svg"} <= set(
        release.manifest["files"]
    )
    assert verify_release(release.folder).digest == release.digest
    battles = json.loads((release.folder / "battles.json").read_text())
    assert len(battles) == 36 and {battle["winner"] for battle in battles} == {
        "model_a",
        "model_b",
        "tie",
        "tie (bothbad)",
    }
    readme = (release.folder / "README.md").read_text()
    assert "| `battles.json` |" in readme and "## pairs" in readme


def test_a_release_whose_votes_were_changed_does_not_hold(closed: Round) -> None:
    folder = publish(round_=closed, actor="test").folder
    text = (folder / "pairs.csv").read_text()
    (folder / "pairs.csv").write_text(text.replace(",tie,tie,", ",a,a,", 1))
    with pytest.raises(ReleaseRefused, match=r"pairs\.csv was changed"):
        verify_release(folder)


def test_a_vote_that_is_not_what_was_locked_or_recorded_is_named(closed: Round) -> None:
    entry = AuditEntry.objects.filter(action="vote locked").first()
    assert entry is not None and set(entry.details) == {"pair", "digest", "source", "started_at"}
    assert len(read_round(closed).pair_votes) == 36
    assert list(round_faults(closed)) == []
    writeonce.uninstall()
    entry.delete()
    writeonce.install()
    assert list(round_faults(closed)) == [
        f"the vote of {entry.actor} on pair {entry.details['pair']}: no entry tells of it"
    ]


def write(path: Path, rows: Iterable[Any]) -> Path:
    path.write_text(json.dumps(list(rows)), encoding="utf-8")
    return path


def test_battles_go_out_and_come_in_again_on_either_side(closed: Round, tmp_path: Path) -> None:
    call_command("export", closed.name, "--out", str(tmp_path / "out"), "--format", "fastchat")
    battles = json.loads((tmp_path / "out" / "battles.json").read_text())
    twin = open_pair_round(scenes=SCENES, reviewers=3)
    people = {task.pair_id: [] for task in live_tasks(twin)}  # type: ignore[var-annotated]
    for task in live_tasks(twin).select_related("member__reviewer"):
        people[task.pair_id].append(task.member.reviewer.code)
    whose = configurations_of(twin)
    rows = []
    for task in live_tasks(twin).select_related("pair", "member__reviewer"):
        two = {whose[task.pair.first_id], whose[task.pair.second_id]}
        like = next(
            b
            for b in battles
            if b["scene"] == task.pair.scene and {b["model_a"], b["model_b"]} == two
        )
        battles.remove(like)
        rows.append(like | {"judge": task.member.reviewer.code, "question_id": task.pair.scene})
    assert import_battles(round_=twin, path=write(tmp_path / "in.json", rows), actor="test") == 36
    close_round(round_=twin, actor="test")
    reports = [
        preference_report(read_round(one)).document()["questions"]["convincing"]
        for one in (closed, twin)
    ]
    assert reports[0]["matrix"] == reports[1]["matrix"]
    assert {vote.source for vote in read_round(twin).pair_votes} == {"imported"}


def test_every_fault_of_a_file_is_named_by_row_and_field(tmp_path: Path) -> None:
    round_ = open_pair_round()
    task = live_tasks(round_).select_related("pair", "member__reviewer").first()
    assert task is not None
    whose = configurations_of(round_)
    good = {
        "model_a": whose[task.pair.first_id],
        "model_b": whose[task.pair.second_id],
        "winner": "model_a",
        "judge": task.member.reviewer.code,
        "question_id": task.pair_id,
    }
    rows = [
        good | {"winner": "model_c"},
        good | {"colour": "red"},
        {key: value for key, value in good.items() if key != "judge"},
        good | {"tstamp": "yesterday"},
        good | {"model_b": good["model_a"]},
        "nonsense",
    ]
    with pytest.raises(BadInput) as caught:
        import_battles(round_=round_, path=write(tmp_path / "bad.json", rows), actor="test")
    assert [fault.split(":")[0] for fault in caught.value.faults] == [
        "row 1, winner",
        "row 2, colour",
        "row 3, judge",
        "row 4, tstamp",
        "row 5, model_b",
        "row 6",
    ]
    rows = [
        good | {"judge": "R-NOBODY"},
        good | {"question_id": "no-such-scene"},
        good | {"model_a": "delta"},
        good,
        good,
    ]
    with pytest.raises(AnswersRefused) as refused:
        import_battles(round_=round_, path=write(tmp_path / "bad.json", rows), actor="test")
    assert [fault.split(":")[0] for fault in refused.value.faults] == [
        "row 1, judge",
        "row 2, question_id",
        "row 3, model_a",
        "row 5",
    ]
    assert not Vote.objects.exists()


@pytest.mark.parametrize("text", ["", "[]", "{", "[1", '"text"'])
def test_what_is_no_file_of_battles_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "battles.json"
    path.write_text(text)
    with pytest.raises(BadInput):
        import_battles(round_=open_pair_round(scenes=("r01-lift",)), path=path, actor="test")


def test_commands_plan_and_import_and_refuse_with_status_1(tmp_path: Path, capsys: Any) -> None:
    round_ = open_pair_round(scenes=("r01-lift",))
    call_command("plan_pairs", round_.name)
    assert "0 pairs and 0 tasks were added" in capsys.readouterr().out
    call_command("plan_pairs", round_.name, "--meetings", "2")
    out = capsys.readouterr().out
    assert "3 pairs and 9 tasks were added" in out and "meet 2 to 2 times" in out
    task = live_tasks(round_).select_related("pair", "member__reviewer").first()
    assert task is not None
    whose = configurations_of(round_)
    row = {
        "model_a": whose[task.pair.first_id],
        "model_b": whose[task.pair.second_id],
        "winner": "tie",
    }
    line = json.dumps(row | {"judge": task.member.reviewer.email, "question_id": task.pair_id})
    (tmp_path / "one.jsonl").write_text(line + "\n")
    call_command("import_battles", round_.name, str(tmp_path / "one.jsonl"))
    assert "1 votes are locked" in capsys.readouterr().out
    with pytest.raises(CommandError) as refused:
        call_command("import_battles", round_.name, str(tmp_path / "none.json"))
    assert refused.value.returncode == 1


def test_a_round_without_pairs_takes_no_battles_and_reports_none(tmp_path: Path) -> None:
    round_ = make_open_round(configurations=("alpha",), scenes=["r01-lift"])
    with pytest.raises(NoPairs):
        import_battles(round_=round_, path=write(tmp_path / "x.json", []), actor="test")
    answer_all(round_)
    close_round(round_=round_, actor="test")
    release = publish(round_=round_, actor="test")
    assert not {"pairs.csv", "battles.json"} & set(release.manifest["files"])


def test_a_vote_changed_behind_the_guards_is_not_aggregated(closed: Round) -> None:
    writeonce.uninstall()
    try:
        Vote.objects.filter(answer="a").update(answer="b")
    finally:
        writeonce.install()
    with pytest.raises(RoundAltered, match="is not what was locked"):
        read_round(closed)


def test_the_audit_trail_tells_of_every_vote_and_misses_one_that_is_gone(closed: Round) -> None:
    assert list(trail_faults()) == []
    gone = Vote.objects.select_related("task").first()
    assert gone is not None
    writeonce.uninstall()
    try:
        gone.delete()
    finally:
        writeonce.install()
    (fault,) = trail_faults()
    assert f"on pair {gone.task.pair_id}: an entry names it, and the row does not exist" in fault
