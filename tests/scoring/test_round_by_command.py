"""A whole round on the command line, without any provider: every step, in order and out of order."""

import csv
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from blinding.models import BlindingKey, Stimulus
from fartbench.models import AuditEntry, Round
from review.models import Answer, AnswerSheet, Invite, Reviewer
from scoring.models import Release
from tests.factories import CORE_R01
from tests.manifests import NOTHING_HEARD, Lab

REVIEWERS = ("a@example.org", "b@example.org", "c@example.org", "d@example.org")
pytestmark = pytest.mark.django_db

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def run(*words: object, **options: object) -> str:
        call_command(*(str(word) for word in words), **options)
        return capsys.readouterr().out

    return run


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Run:
    def refused(*words: object) -> str:
        with pytest.raises(CommandError) as caught:
            call_command(*(str(word) for word in words))
        assert caught.value.returncode == 1
        return str(caught.value)

    return refused


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    lab = Lab(tmp_path, configurations=("alpha", "beta", "gamma"))
    lab.row("gamma", "r01-toast").update(file="", outcome="refused", reason="policy")
    return lab


@pytest.fixture
def ready(run: Run, lab: Lab) -> None:
    """Bring round r1 up to the point where it can be opened."""
    run("load_protocol", CORE_R01)
    run("create_round", "r1", "--protocol", "core-r01@1.0.0")
    run("import_clips", "--round", "r1", lab.manifest())
    run("blind", "--round", "r1")
    run("set_cohort", "--round", "r1", *REVIEWERS)


@pytest.fixture
def opened(run: Run, ready: None) -> None:
    run("open_round", "r1")


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# beta: nobody hears anything in the lift, and two of four do not find the cause in the squat.
CHANGES = {("beta", "r01-lift"): NOTHING_HEARD}


def all_answers(lab: Lab) -> list[dict[str, Any]]:
    rows = lab.answers(REVIEWERS, CHANGES)
    for row in rows:
        if (row["configuration"], row["scene"]) == ("beta", "r01-squat") and row["reviewer"] in REVIEWERS[:2]:
            row["cause"] = "unclear"
    return rows


@pytest.fixture
def closed(run: Run, lab: Lab, opened: None) -> None:
    run("import_answers", "--round", "r1", lab.answer_file(all_answers(lab)))
    run("close_round", "r1")


def test_the_scores_of_a_round_are_those_of_its_rules(run: Run, closed: None) -> None:
    document = json.loads(run("score", "--round", "r1", "--json"))
    assert document["round"] == "r1"
    assert (document["protocol"]["name"], document["protocol"]["version"]) == ("core-r01", "1.0.0")
    lines = {line["configuration"]: line for line in document["leaderboard"]}
    assert [line["configuration"] for line in document["leaderboard"]] == ["alpha", "gamma", "beta"]
    assert {name: (line["rank"], line["factual_score"]) for name, line in lines.items()} == {
        "alpha": (1, "8"), "gamma": (2, "6"), "beta": (3, "5"),
    }  # fmt: skip
    assert (lines["gamma"]["earned"], lines["gamma"]["possible"], lines["gamma"]["delivered"]) == ("6", 6, 3)
    assert lines["gamma"]["scenes"]["r01-toast"] == {"status": "refused", "reason": "policy"}
    lift = lines["beta"]["scenes"]["r01-lift"]
    assert lift["status"] == "scored"
    assert lift["event"] == {"consensus": "no", "votes": {"yes": 0, "no": 4, "unclear": 0, "na": 0}}
    assert lift["cause"] == {"consensus": "na", "votes": {"yes": 0, "no": 0, "unclear": 0, "na": 4}}
    squat = lines["beta"]["scenes"]["r01-squat"]
    assert squat["cause"] == {"consensus": "split", "votes": {"yes": 2, "no": 0, "unclear": 2, "na": 0}}
    assert lines["beta"]["scenes_all_right"] == "2"


