"""Two requests at once: one lock, no lost change, no deadlock.

On PostgreSQL they really run beside each other.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from django.db import connection

from fartbench import audit
from fartbench.models import AuditEntry
from fartbench.protocol import Response
from review.errors import AlreadyLocked, BadSheets, LockedOtherwise, StaleDraft
from review.models import AnswerSheet
from review.selectors import next_assignment
from review.services import SheetEntry, enter_sheets, lock_sheet, save_draft
from tests.factories import answers, open_round, reviewers_of

pytestmark = pytest.mark.django_db(transaction=True)


def at_once(*calls: Callable[[], Any]) -> list[Any]:
    """Run the calls in threads that start together; return what each gave or raised."""
    barrier = Barrier(len(calls))

    def run(call: Callable[[], Any]) -> Any:
        try:
            barrier.wait()
            return call()
        except Exception as error:  # noqa: BLE001 - the tests look at what was raised
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(run, calls))


def test_of_many_locks_at_once_one_is_stored_and_the_others_are_refused() -> None:
    round_ = open_round(configurations=1, scenes=["r01-lift"])
    rae = reviewers_of(round_)[0]
    due = next_assignment(rae, round_)
    assert due is not None
    given = [answers(sound=str(number)) for number in (1, 2, 3, 4)]
    got = at_once(
        *(
            lambda responses=responses: lock_sheet(
                reviewer=rae, stimulus_id=due.stimulus_id, responses=responses
            )
            for responses in given
        )
    )
    sheet = AnswerSheet.objects.get()
    assert sheet.locked_at is not None
    assert [each.digest for each in got if isinstance(each, AnswerSheet)] == [sheet.digest]
    refusals = [each for each in got if isinstance(each, LockedOtherwise)]
    assert [refusal.stored for refusal in refusals] == [sheet.responses()] * 3
    assert AuditEntry.objects.filter(action="sheet locked").count() == 1


def test_drafts_at_once_one_wins_and_the_others_are_told() -> None:
    round_ = open_round(configurations=1, scenes=["r01-lift"])
    rae = reviewers_of(round_)[0]
    due = next_assignment(rae, round_)
    assert due is not None
    values = ["yes", "no", "unclear"]
    got = at_once(
        *(
            lambda value=value: save_draft(
                reviewer=rae,
                stimulus_id=due.stimulus_id,
                revision=0,
                responses={"event": Response(value=value)},
            )
            for value in values
        )
    )
    stored = AnswerSheet.objects.get()
    won = [draft for draft in got if not isinstance(draft, Exception)]
    assert len(won) == 1 and won[0].responses == stored.responses()
    assert sum(isinstance(each, StaleDraft) for each in got) == 2
    assert stored.revision == 1


def test_a_lock_and_a_change_at_once_leave_a_sheet_that_is_what_was_locked() -> None:
    round_ = open_round(configurations=3, scenes=["r01-lift", "r01-toast"])
    rae = reviewers_of(round_)[0]
    for _ in range(6):
        due = next_assignment(rae, round_)
        assert due is not None
        name = due.stimulus_id
        save_draft(reviewer=rae, stimulus_id=name, revision=0, responses=answers())
        locked, changed = at_once(
            lambda name=name: lock_sheet(reviewer=rae, stimulus_id=name, responses={}),
            lambda name=name: save_draft(
                reviewer=rae, stimulus_id=name, revision=1, responses={"sound": Response(value="1")}
            ),
        )
        assert not isinstance(locked, Exception)
        was_late = isinstance(changed, AlreadyLocked | StaleDraft)
        assert was_late or not isinstance(changed, Exception)
        stored = AnswerSheet.objects.get(stimulus=name).responses()["sound"].value
        assert stored == ("4" if was_late else "1")


def test_an_import_and_locks_at_once_neither_block_each_other_nor_double_a_sheet() -> None:
    round_ = open_round(configurations=2, scenes=["r01-lift", "r01-toast"])
    people = reviewers_of(round_)
    stimuli = list(round_.stimuli.all())
    due = [next_assignment(person, round_) for person in people]
    entries = [SheetEntry(person, stimulus, answers()) for person in people for stimulus in stimuli]
    got = at_once(
        lambda: enter_sheets(round=round_, entries=entries, source="imported"),
        *(
            lambda person=person, each=each: lock_sheet(
                reviewer=person, stimulus_id=each.stimulus_id, responses=answers()
            )
            for person, each in zip(people, due, strict=True)
            if each
        ),
    )
    assert isinstance(got[0], BadSheets) or len(got[0]) == 16
    assert not any(isinstance(each, Exception) for each in got[1:])
    sheets = AnswerSheet.objects.filter(locked_at__isnull=False)
    assert sheets.count() == AuditEntry.objects.filter(action="sheet locked").count() >= 4
    assert list(audit.faults()) == []
