"""Work that failed, and work that waits for a worker, for staff."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count

from fartbench import jobs
from fartbench.models import Job, JobState, Round

# A worker says every few seconds that it is alive.
WORKER_SILENT_S = 30
FAILURES_SHOWN = 200


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with work of one kind, and how many pieces of it failed so."""

    kind: str
    error: str
    count: int


def failed_jobs(round_: Round) -> list[Failure]:
    """Return the work on this round that failed: what went wrong, each thing once, the most
    frequent first.
    """
    failed = Job.objects.filter(round_name=round_.name, state=JobState.FAILED).order_by()
    found = (
        failed.values_list("kind", "error")
        .annotate(count=Count("pk"))
        .order_by("-count", "kind", "error")
    )
    return [Failure(*row) for row in found[:FAILURES_SHOWN]]


@dataclass(frozen=True, slots=True)
class Silence:
    """Work is waiting and no worker is there. ``seconds`` is None when none was ever seen."""

    waiting: int
    seconds: int | None


def worker_silence() -> Silence | None:
    """Return what is wrong with the workers, or None when one is alive or nothing waits for one."""
    waiting = jobs.waiting()
    if not waiting:
        return None
    seconds = jobs.last_beat_s()
    if seconds is not None and seconds < WORKER_SILENT_S:
        return None
    return Silence(waiting, None if seconds is None else int(seconds))