def test_steps_out_of_order_are_refused_and_name_the_one_that_is_due(run: Run, refused: Run, lab: Lab) -> None:
    run("load_protocol", CORE_R01)
    run("create_round", "r1", "--protocol", "core-r01@1.0.0")
    for step in ("blind", "open_round"):
        assert "import" in refused(step, "r1")
    for step in ("close_round", "score", "publish"):
        assert "Due is “import_clips r1”" in refused(step, "r1")
    run("import_clips", "r1", lab.manifest())
    assert "blind r1" in refused("open_round", "r1")
    assert "Due is “blind r1”" in refused("score", "r1")
    run("blind", "r1")
    assert "Due is “set_cohort r1”" in refused("publish", "r1")
    assert "set_cohort r1" in refused("open_round", "r1")
    run("set_cohort", "r1", *REVIEWERS)
    assert "Due is “open_round r1”" in refused("import_answers", "r1", lab.answer_file(all_answers(lab)))
    run("open_round", "r1")
    for step in ("open_round", "publish", "score"):
        assert "Due is “close_round r1”: 44 sheets are still missing." in refused(step, "r1")
    assert "Due is “close_round r1”" in refused("export", "r1", "--out", lab.folder / "out")
    assert not (lab.folder / "out").exists()
    assert "are fixed when it opens" in refused("import_clips", "r1", lab.manifest())
    assert "Due is “close_round r1”" in refused("blind", "r1")
    run("import_answers", "r1", lab.answer_file(all_answers(lab)))
    run("close_round", "r1")
    assert "Due is “publish r1”" in refused("close_round", "r1")
    run("publish", "r1")
    assert "Nothing is due any more" in refused("publish", "r1")


def test_a_cell_without_an_outcome_keeps_the_round_from_opening(run: Run, refused: Run, lab: Lab) -> None:
    lab.rows.remove(lab.row("beta", "r01-lift"))
    run("load_protocol", CORE_R01)
    run("create_round", "r1", "--protocol", "core-r01@1.0.0")
    assert "Not generated yet: beta/r01-lift/1" in run("import_clips", "r1", lab.manifest())
    run("blind", "r1")
    run("set_cohort", "r1", *REVIEWERS)
    assert "beta/r01-lift/1 has no outcome yet" in refused("open_round", "r1")
    run("mark_cell", "r1", "--configuration", "beta", "--scene", "r01-lift", "--outcome", "not_generated",
        "--reason", "ran out of time")  # fmt: skip
    run("open_round", "r1")
    run("import_answers", "r1", lab.answer_file(lab.answers(REVIEWERS)))
    run("close_round", "r1")
    lines = {line["configuration"]: line for line in json.loads(run("score", "r1", "--json"))["leaderboard"]}
    assert lines["beta"]["rank"] is None
    assert lines["beta"]["unranked_because"] == "r01-lift not generated"
    assert lines["alpha"]["rank"] == 1


class TestAnswersFromElsewhere:
    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            ({"event": "maybe"}, "row 2: event: 'maybe' is not an answer; allowed are yes, no, unclear"),
            ({"sound": "6"}, "row 2: sound: '6' is not an answer"),
            ({"people": ""}, "row 2: people: the answer is missing"),
            ({"cause": "na:no_event"}, "row 2: cause: N/A (no_event) is allowed only when 'event' was answered 'no'"),
            ({"event": "na:no_event"}, "row 2: event: this question is never N/A in this scene"),
            ({"cause": "na"}, "row 2: cause: an N/A needs its reason"),
            ({"reviewer": "z@example.org"}, "row 2, reviewer: 'z@example.org' is not in the cohort of this round"),
            ({"scene": "nowhere"}, "row 2: the round has no cell alpha/nowhere/1"),
            ({"configuration": "gamma", "scene": "r01-toast"}, "row 2: gamma/r01-toast/1 brought no clip"),
            ({"replicate": "one"}, "row 2, replicate: 'one' is not a whole number"),
            ({"scene": "r01-squat"}, "row 3: "),
        ],
    )
    def test_one_bad_row_and_nothing_is_imported(
        self, refused: Run, lab: Lab, opened: None, change: dict[str, str], expected: str
    ) -> None:
        rows = lab.answers(REVIEWERS)
        rows[0] |= change
        path = lab.answer_file(rows)
        before = AuditEntry.objects.count()
        said = refused("import_answers", "r1", path)
        assert str(path) in said
        assert expected in said
        assert (AnswerSheet.objects.count(), Answer.objects.count()) == (0, 0)
        assert AuditEntry.objects.count() == before

    def test_every_fault_is_named(self, refused: Run, lab: Lab, opened: None) -> None:
        rows = lab.answers(REVIEWERS)
        rows[0]["event"], rows[4]["sound"], rows[7]["reviewer"] = "maybe", "9", "z@example.org"
        said = refused("import_answers", "r1", lab.answer_file([*rows, rows[1]]))
        assert "4 faults" in said
        assert [line.split(":")[0].split(",")[0].strip() for line in said.splitlines()[1:]] == [
            "row 2", "row 6", "row 9", f"row {len(rows) + 2}",
        ]  # fmt: skip

    def test_a_second_sheet_is_refused(self, run: Run, refused: Run, lab: Lab, opened: None) -> None:
        rows = lab.answers(REVIEWERS)
        run("import_answers", "r1", lab.answer_file(rows[:1]))
        assert "row 2: " in refused("import_answers", "r1", lab.answer_file(rows))
        assert AnswerSheet.objects.count() == 1

    def test_a_clip_may_be_named_by_its_stimulus_and_a_reviewer_by_code(self, run: Run, lab: Lab, opened: None) -> None:
        key = BlindingKey.objects.select_related("stimulus").get(
            sample__cell__configuration__name="alpha", sample__cell__scene="r01-lift"
        )
        code = Reviewer.objects.get(email=REVIEWERS[0]).code
        path = lab.folder / "by-stimulus.csv"
        path.write_text(
            f"reviewer;stimulus;event;cause;detail;sound;timing;people\n{code};{key.stimulus_id};yes;yes;no;1;2;3\n"
        )
        run("import_answers", "r1", path)
        sheet = AnswerSheet.objects.get()
        assert (sheet.stimulus_id, sheet.source, sheet.playback_measured) == (key.stimulus_id, "imported", False)


