"""The rows that a change of a sheet depends on, read and locked in one order, so that no two
changes wait in a ring.

The order is: round (only for what ends a sheet), then sheet, then the head of the audit trail.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Exists, QuerySet

from blinding.models import Stimulus
from fartbench.compiled import CompiledQuery, CompiledWrite, Part, stored_parts
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
    Part(Stimulus, "stimulus__", only=("id", "round_id", "scene", "form", "facts")),
    Part(CohortMember, "member__", only=("id", "round_id", "reviewer_id")),
    Part(Round, "member__round__", only=("id", "name", "protocol_id", "state")),
    Part(ProtocolVersion, "member__round__protocol__", only=("id", "name", "version", "digest")),
)
_assignment = CompiledQuery(
    lambda reviewer, stimulus: (
        Assignment.objects.filter(
            stimulus=stimulus, member__reviewer=reviewer, member__left_at=None
        )
        .filter(stimulus__retirement=None)
        .order_by()
        .values_list(*(column for part in _PARTS for column in part.columns))
    )
)
_SHEET = Part(AnswerSheet)
_sheet = CompiledQuery(
    lambda reviewer, stimulus: (
        AnswerSheet.objects.select_for_update(no_key=True)
        .filter(reviewer=reviewer, stimulus=stimulus)
        .order_by()
        .values_list(*_SHEET.columns)
    )
)
_new_sheets = CompiledWrite(AnswerSheet, tuple(_SHEET.names[1:]), "DO NOTHING")


def _form_and_wait(
    protocol: int, form: str, reviewer: int, member: int, position: int
) -> QuerySet[FormRow, Any]:
    """Select the form of this key, and whether an earlier clip of the order has neither been ended
    nor set aside.
    """
    done = AnswerSheet.objects.filter(reviewer=reviewer).exclude(
        locked_at=None, unplayable_at=None, set_aside_at=None
    )
    earlier = Assignment.objects.filter(
        member=member, position__lt=position, stimulus__retirement=None
    )
    waits = Exists(earlier.exclude(stimulus__in=done.values("stimulus")))
    return (
        FormRow.objects.filter(protocol=protocol, scene=form)
        .annotate(waits=waits)
        .values_list("pk", "waits")
    )


_form = CompiledQuery(_form_and_wait)


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
    _new_sheets.insert(_new_sheet(assignment))  # two tabs may come at once: one sheet for both
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


def _new_sheet(assignment: Assignment) -> AnswerSheet:
    """Return a new sheet on the form of the assignment's clip. Raises FormsMissing, or
    NotYetDue.
    """
    member, protocol = assignment.member, round_of(assignment).protocol
    rows = _form.rows(
        protocol=protocol.pk,
        form=assignment.stimulus.form_key,
        reviewer=member.reviewer_id,
        member=member.pk,
        position=assignment.position,
    )
    if not rows:
        raise FormsMissing(
            f"The forms of {protocol} are not written, so nothing can be answered. Tell the person "
            "who invited you."
        )
    form, others_wait = rows[0]
    if others_wait:
        raise NotYetDue
    return AnswerSheet(reviewer_id=member.reviewer_id, stimulus=assignment.stimulus, form_id=form)
