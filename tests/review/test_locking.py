"""Drafts and the two ends of a sheet."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from fartbench import audit
from fartbench.models import AuditEntry, Round, RoundState
from fartbench.protocol import Response
from review.errors import (
    AlreadyLocked,
    AlreadyUnplayable,
    BadPlayback,
    InvalidAnswers,
    LockedOtherwise,
    NotPlayed,
    NotYetDue,
    NotYourAssignment,
    RoundNotOpen,
    StaleDraft,
    TooManyNotes,
)
from review.models import Answer, AnswerSheet, Assignment, MistakeReport, Retirement, Reviewer
from review.selectors import next_assignment
from review.services import (
    lock_sheet,
    plan_orders,
    report_mistake,
    report_unplayable,
    save_draft,
    set_aside,
    write_forms,
)
from review.services.locking import MOST_MISTAKES
from tests import factories
from tests.factories import answers, full_playback, open_round, reviewers_of
from tests.streamav.small import FOLDER

pytestmark = pytest.mark.django_db

YES, NO, UNCLEAR = Response(value="yes"), Response(value="no"), Response(value="unclear")
NO_EVENT = Response(na_reason="no_event")


@pytest.fixture
def round_() -> Round:
    return open_round()


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def first(round_: Round, rae: Reviewer) -> str:
    assignment = next_assignment(rae, round_)
    assert assignment is not None
    return assignment.stimulus_id


def save(reviewer: Reviewer, stimulus_id: str, revision: int, **changes: Any) -> Any:
    return save_draft(
        reviewer=reviewer, stimulus_id=stimulus_id, revision=revision, responses=changes
    )


def test_each_change_is_stored_and_counted(rae: Reviewer, first: str) -> None:
    assert save(rae, first, 0, event=YES).revision == 1
    draft = save(rae, first, 1, cause=UNCLEAR)
    assert draft.revision == 2
    assert draft.responses == {"event": YES, "cause": UNCLEAR}
    assert save(rae, first, 2, event=None).responses == {"cause": UNCLEAR}


def test_an_answer_that_is_no_longer_allowed_is_cleared_and_named(
    rae: Reviewer, first: str
) -> None:
    save(rae, first, 0, event=NO, cause=NO_EVENT, people=Response(na_reason="no_people_visible"))
    draft = save(rae, first, 1, event=YES)
    assert draft.cleared == ("cause",)
    assert set(draft.responses) == {"event", "people"}
    assert not Answer.objects.filter(sheet__stimulus=first, question="cause").exists()


@pytest.mark.parametrize(
    "changes",
    [
        {"sound": Response(value="99")},
        {"event": NO_EVENT},
        {"cause": Response(na_reason="no_sound")},
        {"colour": YES},
        {"sound": YES},
    ],
)
def test_what_could_never_stand_is_refused_and_changes_nothing(
    rae: Reviewer, first: str, changes: dict[str, Response]
) -> None:
    save(rae, first, 0, event=YES)
    with pytest.raises(InvalidAnswers, match=next(iter(changes))):
        save(rae, first, 1, detail=NO, **changes)
    assert AnswerSheet.objects.get().responses() == {"event": YES}


def test_a_stale_draft_is_refused_with_what_is_stored(rae: Reviewer, first: str) -> None:
    save(rae, first, 0, event=YES)
    save(rae, first, 1, event=NO)
    with pytest.raises(StaleDraft) as refusal:
        save(rae, first, 1, event=UNCLEAR)
    assert refusal.value.current.revision == 2
    assert refusal.value.current.responses == {"event": NO}
    assert AnswerSheet.objects.get().responses() == {"event": NO}


def test_a_retry_whose_answer_got_lost_is_told_what_it_saved(rae: Reviewer, first: str) -> None:
    save(rae, first, 0, event=YES)
    again = save(rae, first, 0, event=YES)
    assert (again.revision, again.responses) == (1, {"event": YES})


def test_a_lock_stores_a_digest_and_an_audit_entry_and_keeps_the_answers(
    rae: Reviewer, first: str
) -> None:
    sheet = lock_sheet(
        reviewer=rae, stimulus_id=first, responses=answers(), playback=full_playback()
    )
    stored = AnswerSheet.objects.get()
    assert stored.locked_at is not None and stored.digest == sheet.digest
    entry = AuditEntry.objects.get(action="sheet locked")
    assert (entry.actor, entry.details["digest"]) == (rae.code, sheet.digest)
    assert list(audit.faults()) == []
    with pytest.raises(AlreadyLocked):
        save(rae, first, stored.revision, event=NO)
    with pytest.raises(IntegrityError), transaction.atomic():
        Answer.objects.update(value="no", na_reason=None)


@pytest.mark.parametrize("given", [answers(), {}, {"event": YES}], ids=["all", "none", "one"])
def test_the_second_lock_with_the_same_answers_gets_the_first_back(
    rae: Reviewer, first: str, given: Any
) -> None:
    sheet = lock_sheet(reviewer=rae, stimulus_id=first, responses=answers())
    again = lock_sheet(reviewer=rae, stimulus_id=first, revision=0, responses=given)
    assert (again.pk, again.digest) == (sheet.pk, sheet.digest)
    assert AuditEntry.objects.filter(action="sheet locked").count() == 1


@pytest.mark.parametrize(
    ("given", "different"),
    [
        (answers(event="no"), ["event"]),
        (answers(sound="1", people="2"), ["sound", "people"]),
        (answers(cause="na:no_event"), ["cause"]),
        ({"sound": NO}, ["sound"]),
        ({"people": None}, ["people"]),
        ({"event": None, "cause": None}, ["event", "cause"]),
    ],
)
def test_the_second_lock_with_other_answers_is_refused_with_what_is_stored(
    rae: Reviewer, first: str, given: Any, different: list[str]
) -> None:
    sheet = lock_sheet(reviewer=rae, stimulus_id=first, responses=answers())
    with pytest.raises(LockedOtherwise, match=f"answers to: {', '.join(different)}") as refusal:
        lock_sheet(reviewer=rae, stimulus_id=first, revision=0, responses=given)
    assert refusal.value.stored == answers()
    stored = AnswerSheet.objects.get()
    assert (stored.digest, stored.responses()) == (sheet.digest, answers())
    assert AuditEntry.objects.filter(action="sheet locked").count() == 1


def test_of_a_window_too_the_second_lock_with_other_answers_is_refused() -> None:
    made = factories.make_round(
        protocol=factories.make_protocol(FOLDER), scenes=["sheepdog-hill-i"]
    )
    window = factories.make_stimulus(
        made, scene="sheepdog-hill-i", form="update-video", unit="update", place="P1"
    )
    factories.make_cohort(made)
    write_forms(made.protocol, made.scenes)
    plan_orders(round=made, factors={window.pk: "factor"}, effort=0.1)
    Round.objects.filter(pk=made.pk).update(state=RoundState.REVIEWING, opened_at=timezone.now())
    reviewer = factories.reviewers_of(made)[0]
    texts = {
        "video_started": "yes",
        "video_onset_latency": "1",
        "video_target_latency": "1.5",
        "video_fulfilment": "4",
    }
    given = {question: Response.parse(text) for question, text in texts.items()}
    sheet = lock_sheet(reviewer=reviewer, stimulus_id=window.pk, responses=given)
    assert (
        lock_sheet(reviewer=reviewer, stimulus_id=window.pk, responses=given).digest == sheet.digest
    )
    with pytest.raises(LockedOtherwise, match="video_fulfilment"):
        lock_sheet(
            reviewer=reviewer,
            stimulus_id=window.pk,
            responses=given | {"video_fulfilment": Response("3", None)},
        )


def test_a_lock_on_an_old_revision_is_refused(rae: Reviewer, first: str) -> None:
    save(rae, first, 0, **answers())
    save(rae, first, 1, event=NO)
    with pytest.raises(StaleDraft):
        lock_sheet(reviewer=rae, stimulus_id=first, revision=1, responses=answers())
    assert AnswerSheet.objects.get().locked_at is None


def test_an_incomplete_sheet_names_what_is_missing_and_keeps_the_draft(
    rae: Reviewer, first: str
) -> None:
    save(rae, first, 0, event=YES, cause=YES)
    with pytest.raises(InvalidAnswers, match="detail: the answer is missing"):
        lock_sheet(reviewer=rae, stimulus_id=first)
    sheet = AnswerSheet.objects.get()
    assert (sheet.locked_at, set(sheet.responses())) == (None, {"event", "cause"})


def test_a_lock_with_a_forbidden_na_names_the_rule_and_stores_nothing(
    rae: Reviewer, first: str
) -> None:
    with pytest.raises(InvalidAnswers, match="cause: N/A"):
        lock_sheet(reviewer=rae, stimulus_id=first, responses=answers(cause="na:no_event"))
    assert not AnswerSheet.objects.exists()


def test_measured_playback_must_amount_to_a_full_play(rae: Reviewer, first: str) -> None:
    for covered in ([], [[[0, 0.6]]], [[[0, 0.3], [0.6, 1.2]]]):
        with pytest.raises(NotPlayed):
            lock_sheet(
                reviewer=rae,
                stimulus_id=first,
                responses=answers(),
                playback={"covered": covered, "plays": 3},
            )
    halves = {"covered": [[[0, 0.61], [0.6, 1.2]]], "plays": 2}
    assert lock_sheet(
        reviewer=rae, stimulus_id=first, responses=answers(), playback=halves
    ).playback_measured


def test_a_sheet_without_a_player_says_so(rae: Reviewer, first: str) -> None:
    assert not lock_sheet(reviewer=rae, stimulus_id=first, responses=answers()).playback_measured


def test_a_playback_report_of_another_shape_is_refused(rae: Reviewer, first: str) -> None:
    for report in (
        {"fonts": ["a"]},
        {"errors": ["x" * 500]},
        {"volume": 3},
        {"covered": [[[0, 1]] * 100]},
    ):
        with pytest.raises(BadPlayback):
            save_draft(reviewer=rae, stimulus_id=first, revision=0, responses={}, playback=report)
    assert not AnswerSheet.objects.exists()


def test_unplayable_is_an_end_and_keeps_no_answers(
    rae: Reviewer, first: str, round_: Round
) -> None:
    save(rae, first, 0, event=YES)
    sheet = report_unplayable(reviewer=rae, stimulus_id=first, reason="  black \n picture ")
    assert (sheet.unplayable_reason, sheet.answers.count()) == ("black picture", 0)
    assert (
        report_unplayable(reviewer=rae, stimulus_id=first, reason="other").unplayable_reason
        == "black picture"
    )
    with pytest.raises(AlreadyUnplayable):
        lock_sheet(reviewer=rae, stimulus_id=first, responses=answers())
    due = next_assignment(rae, round_)
    assert due is not None and due.stimulus_id != first


def test_clips_cannot_be_skipped_but_set_aside(rae: Reviewer, first: str, round_: Round) -> None:
    second = Assignment.objects.get(member__reviewer=rae, position=2).stimulus_id
    with pytest.raises(NotYetDue):
        save(rae, second, 0, event=YES)
    set_aside(reviewer=rae, stimulus_id=first)
    save(rae, second, 0, event=YES)
    lock_sheet(reviewer=rae, stimulus_id=second, responses=answers())
    for position in range(3, 9):
        stimulus = Assignment.objects.get(member__reviewer=rae, position=position).stimulus_id
        lock_sheet(reviewer=rae, stimulus_id=stimulus, responses=answers())
    due = next_assignment(rae, round_)
    assert due is not None and due.stimulus_id == first


def test_nothing_is_taken_from_strangers_or_into_a_closed_round(round_: Round, first: str) -> None:
    other = reviewers_of(open_round(configurations=1))[0]
    with pytest.raises(NotYourAssignment):
        save(other, first, 0, event=YES)
    with pytest.raises(NotYourAssignment):
        save(other, "no-such-stimulus", 0, event=YES)
    own = reviewers_of(round_)[1]
    due = next_assignment(own, round_)
    assert due is not None
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    for change in (save_draft, lock_sheet):
        with pytest.raises(RoundNotOpen, match=round_.name):
            change(reviewer=own, stimulus_id=due.stimulus_id, revision=0, responses=answers())


def test_a_retired_stimulus_is_nobodys(rae: Reviewer, first: str, round_: Round) -> None:
    Retirement.objects.create(
        stimulus_id=first, outcome=Retirement.Outcome.NOT_REVIEWABLE, reason="silent copy"
    )
    with pytest.raises(NotYourAssignment):
        save(rae, first, 0, event=YES)
    due = next_assignment(rae, round_)
    assert due is not None and due.stimulus_id != first


def test_a_mistake_is_kept_beside_a_locked_sheet(rae: Reviewer, first: str) -> None:
    sheet = lock_sheet(reviewer=rae, stimulus_id=first, responses=answers())
    report_mistake(sheet=sheet, text="meant No\nfor the cause")
    stored = AnswerSheet.objects.get()
    assert stored.digest == sheet.digest
    assert [report.text for report in stored.mistake_reports.all()] == ["meant No for the cause"]


def test_mistakes_are_noted_a_few_times_and_not_after_the_close(
    rae: Reviewer, round_: Round, first: str
) -> None:
    lock_sheet(reviewer=rae, stimulus_id=first, responses=answers())

    def report() -> None:
        report_mistake(sheet=AnswerSheet.objects.get(), text="slipped")

    for _ in range(MOST_MISTAKES):
        report()
    with pytest.raises(TooManyNotes):
        report()
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    with pytest.raises(RoundNotOpen):
        report()
    assert (
        MistakeReport.objects.count()
        == AuditEntry.objects.filter(action="mistake reported").count()
        == MOST_MISTAKES
    )