class TestClosing:
    def test_missing_sheets_are_named_with_their_reviewers(
        self, run: Run, refused: Run, lab: Lab, opened: None
    ) -> None:
        rows = [row for row in all_answers(lab) if row["reviewer"] != REVIEWERS[3]][:-1]
        run("import_answers", "r1", lab.answer_file(rows))
        said = refused("close_round", "r1")
        assert f"({REVIEWERS[3]}): 11" in said
        assert f"({REVIEWERS[2]}): 1" in said
        assert REVIEWERS[0] not in said

    def test_closing_incomplete_needs_a_reason_and_leaves_the_clip_unscored(
        self, run: Run, lab: Lab, opened: None
    ) -> None:
        rows = [
            r
            for r in all_answers(lab)
            if (r["reviewer"], r["configuration"], r["scene"]) != (REVIEWERS[0], "alpha", "r01-lift")
        ]
        run("import_answers", "r1", lab.answer_file(rows))
        with pytest.raises(CommandError, match="--incomplete needs --reason") as caught:
            call_command("close_round", "r1", "--incomplete")
        assert caught.value.returncode == 2
        run("close_round", "r1", "--incomplete", "--reason", "one reviewer fell ill")
        document = json.loads(run("score", "r1", "--json"))
        alpha = next(line for line in document["leaderboard"] if line["configuration"] == "alpha")
        assert (alpha["rank"], alpha["scenes"]["r01-lift"]["status"]) == (None, "incomplete")
        # Three equal answers stand, and still the clip is not aggregated.
        assert alpha["scenes"]["r01-lift"]["event"] == {
            "consensus": "incomplete", "votes": {"yes": 3, "no": 0, "unclear": 0, "na": 0},
        }  # fmt: skip
        assert document["incomplete_reason"] == "one reviewer fell ill"


