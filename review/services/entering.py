"""Whole sheets at once, for answers collected elsewhere and for scripted reviewers: the same checks
as the form's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from itertools import islice

from django.db import transaction
from django.utils import timezone

from blinding.models import Stimulus
from fartbench.models import Round, RoundState
from fartbench.protocol import Response
from review.errors import BadSheets, FormsMissing, RoundNotOpen
from review.models import Answer, AnswerSheet, Assignment, CohortMember, Form, Reviewer
from review.services.locking import end_as_locked, record_lock

ROWS_PER_STATEMENT = 200


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """One whole sheet; ``label`` says where it came from ("row 7") in the words of a fault."""

    reviewer: Reviewer
    stimulus: Stimulus
    responses: Mapping[str, Response]
    label: str = ""
    at: datetime | None = None


def enter_sheet(
    *,
    reviewer: Reviewer | CohortMember,
    stimulus: Stimulus,
    responses: Mapping[str, Response],
    source: str,
    at: datetime | None = None,
) -> AnswerSheet:
    """Enter and lock one whole sheet; see `enter_sheets`."""
    person = reviewer.reviewer if isinstance(reviewer, CohortMember) else reviewer
    return enter_sheets(
        round=stimulus.round,
        entries=[SheetEntry(person, stimulus, responses, at=at)],
        source=source,
    )[0]


@transaction.atomic
def enter_sheets(*, round: Round, entries: Sequence[SheetEntry], source: str) -> list[AnswerSheet]:
    """Enter and lock whole sheets of one round, all or none, in a fixed number of statements and
    one audit entry each.

    Playback was not measured for them. ``source`` is a `Source`. Raises RoundNotOpen, and BadSheets
    with every fault of every entry: not in the cohort or not assigned, a second sheet, a missing,
    wrong or forbidden answer.
    """
    round = Round.objects.select_for_update(no_key=True).select_related("protocol").get(pk=round.pk)
    if round.state != RoundState.REVIEWING:
        raise RoundNotOpen(round.name)
    entries = [_completed(round, entry) for entry in entries]
    if faults := entry_faults(round, entries):
        raise BadSheets("The answers", faults)
    forms = {form.scene: form for form in Form.objects.filter(protocol=round.protocol)}
    if missing := {entry.stimulus.form_key for entry in entries} - set(forms):
        raise FormsMissing(
            f"The forms of {round.protocol} are not written for {', '.join(sorted(missing))}."
        )
    sheets = _drafts(entries, forms, source)
    _lock(round, entries, sheets)
    return sheets


def entry_faults(round: Round, entries: Sequence[SheetEntry]) -> list[str]:
    """Return every fault of the entries in words, in their order; nothing is changed."""
    assigned = set(
        Assignment.objects.filter(
            member__round=round, member__left_at=None, stimulus__retirement=None
        ).values_list("member__reviewer_id", "stimulus_id")
    )
    has_sheet = set(
        AnswerSheet.objects.filter(stimulus__round=round).values_list("reviewer_id", "stimulus_id")
    )
    rules = {
        key: round.protocol.form(key) for key in {entry.stimulus.form_key for entry in entries}
    }
    faults: list[str] = []
    for entry in entries:
        place = (entry.reviewer.pk, entry.stimulus.pk)
        label = entry.label or f"{entry.reviewer.code} on {entry.stimulus.pk}"
        if place not in assigned:
            faults.append(
                f"{label}: this clip is not assigned to {entry.reviewer.code} in round {round}"
            )
        elif place in has_sheet:
            faults.append(f"{label}: {entry.reviewer.code} has a sheet for this clip already")
        has_sheet.add(place)
        form = rules[entry.stimulus.form_key]
        faults += [
            f"{label}: {fault}" for fault in form.violations(form.completed(entry.responses))
        ]
    return faults


def _completed(round: Round, entry: SheetEntry) -> SheetEntry:
    return replace(
        entry, responses=round.protocol.form(entry.stimulus.form_key).completed(entry.responses)
    )


def _drafts(
    entries: Sequence[SheetEntry], forms: Mapping[str, Form], source: str
) -> list[AnswerSheet]:
    sheets = AnswerSheet.objects.bulk_create(
        [
            AnswerSheet(
                reviewer=entry.reviewer,
                stimulus=entry.stimulus,
                form=forms[entry.stimulus.form_key],
                source=source,
            )
            for entry in entries
        ],
        batch_size=ROWS_PER_STATEMENT,
    )
    answers = (
        Answer(sheet=sheet, question=question, value=response.value, na_reason=response.na_reason)
        for sheet, entry in zip(sheets, entries, strict=True)
        for question, response in entry.responses.items()
    )
    while some := list(
        islice(answers, ROWS_PER_STATEMENT)
    ):  # all of a large round at once would fill the memory
        Answer.objects.bulk_create(some)
    return sheets


def _lock(round: Round, entries: Sequence[SheetEntry], sheets: Sequence[AnswerSheet]) -> None:
    now, asks_first = timezone.now(), bool(round.protocol.rules.playback.first_impression)
    for sheet, entry in zip(sheets, entries, strict=True):
        end_as_locked(sheet, entry.reviewer.code, round.protocol, entry.responses, entry.at or now)
        sheet.impression_at = sheet.locked_at if asks_first else None
    AnswerSheet.objects.bulk_update(
        sheets, ["locked_at", "digest", "impression_at"], batch_size=ROWS_PER_STATEMENT
    )
    for sheet, entry in zip(sheets, entries, strict=True):
        record_lock(sheet, entry.reviewer.code, round.name)
