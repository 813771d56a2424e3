"""The rows that a change of a sheet stands on, read and held in one order, so that no two changes wait in a ring.

The order is: round (only for what ends a sheet), then sheet, then the head of the audit trail.
"""

from __future__ import annotations

from blinding.models import Stimulus
from fartbench.compiled import CompiledQuery, Part, stored_parts
from fartbench.models import ProtocolVersion, Round, RoundState
from fartbench.protocol import Form
from review.errors import (
    AlreadyLocked,
    AlreadyUnplayable,
    FormsMissing,
    NotYetDue,
    NotYourAssignment,
    RoundNotOpen,
)
from review.models import AnswerSheet, Assignment, CohortMember, Reviewer
from review.models import Form as FormRow

_PARTS = (
    Part(Assignment),
    Part(Stimulus, "stimulus__"),
    Part(CohortMember, "member__"),
    Part(Round, "member__round__"),
    Part(ProtocolVersion, "member__round__protocol__", out=("content",)),
)
_assignment = CompiledQuery(
    lambda reviewer, stimulus: (
        Assignment.objects.filter(stimulus=stimulus, member__reviewer=reviewer, member__left_at=None)
        .filter(stimulus__retirement=None)
        .order_by()
        .values_list(*(column for part in _PARTS for column in part.columns))
    )
)
_round_state = CompiledQuery(lambda pk: Round.objects.select_for_update(no_key=True).filter(pk=pk).values_list("state"))
_SHEET = Part(AnswerSheet)
_sheet = CompiledQuery(
    lambda reviewer, stimulus: (
        AnswerSheet.objects.select_for_update(no_key=True)
        .filter(reviewer=reviewer, stimulus=stimulus)
        .order_by()
        .values_list(*_SHEET.columns)
    )
)


def assignment_in_open_round(reviewer: Reviewer, stimulus_id: str) -> Assignment:
    """Return the reviewer's assignment with stimulus, member, round and protocol.

    Raises NotYourAssignment, or RoundNotOpen.
    """
    rows = _assignment.rows(reviewer=reviewer.pk, stimulus=stimulus_id)
    if not rows:
        raise NotYourAssignment
    assignment: Assignment
    assignment, stimulus, member, round_, protocol = stored_parts(rows[0], _PARTS)
    round_.protocol, member.round, stimulus.round = protocol, round_, round_
    assignment.stimulus, assignment.member = stimulus, member
    if assignment.member.round.state != RoundState.REVIEWING:
        raise RoundNotOpen(assignment.member.round.name)
    return assignment


def hold_open_round(assignment: Assignment) -> None:
    """Keep the round from being closed until this transaction ends. Raises RoundNotOpen."""
    if _round_state.rows(pk=round_of(assignment).pk) != [(RoundState.REVIEWING,)]:
        raise RoundNotOpen(round_of(assignment).name)


def round_of(assignment: Assignment) -> Round:
    """Return the round of an assignment."""
    return assignment.member.round


def rules_of(assignment: Assignment) -> Form:
    """Return the form that an assignment's stimulus is answered on."""
    return round_of(assignment).protocol.form(assignment.stimulus.form_key)


def held_sheet(assignment: Assignment) -> AnswerSheet:
    """Return the sheet of an assignment, locked against other changes, made when there is none.

    Raises NotYetDue when there is none and an earlier clip of the order is still to be done.
    """
    if sheet := _stored_sheet(assignment):
        return sheet
    if waiting_before(assignment):
        raise NotYetDue
    new = AnswerSheet(reviewer_id=assignment.member.reviewer_id, stimulus=assignment.stimulus, form=_form(assignment))
    AnswerSheet.objects.bulk_create([new], ignore_conflicts=True)  # two tabs may come at once: one sheet for both
    sheet = _stored_sheet(assignment)
    assert sheet is not None  # noqa: S101 - it was made above, or by the other tab
    return sheet


def _stored_sheet(assignment: Assignment) -> AnswerSheet | None:
    rows = _sheet.rows(reviewer=assignment.member.reviewer_id, stimulus=assignment.stimulus_id)
    if not rows:
        return None
    sheet: AnswerSheet = _SHEET.stored(rows[0])
    sheet.stimulus = assignment.stimulus
    return sheet


def refuse_ended(sheet: AnswerSheet) -> None:
    """Raise AlreadyLocked or AlreadyUnplayable when ``sheet`` takes no change any more."""
    if sheet.locked_at is not None:
        raise AlreadyLocked
    if sheet.unplayable_at is not None:
        raise AlreadyUnplayable


def waiting_before(assignment: Assignment) -> bool:
    """Say whether an earlier clip of the order has neither been ended nor set aside."""
    done = AnswerSheet.objects.filter(reviewer=assignment.member.reviewer_id).exclude(
        locked_at=None, unplayable_at=None, set_aside_at=None
    )
    earlier = Assignment.objects.filter(member=assignment.member_id, position__lt=assignment.position)
    return earlier.filter(stimulus__retirement=None).exclude(stimulus__in=done.values("stimulus")).exists()


def _form(assignment: Assignment) -> FormRow:
    protocol = round_of(assignment).protocol
    form = FormRow.objects.filter(protocol=protocol, scene=assignment.stimulus.form_key).first()
    if form is None:
        raise FormsMissing(f"The forms of {protocol} are not written; open the round with “open_round”.")
    return form
