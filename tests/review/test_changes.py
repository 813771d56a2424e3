"""Changes in an open round: another reviewer, one more, a blind copy less or made anew."""

from __future__ import annotations

import pytest

from fartbench.models import AuditEntry, Round, RoundState
from review.errors import CohortRefused, NotYourAssignment, OrdersRefused, RoundNotOpen
from review.models import AnswerSheet, Assignment, Role
from review.progress import missing_sheets
from review.selectors import queue_of
from review.services import add_secondary, lock_sheet, replace_reviewer, retire_stimulus
from tests.factories import (
    answers,
    make_locked_sheet,
    make_staff,
    make_stimulus,
    open_round,
    reviewers_of,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def round_() -> Round:
    return open_round(scenes=["r01-lift", "r01-squat"])


def factors(round_: Round) -> dict[str, str]:
    return {
        name: str(number % 2)
        for number, name in enumerate(round_.stimuli.values_list("id", flat=True))
    }


def test_a_reviewer_who_leaves_is_replaced_and_the_old_sheets_stay_outside(round_: Round) -> None:
    rae, *others = reviewers_of(round_)
    before = {
        other.pk: [item.stimulus_id for item in queue_of(other, round_).items] for other in others
    }
    done = queue_of(rae, round_).items[0].assignment.stimulus
    make_locked_sheet(rae, done)
    link = replace_reviewer(
        round=round_,
        old=rae.code,
        new="New@example.org",
        reason="moved on",
        factors=factors(round_),
        actor="ada",
    )
    cohort = reviewers_of(round_)
    new = next(reviewer for reviewer in cohort if reviewer.code == link.code)
    assert len(cohort) == 4 and rae not in cohort
    assert sorted(item.stimulus_id for item in queue_of(new, round_).items) == sorted(
        factors(round_)
    )
    assert all(
        [item.stimulus_id for item in queue_of(other, round_).items] == before[other.pk]
        for other in others
    )
    assert AnswerSheet.objects.filter(reviewer=rae, locked_at__isnull=False).count() == 1
    assert sum(left for _, left in missing_sheets(round_)) == 16
    with pytest.raises(NotYourAssignment):
        lock_sheet(reviewer=rae, stimulus_id=done.pk, responses=answers())
    entry = AuditEntry.objects.get(action="reviewer replaced")
    assert (entry.details["old"], entry.details["reason"]) == (rae.code, "moved on")


@pytest.mark.parametrize(
    ("old", "new", "reason", "words"),
    [
        ("R-NOBODY", "n@example.org", "x", "not a reviewer of round"),
        ("first", "n@example.org", "  ", "needs a reason"),
        ("first", "second", "x", "already"),
        ("first", "nobody", "x", "not an e-mail address"),
        ("first", "ada@example.org", "x", "staff"),
    ],
)
def test_a_replacement_that_cannot_be_is_refused_and_changes_nothing(
    round_: Round, old: str, new: str, reason: str, words: str
) -> None:
    make_staff("ada")
    people = reviewers_of(round_)
    named = {"first": people[0].email, "second": people[1].email}
    with pytest.raises(CohortRefused, match=words):
        replace_reviewer(
            round=round_,
            old=named.get(old, old),
            new=named.get(new, new),
            reason=reason,
            factors=factors(round_),
            actor="ada",
        )
    assert reviewers_of(round_) == people
    assert Assignment.objects.filter(member__round=round_).count() == 16


def test_a_secondary_reviewer_comes_beside_the_cohort(round_: Round) -> None:
    add_secondary(round=round_, email="s@example.org", factors=factors(round_), actor="ada")
    member = round_.members.get(role=Role.SECONDARY)
    assert queue_of(member.reviewer, round_).total == 4
    assert len(reviewers_of(round_)) == 4
    assert sum(left for _, left in missing_sheets(round_)) == 16


def test_a_clip_that_is_not_reviewable_is_asked_about_no_more(round_: Round) -> None:
    stimulus = round_.stimuli.all()[0]
    make_locked_sheet(reviewers_of(round_)[0], stimulus)
    retire_stimulus(stimulus=stimulus, reason="no picture in any browser", actor="ada")
    assert [left for _, left in missing_sheets(round_)] == [3, 3, 3, 3]
    assert AnswerSheet.objects.get().locked_at is not None
    with pytest.raises(OrdersRefused, match="already"):
        retire_stimulus(stimulus=stimulus, reason="again", actor="ada")


def test_a_new_copy_is_asked_of_all_at_the_end(round_: Round) -> None:
    old = round_.stimuli.filter(scene="r01-lift")[0]
    new = make_stimulus(round_, scene="r01-lift")
    retire_stimulus(stimulus=old, reason="stalls", actor="ada", replacement=new)
    for reviewer in reviewers_of(round_):
        items = queue_of(reviewer, round_).items
        assert items[-1].stimulus_id == new.pk and old.pk not in {
            item.stimulus_id for item in items
        }
    wrong = make_stimulus(round_, scene="r01-squat")
    with pytest.raises(OrdersRefused, match="same round and scene"):
        retire_stimulus(stimulus=new, reason="stalls", actor="ada", replacement=wrong)


def test_a_closed_round_changes_no_more(round_: Round) -> None:
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    with pytest.raises(RoundNotOpen):
        add_secondary(round=round_, email="s@example.org", factors=factors(round_), actor="ada")
    with pytest.raises(RoundNotOpen):
        retire_stimulus(stimulus=round_.stimuli.all()[0], reason="x", actor="ada")