class TestReleasing:
    def test_publishing_freezes_the_scores(self, run: Run, closed: None) -> None:
        document = json.loads(run("score", "r1", "--json"))
        assert "/rounds/r1/" in run("publish", "r1")
        release = Release.objects.get()
        assert release.scores == document
        assert not release.demonstration
        with pytest.raises(IntegrityError), transaction.atomic():
            Release.objects.update(scores={})

    def test_the_export_names_protocol_and_digest_on_every_row_and_no_address(
        self, run: Run, lab: Lab, closed: None
    ) -> None:
        out = lab.folder / "deep" / "out"
        run("export", "--round", "r1", "--out", out)
        digest = Round.objects.get(name="r1").protocol.digest
        tables = {path.name: rows_of(path) for path in out.glob("*.csv")}
        assert {name: len(rows) for name, rows in tables.items()} == {
            "answers.csv": 44 * 6, "clips.csv": 12, "configurations.csv": 3, "leaderboard.csv": 3,
        }  # fmt: skip
        assert {row["protocol_digest"] for rows in tables.values() for row in rows} == {digest}
        everything = b"".join(path.read_bytes() for path in out.iterdir())
        assert not any(address.encode() in everything for address in REVIEWERS)
        for line in (out / "SHA256SUMS").read_text().splitlines():
            wanted, name = line.split("  ")
            assert hashlib.sha256((out / name).read_bytes()).hexdigest() == wanted
        assert AuditEntry.objects.filter(action="round exported", round_name="r1").count() == 1

    def test_an_export_does_not_write_over_anything(self, run: Run, refused: Run, lab: Lab, closed: None) -> None:
        assert "not an empty folder" in refused("export", "r1", "--out", lab.folder)
        assert "not an empty folder" in refused("export", "r1", "--out", lab.folder / "manifest.csv")

    def test_cells_that_a_spreadsheet_would_run_are_guarded(self, run: Run, lab: Lab, ready: None) -> None:
        run("create_round", "r2", "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
        lab.rows = [lab.rows[0], {"configuration": "delta", "scene": "r01-lift", "replicate": 1, "outcome": "refused",
                                  "reason": '=HYPERLINK("x")'}]  # fmt: skip
        run("import_clips", "r2", lab.manifest())
        run("blind", "r2")
        run("set_cohort", "r2", *REVIEWERS)
        run("open_round", "r2")
        run("close_round", "r2", "--incomplete", "--reason", "test")
        run("export", "r2", "--out", lab.folder / "out")
        rows = rows_of(lab.folder / "out" / "clips.csv")
        assert [row["reason"] for row in rows if row["configuration"] == "delta"] == ['\'=HYPERLINK("x")']

    def test_a_round_without_all_scenes_has_no_ranks(self, run: Run, lab: Lab, ready: None) -> None:
        run("create_round", "r2", "--protocol", "core-r01@1.0.0", "--scene", "r01-lift")
        lab.rows = lab.rows[:1]
        run("import_clips", "r2", lab.manifest())
        run("blind", "r2")
        run("set_cohort", "r2", *REVIEWERS)
        run("open_round", "r2")
        run("import_answers", "r2", lab.answer_file(lab.answers(REVIEWERS)))
        run("close_round", "r2")
        (line,) = json.loads(run("score", "r2", "--json"))["leaderboard"]
        assert (line["rank"], line["factual_score"]) == (None, "2")

    def test_a_clip_that_a_published_round_has_shown_cannot_enter_another(
        self, run: Run, refused: Run, lab: Lab, closed: None
    ) -> None:
        run("publish", "r1")
        run("create_round", "r2", "--protocol", "core-r01@1.0.0")
        run("import_clips", "r2", lab.manifest())
        run("blind", "r2")
        run("set_cohort", "r2", *REVIEWERS)
        assert "the published round 'r1' has shown this clip already" in refused("open_round", "r2")


class TestOpening:
    def test_a_missing_blind_copy_is_named_and_the_round_stays_closed(self, refused: Run, ready: None) -> None:
        gone = Stimulus.objects.first()
        assert gone is not None
        gone.path.unlink()
        assert f"stimulus {gone.pk}: its blind copy is missing" in refused("open_round", "r1")
        round_ = Round.objects.get(name="r1")
        assert (round_.state, round_.opened_at, round_.protocol.frozen_at) == ("blinding", None, None)

    def test_opening_freezes_the_protocol_and_stores_an_order_for_each(self, opened: None) -> None:
        round_ = Round.objects.get(name="r1")
        assert round_.protocol.frozen_at is not None
        orders = [list(member.assignments.values_list("stimulus_id", flat=True)) for member in round_.members.all()]
        assert all(sorted(order) == sorted(orders[0]) for order in orders)
        assert len({tuple(order) for order in orders}) == 4

    def test_invites_are_shown_once_on_base_url_and_kept_as_hashes(self, run: Run, ready: None, settings: Any) -> None:
        said = run("set_cohort", "r1", *REVIEWERS)
        links = [word for word in said.split() if word.startswith("http")]
        assert len(links) == 4
        assert all(link.startswith(settings.BASE_URL + "/i/") for link in links)
        tokens = {link.rstrip("/").rpartition("/")[2] for link in links}
        assert not tokens & set(Invite.objects.values_list("token_hash", flat=True))


def test_a_changed_protocol_under_the_same_version_is_refused(run: Run, refused: Run, tmp_path: Path) -> None:
    run("load_protocol", CORE_R01)
    assert "is loaded" in run("load_protocol", CORE_R01)
    text = (CORE_R01 / "protocol.yaml").read_text(encoding="utf-8")
    (tmp_path / "protocol.yaml").write_text(text.replace("Mostly fake", "Rather fake"), encoding="utf-8")
    assert "A changed protocol is a new version" in refused("load_protocol", tmp_path)


@pytest.mark.parametrize("words", [["score"], ["score", "a", "--round", "b"], ["blind"], ["import_clips", "m.csv"]])
def test_wrong_use_has_status_2(words: list[str]) -> None:
    with pytest.raises(CommandError) as caught:
        call_command(*words)
    assert caught.value.returncode == 2


def test_an_unknown_round_names_those_there_are(run: Run, refused: Run, ready: None) -> None:
    assert "There is no round 'r9'. Rounds: r1." in refused("score", "r9")
