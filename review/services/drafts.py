"""Drafts: every change is saved at once, and nobody overwrites what is newer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench.compiled import CompiledQuery, CompiledWrite
from fartbench.protocol import Form, Response, Violation
from review.drafts import Draft
from review.errors import InvalidAnswers, LockedOtherwise, NotPlayed, StaleDraft, ToolsTooSoon
from review.models import Answer, AnswerSheet, Reviewer
from review.playback import is_played, parse_playback
from review.services.held import assignment_in_open_round, held_sheet, refuse_ended, rules_of

Changes = Mapping[str, Response | None]
CHANGED = ("revision", "set_aside_at", "playback", "changed_at", "impression_at")
_changed = CompiledWrite(AnswerSheet, CHANGED)
_answers = CompiledQuery(
    lambda sheet: Answer.objects.filter(sheet=sheet).values_list("question", "value", "na_reason")
)
_new_answers = CompiledWrite(
    Answer,
    ("sheet_id", "question", "value", "na_reason"),
    "(sheet_id, question) DO UPDATE SET value = EXCLUDED.value, na_reason = EXCLUDED.na_reason",
)


@transaction.atomic
def save_draft(
    *,
    reviewer: Reviewer,
    stimulus_id: str,
    revision: int,
    responses: Changes,
    playback: Mapping[str, Any] | None = None,
    keep_impression: bool = False,
) -> Draft:
    """Store changed answers of a draft (None clears one) and what the player measured; return what
    is stored then.

    ``revision`` is the one that the changes were made on (0 before the first save). What was stored
    may be older: then StaleDraft is raised with what is there, unless that already says the same,
    as after an answer that got lost. An answer that the changes make impossible is cleared and
    named. With ``keep_impression`` the first impression is kept unchanged after the changes;
    before that nothing else may be answered. Raises InvalidAnswers, NotPlayed, ToolsTooSoon,
    SheetEnded, and the refusals of `held.assignment_in_open_round` and `held.held_sheet`.
    """
    assignment = assignment_in_open_round(reviewer, stimulus_id)
    sheet = held_sheet(assignment)
    refuse_ended(sheet)
    draft = change_draft(
        sheet, rules_of(assignment), revision, responses, playback, keep_impression=keep_impression
    )
    _changed.update(sheet)
    return draft


def change_draft(
    sheet: AnswerSheet,
    rules: Form,
    revision: int,
    changes: Changes,
    playback: Mapping[str, Any] | None,
    *,
    keep_impression: bool = False,
) -> Draft:
    """Apply changes to a sheet that the caller's transaction holds, and that the caller saves; see
    `save_draft`.
    """
    refuse_impossible(rules, changes)
    stored = {
        question: Response(value, reason)
        for question, value, reason in _answers.rows(sheet=sheet.pk)
    }
    wanted = rules.completed(_merged(stored, changes))
    permitted = rules.permitted(wanted)
    cleared = tuple(question for question in wanted if question not in permitted)
    if revision != sheet.revision:
        if permitted != stored or (keep_impression and sheet.impression_at is None):
            raise StaleDraft(_draft(sheet, stored, ()))
        return _draft(sheet, stored, cleared)
    refuse_out_of_turn(sheet, rules, stored, permitted, keep_impression)
    _write_answers(sheet, stored, permitted)
    sheet.revision += 1
    sheet.set_aside_at = None
    if playback is not None:
        sheet.playback = parse_playback(playback)
    _mind_impression(sheet, rules, keep_impression)
    return _draft(sheet, permitted, cleared)


def refuse_out_of_turn(
    sheet: AnswerSheet,
    rules: Form,
    stored: Mapping[str, Response],
    kept: Mapping[str, Response],
    keep_impression: bool,
) -> None:
    """Raise InvalidAnswers when a kept first impression changes, or when something else is answered
    before it.
    """
    first = rules.first_impression
    if sheet.impression_at is not None:
        changed = [key for key in first if kept.get(key) != stored.get(key)]
        faults = [Violation(key, "the first impression stays as it was given") for key in changed]
    elif keep_impression:
        faults = [Violation(key, "the answer is missing") for key in first if key not in kept]
    else:
        early = [key for key in kept if first and key not in first and rules.asks(key)]
        faults = [Violation(key, "the first impression comes before it") for key in early]
    if faults:
        raise InvalidAnswers(faults)


def _mind_impression(sheet: AnswerSheet, rules: Form, keep_impression: bool) -> None:
    """Keep the first impression when that is asked for and the clip was played; until then no tool
    may be used.
    """
    if not rules.first_impression or sheet.impression_at is not None:
        return
    if sheet.playback.get("tool_uses"):
        raise ToolsTooSoon
    if keep_impression:
        refuse_unplayed(sheet, rules)
        sheet.impression_at = timezone.now()


def refuse_unplayed(sheet: AnswerSheet, rules: Form) -> None:
    """Raise NotPlayed when the player measured less than the protocol asks for; what nothing
    measured may pass.
    """
    asked, duration = rules.protocol.playback, float(sheet.stimulus.facts["duration_s"])
    if sheet.playback_measured and not is_played(
        sheet.playback,
        duration=duration,
        full_plays=asked.full_plays,
        fraction=asked.played_fraction,
    ):
        raise NotPlayed(asked.full_plays)


@transaction.atomic
def set_aside(*, reviewer: Reviewer, stimulus_id: str) -> None:
    """Leave a sheet for later, so that the next clip is due. Its draft stays.

    Raises as `save_draft` does.
    """
    sheet = held_sheet(assignment_in_open_round(reviewer, stimulus_id))
    refuse_ended(sheet)
    sheet.set_aside_at = timezone.now()
    sheet.save(update_fields=["set_aside_at", "changed_at"])


def refuse_other_answers(sheet: AnswerSheet, rules: Form, changes: Changes) -> None:
    """Raise LockedOtherwise when a locked sheet would be another one with these changes."""
    stored = sheet.responses()
    wanted = rules.completed(_merged(stored, changes))
    if different := [key for key in rules.keys if wanted.get(key) != stored.get(key)]:
        raise LockedOtherwise(stored, different)


def refuse_impossible(rules: Form, changes: Changes) -> None:
    """Raise InvalidAnswers for an unknown question, or an answer that could not stand beside any
    others.
    """
    wrong = {
        key: given for key, given in changes.items() if given and (key, given) not in rules.possible
    }
    unknown = [
        Violation(key, "there is no such question") for key in changes if key not in rules.keys
    ]
    faults = [
        *unknown,
        *(
            fault
            for fault in rules.violations(wrong, complete=False)
            if fault.question in rules.keys
        ),
    ]
    if faults:
        raise InvalidAnswers(faults)


def _merged(stored: Mapping[str, Response], changes: Changes) -> dict[str, Response]:
    return {
        key: response for key, response in {**stored, **changes}.items() if response is not None
    }


def _write_answers(
    sheet: AnswerSheet, stored: Mapping[str, Response], kept: Mapping[str, Response]
) -> None:
    gone = [question for question in stored if question not in kept]
    new = [key for key, response in kept.items() if stored.get(key) != response]
    if gone:
        Answer.objects.filter(sheet=sheet, question__in=gone).delete()
    if new:
        _new_answers.insert(
            *(
                Answer(
                    sheet=sheet, question=key, value=kept[key].value, na_reason=kept[key].na_reason
                )
                for key in new
            )
        )


def _draft(sheet: AnswerSheet, responses: dict[str, Response], cleared: tuple[str, ...]) -> Draft:
    return Draft(
        sheet.revision, responses, cleared, sheet.playback, sheet.impression_at is not None
    )
