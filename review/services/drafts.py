"""Drafts: every change is saved at once, and nobody overwrites what is newer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench.protocol import Form, Response, Violation
from review.errors import InvalidAnswers, StaleDraft
from review.models import Answer, AnswerSheet, Reviewer
from review.playback import parse_playback
from review.services.held import assignment_in_open_round, held_sheet, refuse_ended, rules_of

Changes = Mapping[str, Response | None]
CHANGED = ("revision", "set_aside_at", "playback", "changed_at")


@dataclass(frozen=True, slots=True)
class Draft:
    """What is stored of a draft; ``cleared`` names the questions whose answer had to go because it is not allowed."""

    revision: int
    responses: dict[str, Response]
    cleared: tuple[str, ...]
    playback: dict[str, Any]


@transaction.atomic
def save_draft(
    *,
    reviewer: Reviewer,
    stimulus_id: str,
    revision: int,
    responses: Changes,
    playback: Mapping[str, Any] | None = None,
) -> Draft:
    """Store changed answers of a draft (None clears one) and what the player measured; return what is stored then.

    ``revision`` is the one that the changes were made on (0 before the first save). What was stored may be older: then
    StaleDraft is raised with what is there, unless that already says the same, as after an answer that got lost.
    An answer that the changes make impossible is cleared and named. Raises InvalidAnswers, SheetEnded, and the
    refusals of `held.assignment_in_open_round` and `held.held_sheet`.
    """
    assignment = assignment_in_open_round(reviewer, stimulus_id)
    sheet = held_sheet(assignment)
    refuse_ended(sheet)
    draft = change_draft(sheet, rules_of(assignment), revision, responses, playback)
    sheet.save(update_fields=CHANGED)
    return draft


def change_draft(
    sheet: AnswerSheet, rules: Form, revision: int, changes: Changes, playback: Mapping[str, Any] | None
) -> Draft:
    """Apply changes to a sheet that the caller's transaction holds, and that the caller saves; see `save_draft`."""
    refuse_impossible(rules, changes)
    stored = sheet.responses()
    wanted = _merged(stored, changes)
    kept = rules.permitted(wanted)
    cleared = tuple(question for question in wanted if question not in kept)
    if revision != sheet.revision:
        if kept != stored:
            raise StaleDraft(_draft(sheet, stored, ()))
        return _draft(sheet, stored, cleared)
    _write_answers(sheet, stored, kept)
    sheet.revision += 1
    sheet.set_aside_at = None
    if playback is not None:
        sheet.playback = parse_playback(playback)
    return _draft(sheet, kept, cleared)


@transaction.atomic
def set_aside(*, reviewer: Reviewer, stimulus_id: str) -> None:
    """Leave a sheet for later, so that the next clip is due. Its draft stays. Raises as `save_draft` does."""
    sheet = held_sheet(assignment_in_open_round(reviewer, stimulus_id))
    refuse_ended(sheet)
    sheet.set_aside_at = timezone.now()
    sheet.save(update_fields=["set_aside_at", "changed_at"])


def refuse_impossible(rules: Form, changes: Changes) -> None:
    """Raise InvalidAnswers for an unknown question, or an answer that could not stand beside any others."""
    possible = {(answer.question, answer.response) for answer in rules.allowed}
    wrong = {key: response for key, response in changes.items() if response and (key, response) not in possible}
    unknown = [Violation(key, "there is no such question") for key in changes if key not in rules.keys]
    faults = [*unknown, *(fault for fault in rules.violations(wrong, complete=False) if fault.question in rules.keys)]
    if faults:
        raise InvalidAnswers(faults)


def _merged(stored: Mapping[str, Response], changes: Changes) -> dict[str, Response]:
    return {key: response for key, response in {**stored, **changes}.items() if response is not None}


def _write_answers(sheet: AnswerSheet, stored: Mapping[str, Response], kept: Mapping[str, Response]) -> None:
    gone = [question for question in stored if question not in kept]
    new = [key for key, response in kept.items() if stored.get(key) != response]
    if gone:
        Answer.objects.filter(sheet=sheet, question__in=gone).delete()
    if new:
        Answer.objects.bulk_create(
            (Answer(sheet=sheet, question=key, value=kept[key].value, na_reason=kept[key].na_reason) for key in new),
            update_conflicts=True,
            unique_fields=["sheet", "question"],
            update_fields=["value", "na_reason"],
        )


def _draft(sheet: AnswerSheet, responses: dict[str, Response], cleared: tuple[str, ...]) -> Draft:
    return Draft(sheet.revision, responses, cleared, sheet.playback)
