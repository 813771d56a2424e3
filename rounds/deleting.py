"""Deleting a round that came to nothing: one that was never opened, and in which nothing happened
that has to be kept.
"""

from __future__ import annotations

from django.db import transaction

from blinding.models import BlindCopy, Stimulus
from fartbench import audit
from fartbench.models import Job, JobState, Round
from generation.models import (
    Cell,
    Commissioning,
    RawView,
    Sample,
    SampleEvent,
    Submission,
    VerdictWaiver,
)
from judging.models import Judge, JudgeCeiling
from review.models import CohortMember
from rounds.errors import CannotDelete
from rounds.step import BEFORE_OPENING


def why_kept(round_: Round) -> str:
    """Return why a round cannot be deleted, as a sentence; an empty text when it can."""
    if round_.state not in BEFORE_OPENING or round_.opened_at is not None:
        return "It was opened: what its reviewers answered is kept."
    samples = Sample.every.filter(cell__round=round_)
    reasons = (
        (
            Submission.objects.filter(sample__in=samples).exists()
            or SampleEvent.objects.filter(sample__in=samples).exists(),
            "Clips were ordered for it: orders and their costs are kept.",
        ),
        (
            BlindCopy.objects.filter(sample__in=samples).exists()
            or Stimulus.objects.filter(round=round_).exists(),
            "Its blind copies are made.",
        ),
        (
            VerdictWaiver.objects.filter(round=round_).exists(),
            "It continues without experts' verdicts: that decision is kept.",
        ),
        (Judge.objects.filter(round=round_).exists(), "AI judges are frozen for it."),
        (
            RawView.objects.filter(sample__in=samples).exists(),
            "Somebody looked at one of its clips: that is kept.",
        ),
        (
            Job.objects.filter(round_name=round_.name, state=JobState.RUNNING).exists(),
            "Work on it is under way. Try again in a moment.",
        ),
    )
    return next((words for is_so, words in reasons if is_so), "")


@transaction.atomic
def delete_round(*, round_: Round, actor: str) -> None:
    """Delete a round with its cells and its list of reviewers. Files of clips stay in the store.

    Raises CannotDelete, with the reason; then nothing was changed.
    """
    Round.objects.select_for_update().get(pk=round_.pk)
    if reason := why_kept(round_):
        raise CannotDelete(f"Round {round_.name!r} cannot be deleted. {reason}")
    cells = Cell.objects.filter(round=round_)
    audit.record(
        "round deleted",
        actor=actor,
        round_name=round_.name,
        protocol=str(round_.protocol),
        cells=cells.count(),
        reviewers=round_.members.count(),
    )
    Job.objects.filter(round_name=round_.name).delete()
    Sample.every.filter(cell__in=cells).delete()
    cells.delete()
    Commissioning.objects.filter(round=round_).delete()
    JudgeCeiling.objects.filter(round=round_).delete()
    CohortMember.objects.filter(round=round_).delete()
    round_.delete()
