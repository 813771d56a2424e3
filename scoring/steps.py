"""The steps of a round in their order: which one is due, in words."""

from __future__ import annotations

from dataclasses import dataclass

from blinding.services import without_copy
from fartbench.models import Round, RoundState
from fartbench.rounds import StepOutOfOrder
from generation.models import Sample, SampleState
from review.models import CohortMember
from review.selectors import missing_sheets


@dataclass(frozen=True)
class Step:
    """A step of a round. ``command`` is what to run; ``words`` say why it is due."""

    command: str
    words: str


def due_step(round_: Round) -> Step | None:
    """Return the step that brings the round on, or None when it is published."""
    if round_.state == RoundState.PUBLISHED:
        return None
    if round_.state == RoundState.LOCKED:
        return Step("publish", "the round is closed and its scores can be published")
    if round_.state == RoundState.REVIEWING:
        missing = sum(count for _, count in missing_sheets(round_))
        words = f"{missing} sheets are still missing" if missing else "every sheet is locked"
        return Step("close_round", words)
    return _before_opening(round_)


def _before_opening(round_: Round) -> Step:
    samples = Sample.objects.filter(cell__round=round_)
    if not samples.exists():
        return Step("import_clips", "the round has no clips yet")
    if waiting := samples.exclude(state__in=SampleState.outcomes()).count():
        return Step("import_clips", f"{waiting} cells have no outcome yet (“mark_cell” sets one that brought no clip)")
    if without := len(without_copy(round_)):
        return Step("blind", f"{without} clips have no blind copy yet")
    if not CohortMember.objects.filter(round=round_).exists():
        return Step("set_cohort", "no reviewers are named yet")
    return Step("open_round", "everything is there")


def refuse_unless(round_: Round, step: str, *states: RoundState) -> None:
    """Raise StepOutOfOrder, naming the due step, unless the round is in one of ``states``."""
    if round_.state in states:
        return
    due = due_step(round_)
    what_is_due = f"Due is “{due.command} {round_.name}”: {due.words}." if due else "Nothing is due any more."
    raise StepOutOfOrder(
        f"“{step}” is out of order: round {round_.name!r} is “{round_.get_state_display()}”. {what_is_due}"
    )
