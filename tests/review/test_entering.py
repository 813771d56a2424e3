"""Whole sheets, progress and what is still missing."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from fartbench import audit
from fartbench.models import AuditEntry, Round, RoundState
from review.errors import BadSheets, RoundNotOpen
from review.models import Answer, AnswerSheet, Source
from review.progress import missing_sheets, progress_of_round
from review.selectors import visible_stimulus
from review.services import SheetEntry, enter_sheets, report_unplayable, save_draft
from tests.factories import answers, make_locked_sheet, make_staff, open_round, reviewers_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    return open_round(scenes=["r01-lift", "r01-squat"])


def entries(round_: Round) -> list[SheetEntry]:
    return [
        SheetEntry(reviewer, stimulus, answers(), label=f"row {number}")
        for number, (reviewer, stimulus) in enumerate(
            (
                (reviewer, stimulus)
                for reviewer in reviewers_of(round_)
                for stimulus in round_.stimuli.all()
            ),
            start=2,
        )
    ]


def test_sheets_come_in_locked_with_digest_audit_and_source(round_: Round) -> None:
    sheets = enter_sheets(round=round_, entries=entries(round_), source=Source.IMPORTED)
    stored = AnswerSheet.objects.all()
    assert (
        len(sheets)
        == 16
        == stored.filter(locked_at__isnull=False, source="imported", playback={}).count()
    )
    assert Answer.objects.count() == 96
    assert len(set(stored.values_list("digest", flat=True))) == 16
    assert AuditEntry.objects.filter(action="sheet locked").count() == 16
    assert list(audit.faults()) == []
    assert missing_sheets(round_) == []


def test_one_bad_row_and_nothing_is_entered_and_every_fault_is_named(round_: Round) -> None:
    given = entries(round_)
    stranger = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    bad = [
        SheetEntry(given[0].reviewer, given[0].stimulus, answers(), label="row 90"),
        SheetEntry(stranger, given[0].stimulus, answers(), label="row 91"),
        SheetEntry(given[1].reviewer, given[1].stimulus, answers(sound="7"), label="row 92"),
    ]
    with pytest.raises(BadSheets) as refusal:
        enter_sheets(round=round_, entries=[*given[:1], *bad], source=Source.IMPORTED)
    words = str(refusal.value)
    assert "row 90" in words and "has a sheet for this clip already" in words
    assert "row 91" in words and "not assigned" in words
    assert "row 92: sound: '7' is not an answer" in words
    assert not AnswerSheet.objects.exists()


def test_a_sheet_or_draft_that_is_there_is_never_entered_over(round_: Round) -> None:
    first = entries(round_)[0]
    make_locked_sheet(first.reviewer, first.stimulus)
    with pytest.raises(BadSheets, match="already"):
        enter_sheets(round=round_, entries=[first], source=Source.IMPORTED)


def test_a_closed_round_takes_nothing(round_: Round) -> None:
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    with pytest.raises(RoundNotOpen):
        enter_sheets(round=round_, entries=entries(round_), source=Source.SIMULATED)


def test_progress_says_how_far_each_is_and_nothing_about_answers(round_: Round) -> None:
    rae, *others = reviewers_of(round_)
    order = [
        assignment.stimulus
        for assignment in rae.memberships.get().assignments.select_related("stimulus")
    ]
    make_locked_sheet(rae, order[0])
    report_unplayable(reviewer=rae, stimulus_id=order[1].pk, reason="black")
    save_draft(
        reviewer=rae, stimulus_id=order[2].pk, revision=0, responses={"event": answers()["event"]}
    )
    with CaptureQueriesContext(connection) as queries:
        first, *rest = progress_of_round(round_)
    assert len(queries) <= 4
    assert (first.code, first.email, first.total) == (rae.code, rae.email, 4)
    assert (first.done, first.locked, first.unplayable, first.drafts, first.unmeasured) == (
        2,
        1,
        1,
        1,
        1,
    )
    assert first.last_activity is not None and first.invite_state == "open"
    assert [each.done for each in rest] == [0, 0, 0] and rest[0].last_activity is None
    assert [(member.reviewer.code, left) for member, left in missing_sheets(round_)] == [
        (rae.code, 2), *((other.code, 4) for other in others),
    ]  # fmt: skip


def test_who_may_play_a_stimulus(round_: Round) -> None:
    rae = reviewers_of(round_)[0]
    stranger = reviewers_of(open_round(configurations=1, scenes=["r01-lift"]))[0]
    stimulus = round_.stimuli.first()
    assert stimulus is not None
    assert visible_stimulus(rae.user, stimulus.pk) == stimulus
    assert visible_stimulus(make_staff(), stimulus.pk) == stimulus
    assert visible_stimulus(stranger.user, stimulus.pk) is None
    assert visible_stimulus(rae.user, "nothing") is None
    round_.members.filter(reviewer=rae).update(sound_checked_at=None)
    assert visible_stimulus(rae.user, stimulus.pk) is None, "no clip opens before the sound check"
    round_.members.update(sound_checked_at=timezone.now())
    assert visible_stimulus(rae.user, stimulus.pk) == stimulus
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    assert visible_stimulus(rae.user, stimulus.pk) is None
