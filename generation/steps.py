"""The steps that buy a clip: each a job of its own, each a compare-and-set on the sample's row.

A step's job is named after the sample and its turn, and every step ends the turn in the transaction
that makes the next step's job. A job that comes twice, or late, therefore finds another turn and
does nothing; and there is no moment at which a sample under way has no job.
"""

from __future__ import annotations

from datetime import timedelta
from os import environ
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone

from fartbench import audit, jobs
from fartbench.models import Job, JobState
from generation.models import Sample, SampleEvent, SampleState, Submission
from generation.states import may_go

SUBMIT, FIND, LOOK, FETCH = "submit", "find", "look", "fetch"
KINDS = (SUBMIT, FIND, LOOK, FETCH)

# The step that is due in each state in which a worker has something to do.
STEP_OF = {
    SampleState.QUEUED: SUBMIT,
    SampleState.SUBMITTING: SUBMIT,
    SampleState.UNCERTAIN: FIND,
    SampleState.ACCEPTED: LOOK,
    SampleState.RUNNING: LOOK,
    SampleState.OUTPUT_READY: FETCH,
}


def pace() -> float:
    """Return the factor on every wait: the stand-in servers answer in seconds, so nobody waits
    minutes for them.
    """
    if environ.get("STAND_IN_URL", ""):
        return 0.05
    return 1.0


def sample_of(subject: str) -> Sample | None:
    """Return the sample that a job is about, or None when the job's turn is over."""
    key, _, turn = subject.partition(".")
    return (
        Sample.every.select_related("cell__round__protocol", "cell__configuration", "prompt")
        .filter(pk=key, turn=turn)
        .first()
    )


def advance(
    sample: Sample,
    after: SampleState,
    *,
    words: str = "",
    actor: str = audit.SYSTEM,
    submission: Submission | None = None,
    delay_s: float = 0.0,
    **fields: Any,
) -> bool:
    """Take the sample to ``after`` and make the job of the step that is due there, ``delay_s`` from
    now.

    Returns False, and changes nothing, when the sample has moved on in the meantime. Raises
    ValueError for a way that the states do not have.
    """
    before = SampleState(sample.state)
    if not may_go(before, after):
        raise ValueError(f"A sample cannot go from {before} to {after}.")
    with transaction.atomic():
        moved = Sample.every.filter(pk=sample.pk, state=before, turn=sample.turn).update(
            state=after, turn=F("turn") + 1, **fields
        )
        if not moved:
            return False
        if before != after:
            SampleEvent.objects.create(
                sample=sample,
                submission=submission,
                actor=actor,
                before=before,
                after=after,
                words=words,
            )
        sample.state, sample.turn = after, sample.turn + 1
        for name, value in fields.items():
            setattr(sample, name, value)
        if step := STEP_OF.get(after):
            schedule(step, sample, delay_s=delay_s)
    return True


def schedule(kind: str, sample: Sample, *, delay_s: float = 0.0) -> None:
    """Make the job of the sample's turn, and drop the one before the last: its turn is over and it
    is done.
    """
    round_name = sample.cell.round.name
    make_job(kind, f"{sample.pk}.{sample.turn}", delay_s=delay_s, round_name=round_name)
    Job.objects.filter(
        kind__in=KINDS, subject=f"{sample.pk}.{sample.turn - 2}", state=JobState.DONE
    ).delete()


def make_job(kind: str, subject: str, *, delay_s: float, round_name: str = "") -> None:
    """Make a job that is due in ``delay_s`` seconds; one that is there stays, unless it failed."""
    due_at = timezone.now() + timedelta(seconds=delay_s * pace())
    job, made = Job.objects.get_or_create(
        kind=kind, subject=subject, defaults={"due_at": due_at, "round_name": round_name}
    )
    if not made and job.state == JobState.FAILED:
        Job.objects.filter(pk=job.pk, state=JobState.FAILED).update(
            state=JobState.DUE, due_at=due_at, attempts=0, error=""
        )
    if delay_s == 0:
        jobs.wake(kind)


def revive(samples: Any) -> int:
    """Make sure that each sample under way has a job that will run; return how many had none, or a
    failed one.
    """
    revived = 0
    for sample in samples.filter(state__in=list(STEP_OF)).select_related("cell__round"):
        subject, kind = f"{sample.pk}.{sample.turn}", STEP_OF[SampleState(sample.state)]
        alive = Job.objects.filter(
            kind=kind, subject=subject, state__in=(JobState.DUE, JobState.RUNNING)
        ).exists()
        if not alive:
            Job.objects.filter(kind=kind, subject=subject, state=JobState.DONE).delete()
            make_job(kind, subject, delay_s=0, round_name=sample.cell.round.name)
            revived += 1
    return revived
