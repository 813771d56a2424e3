"""An open round on the command line: answers from elsewhere, and closing."""

import json
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command
from pytest_django import DjangoDbBlocker

from blinding.models import BlindingKey
from fartbench.models import AuditEntry, Round
from review.models import Answer, AnswerSheet, Reviewer
from tests.commands import Run
from tests.kept import kept_rows
from tests.manifests import Lab
from tests.small_lab import REVIEWERS, all_answers, make_open, small_lab

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _rows(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    with kept_rows(django_db_blocker):
        make_open(small_lab(tmp_path_factory.mktemp("lab")))
        yield


class TestAnswersFromElsewhere:
    @pytest.mark.parametrize(
        ("change", "expected"),
        [
            (
                {"event": "maybe"},
                "row 2: event: 'maybe' is not an answer; allowed are yes, no, unclear",
            ),
            ({"sound": "6"}, "row 2: sound: '6' is not an answer"),
            ({"people": ""}, "row 2: people: the answer is missing"),
            (
                {"cause": "na:no_event"},
                "row 2: cause: N/A (no_event) is allowed only when 'event' was answered 'no'",
            ),
            ({"event": "na:no_event"}, "row 2: event: this question is never N/A in this scene"),
            ({"cause": "na"}, "row 2: cause: an N/A needs its reason"),
            (
                {"reviewer": "z@example.org"},
                "row 2, reviewer: 'z@example.org' is not in the cohort of this round",
            ),
            ({"scene": "nowhere"}, "row 2: the round has no cell alpha/nowhere/1"),
            (
                {"configuration": "gamma", "scene": "r01-toast"},
                "row 2: gamma/r01-toast/1 brought no clip",
            ),
            ({"replicate": "one"}, "row 2, replicate: 'one' is not a whole number"),
            ({"scene": "r01-squat"}, "row 3: "),
        ],
    )
    def test_one_bad_row_and_nothing_is_imported(
        self, refused: Run, lab: Lab, change: dict[str, str], expected: str
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

    def test_every_fault_is_named(self, refused: Run, lab: Lab) -> None:
        rows = lab.answers(REVIEWERS)
        rows[0]["event"], rows[4]["sound"], rows[7]["reviewer"] = "maybe", "9", "z@example.org"
        said = refused("import_answers", "r1", lab.answer_file([*rows, rows[1]]))
        assert "4 faults" in said
        assert [line.split(":")[0].split(",")[0].strip() for line in said.splitlines()[1:]] == [
            "row 2", "row 6", "row 9", f"row {len(rows) + 2}",
        ]  # fmt: skip

    def test_a_second_sheet_is_refused(self, run: Run, refused: Run, lab: Lab) -> None:
        rows = lab.answers(REVIEWERS)
        run("import_answers", "r1", lab.answer_file(rows[:1]))
        assert "row 2: " in refused("import_answers", "r1", lab.answer_file(rows))
        assert AnswerSheet.objects.count() == 1

    def test_a_clip_may_be_named_by_its_stimulus_and_a_reviewer_by_code(
        self, run: Run, lab: Lab
    ) -> None:
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
        assert (sheet.stimulus_id, sheet.source, sheet.playback_measured) == (
            key.stimulus_id,
            "imported",
            False,
        )


class TestClosing:
    def test_missing_sheets_are_named_with_their_reviewers(
        self, run: Run, refused: Run, lab: Lab
    ) -> None:
        rows = [row for row in all_answers(lab) if row["reviewer"] != REVIEWERS[3]][:-1]
        run("import_answers", "r1", lab.answer_file(rows))
        said = refused("close_round", "r1")
        assert f"({REVIEWERS[3]}): 11" in said
        assert f"({REVIEWERS[2]}): 1" in said
        assert REVIEWERS[0] not in said

    def test_closing_incomplete_needs_a_reason_and_leaves_the_clip_unscored(
        self, run: Run, lab: Lab
    ) -> None:
        rows = [
            r
            for r in all_answers(lab)
            if (r["reviewer"], r["configuration"], r["scene"])
            != (REVIEWERS[0], "alpha", "r01-lift")
        ]
        run("import_answers", "r1", lab.answer_file(rows))
        with pytest.raises(CommandError, match="Say why the round is closed") as caught:
            call_command("close_round", "r1", "--incomplete")
        assert caught.value.returncode == 1
        run("close_round", "r1", "--incomplete", "--reason", "one reviewer fell ill")
        document = json.loads(run("score", "r1", "--json"))
        alpha = next(line for line in document["leaderboard"] if line["configuration"] == "alpha")
        assert (alpha["rank"], alpha["scenes"]["r01-lift"]["status"]) == (None, "incomplete")
        # Three equal answers stand, and still the clip is not aggregated.
        assert alpha["scenes"]["r01-lift"]["event"] == {
            "consensus": "incomplete", "votes": {"yes": 3, "no": 0, "unclear": 0, "na": 0},
        }  # fmt: skip
        assert document["incomplete_reason"] == "one reviewer fell ill"


def test_opening_freezes_the_protocol_and_stores_an_order_for_each() -> None:
    round_ = Round.objects.get(name="r1")
    assert round_.protocol.frozen_at is not None
    orders = [
        list(member.assignments.values_list("stimulus_id", flat=True))
        for member in round_.members.all()
    ]
    assert all(sorted(order) == sorted(orders[0]) for order in orders)
    assert len({tuple(order) for order in orders}) == 4
