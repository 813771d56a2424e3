"""The ends of a sheet: locked, or unplayable.

One transaction each, and the second try finds the first.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.compiled import CompiledWrite
from fartbench.models import ProtocolVersion, RoundState
from fartbench.protocol import Form, Response, Violation
from fartbench.times import utc
from fartbench.wording import printable
from review.drafts import Draft
from review.ending import hold_open_round, set_locked, set_unplayable
from review.errors import InvalidAnswers, RoundNotOpen, TooManyNotes
from review.models import AnswerSheet, MistakeReport, Reviewer
from review.playback import parse_playback
from review.record import SheetRecord
from review.services.drafts import (
    CHANGED,
    Changes,
    change_draft,
    refuse_other_answers,
    refuse_unplayed,
)
from review.services.held import (
    assignment_in_open_round,
    held_sheet,
    refuse_ended,
    round_of,
    rules_of,
)

MISTAKE_LENGTH = 500
MOST_MISTAKES = 5  # beside one sheet
_locked = CompiledWrite(AnswerSheet, (*CHANGED, "locked_at", "digest"))


@transaction.atomic
def lock_sheet(
    *,
    reviewer: Reviewer,
    stimulus_id: str,
    revision: int | None = None,
    responses: Changes | None = None,
    playback: Mapping[str, Any] | None = None,
    keep_impression: bool = False,
) -> AnswerSheet:
    """Lock a sheet and return it; one that is locked already with the same answers is returned as
    it is.

    Last changes may come along, as in `save_draft`; without a ``revision`` they apply to what is
    stored, whatever it is. ``keep_impression`` is for a page that sends everything at once, its
    first impression too. Raises InvalidAnswers when an answer is missing or breaks a rule,
    NotPlayed when the player measured too little, LockedOtherwise when it was locked with other
    answers, and the refusals of `save_draft`.
    """
    assignment = assignment_in_open_round(reviewer, stimulus_id)
    hold_open_round(round_of(assignment))
    sheet = held_sheet(assignment)
    rules = rules_of(assignment)
    if sheet.locked_at is not None:
        refuse_other_answers(sheet, rules, responses or {})
        return sheet
    refuse_ended(sheet)
    based_on = sheet.revision if revision is None else revision
    keeps = keep_impression and sheet.impression_at is None and bool(rules.first_impression)
    draft = change_draft(sheet, rules, based_on, responses or {}, playback, keep_impression=keeps)
    _refuse_incomplete(sheet, rules, draft, responses or {})
    refuse_unplayed(sheet, rules)
    end_as_locked(
        sheet, reviewer.code, round_of(assignment).protocol, draft.responses, timezone.now()
    )
    _locked.update(sheet)
    record_lock(sheet, reviewer.code, round_of(assignment).name)
    return sheet


def _refuse_incomplete(sheet: AnswerSheet, rules: Form, draft: Draft, sent: Changes) -> None:
    """Raise InvalidAnswers when an answer is missing or breaks a rule, or when the first impression
    is not kept yet. What was ``sent`` counts even where the draft could not take it.
    """
    given = {question: response for question, response in sent.items() if response}
    if faults := rules.violations({**draft.responses, **given}):
        raise InvalidAnswers(faults)
    if rules.first_impression and sheet.impression_at is None:
        words = "the first impression is not kept yet"
        raise InvalidAnswers([Violation(key, words) for key in rules.first_impression])


def end_as_locked(
    sheet: AnswerSheet,
    code: str,
    protocol: ProtocolVersion,
    responses: Mapping[str, Response],
    at: datetime,
) -> None:
    """Set what a lock sets on ``sheet``; the caller saves it, and the database's guard then looks
    at the answers.
    """
    set_locked(sheet, sheet_record(sheet, code, protocol, responses, at), at)
    sheet.set_aside_at = None


def sheet_record(
    sheet: AnswerSheet,
    code: str,
    protocol: ProtocolVersion,
    responses: Mapping[str, Response],
    at: datetime,
) -> SheetRecord:
    """Return what a lock at this time fixes."""
    return SheetRecord(
        reviewer=code,
        stimulus=sheet.stimulus_id,
        protocol_digest=protocol.digest,
        scene=sheet.stimulus.scene,
        source=sheet.source,
        responses=responses,
        locked_at=utc(at),
    )


def record_lock(sheet: AnswerSheet, code: str, round_name: str) -> None:
    """Write the audit entry of a lock."""
    audit.record(
        "sheet locked",
        actor=code,
        round_name=round_name,
        stimulus=sheet.stimulus_id,
        digest=sheet.digest,
        source=sheet.source,
        started_at=utc(sheet.started_at),
        impression_at=utc(sheet.impression_at),
    )


@transaction.atomic
def report_unplayable(
    *, reviewer: Reviewer, stimulus_id: str, reason: str, playback: Mapping[str, Any] | None = None
) -> AnswerSheet:
    """End a sheet because its clip will not play; answers of its draft go. The second report finds
    the first.

    Raises AlreadyLocked, and the refusals of `save_draft`.
    """
    assignment = assignment_in_open_round(reviewer, stimulus_id)
    hold_open_round(round_of(assignment))
    sheet = held_sheet(assignment)
    if sheet.unplayable_at is not None:
        return sheet
    refuse_ended(sheet)
    sheet.answers.all().delete()
    if playback is not None:
        sheet.playback = parse_playback(playback)
    set_unplayable(sheet, reason)
    sheet.set_aside_at = None
    sheet.save()
    audit.record(
        "sheet ended as unplayable",
        actor=reviewer.code,
        round_name=round_of(assignment).name,
        stimulus=sheet.stimulus_id,
        ended_at=utc(sheet.unplayable_at),
    )
    return sheet


def report_mistake(*, sheet: AnswerSheet, text: str) -> MistakeReport:
    """Keep one line about a mistake beside a locked sheet, which stays as it is.

    Raises RoundNotOpen once the round is closed, and TooManyNotes.
    """
    with transaction.atomic():
        AnswerSheet.objects.select_for_update(no_key=True).get(pk=sheet.pk)
        if sheet.stimulus.round.state != RoundState.REVIEWING:
            raise RoundNotOpen(sheet.stimulus.round.name)
        if sheet.mistake_reports.count() >= MOST_MISTAKES:
            raise TooManyNotes(
                f"{MOST_MISTAKES} mistakes are noted beside this sheet. Tell staff what is missing."
            )
        report = MistakeReport.objects.create(
            sheet=sheet, text=printable(" ".join(text.split()))[:MISTAKE_LENGTH]
        )
        audit.record(
            "mistake reported",
            actor=sheet.reviewer.code,
            round_name=sheet.stimulus.round.name,
            stimulus=sheet.stimulus_id,
        )
    return report
