"""Work that takes long: rows that say what is due, claimed one by one by any worker.

A claim is a compare-and-set with a lease. The worker renews it while it works; when the worker is
killed the lease runs out and another takes the job up. A handler may therefore run twice and must
not mind.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pkgutil import resolve_name
from typing import Any

from django.conf import settings
from django.db import OperationalError, connection, models, transaction
from django.utils import timezone

from fartbench.errors import Refusal
from fartbench.media.errors import MediaToolDied
from fartbench.models import Job, JobState, WorkerBeat
from fartbench.storage import StorageAway, StorageFull

LEASE = timedelta(seconds=20)
RENEW_EVERY_S = 5.0
FORGOTTEN_AFTER = timedelta(days=2)
# After these waits a job that failed for a passing reason is tried again; then it stays failed,
# with its words.
RETRY_AFTER = (timedelta(seconds=2), timedelta(seconds=15), timedelta(seconds=60))
# Faults of the machine and not of the work.
PASSING = (OperationalError, StorageAway, StorageFull, MediaToolDied, OSError)

Report = Callable[[float], None]
Handler = Callable[[str, Report], None]

# What workers can be set apart for: orders to providers, questions to them, files, answers of AI
# judges.
SUBMIT, POLL, MEDIA, JUDGE = QUEUES = ("submit", "poll", "media", "judge")

_handlers: dict[str, str] = {}
_queues: dict[str, str] = {}
_wakers: list[str] = []


class NotYet(Exception):
    """What a handler raises when its work cannot be done now: due again after ``seconds``, and no
    try is spent.
    """

    def __init__(self, seconds: float) -> None:
        super().__init__(f"in {seconds:g} s")
        self.seconds = seconds


def register(kind: str, handler: str, *, queue: str = MEDIA) -> None:
    """Say which function does jobs of ``kind``, by its dotted path: it is imported with the first
    job, so that commands without jobs start quickly.

    It is a Handler: it gets the subject's key and a function that takes progress from 0 to 1.
    ``queue``, one of QUEUES, is where Celery's workers are woken for it.
    """
    _handlers[kind], _queues[kind] = handler, queue


def kinds_of(queues: Collection[str]) -> list[str]:
    """Return the kinds of jobs that belong to these queues."""
    return [kind for kind, queue in _queues.items() if queue in queues]


def enqueue(kind: str, subjects: list[Any], *, round_name: str = "") -> None:
    """Make a job for each subject that has none, set failed ones due again, and wake the workers.

    What is waiting, running or done stays as it is.
    """
    now = timezone.now()
    keys = [str(subject) for subject in subjects]
    Job.objects.bulk_create(
        [Job(kind=kind, subject=key, round_name=round_name, due_at=now) for key in keys],
        ignore_conflicts=True,
    )
    failed = Job.objects.filter(kind=kind, subject__in=keys, state=JobState.FAILED)
    failed.update(state=JobState.DUE, due_at=now, attempts=0, error="")
    wake(kind, len(keys))


def forget(kind: str, *, round_name: str) -> None:
    """Drop the jobs of a kind and round: what they made was thrown away and can be asked for
    again.
    """
    Job.objects.filter(kind=kind, round_name=round_name).delete()


def wake(kind: str, messages: int = 1) -> None:
    """Tell Celery's workers, where there are any, that jobs of a kind are due.

    Losing the message loses nothing.
    """
    if settings.CELERY_BROKER_URL:
        for _ in range(messages):
            # Robust: a broker that is away must not undo or fail what has just been committed.
            transaction.on_commit(lambda: _wake(_queues[kind]), robust=True)


def _wake(queue: str) -> None:
    for path in _wakers:
        resolve_name(path)(queue)


def wake_with(path: str) -> None:
    """Say which function wakes one worker of a queue, by its dotted path: Celery is imported with
    the first message.
    """
    _wakers[:] = [path]


@dataclass(frozen=True)
class Claim:
    """A job that this process holds."""

    job: Job
    lease: str

    def row(self) -> models.QuerySet[Job]:
        """The job's row, as long as it is still held."""
        return Job.objects.filter(pk=self.job.pk, state=JobState.RUNNING, lease=self.lease)


def claim_next(queues: Collection[str] = QUEUES, *, round_name: str | None = None) -> Claim | None:
    """Take the job of these queues that has been due longest, or return None. Of two that try for
    one, one gets it.

    ``round_name`` narrows it down to the jobs of one round.
    """
    now = timezone.now()
    due = Job.objects.filter(
        state__in=(JobState.DUE, JobState.RUNNING), due_at__lte=now, kind__in=kinds_of(queues)
    )
    if round_name is not None:
        due = due.filter(round_name=round_name)
    for job in due.order_by("due_at", "pk")[:20]:
        lease = secrets.token_hex(16)
        taken = Job.objects.filter(
            pk=job.pk, state=job.state, lease=job.lease, due_at=job.due_at
        ).update(
            state=JobState.RUNNING,
            lease=lease,
            lease_until=now + LEASE,
            due_at=now + LEASE,  # when the lease runs out it is due again
            attempts=job.attempts + 1,
            progress=0,
        )
        if taken:
            job.refresh_from_db()
            return Claim(job, lease)
    return None


def run(claim: Claim, *, alive: Callable[[], None] = lambda: None) -> None:
    """Do a claimed job and store how it ended. Only a fault of the program itself is raised, after
    it was stored.

    ``alive`` is called every few seconds in the meantime, from another thread: a worker that is
    busy is not away.
    """
    try:
        with _kept_alive(claim, alive):
            handler: Handler = resolve_name(_handlers[claim.job.kind])
            handler(claim.job.subject, lambda part: _note_progress(claim, part))
    except NotYet as later:
        due_at = timezone.now() + timedelta(seconds=later.seconds)
        claim.row().update(state=JobState.DUE, due_at=due_at, attempts=claim.job.attempts - 1)
    except PASSING as error:
        _try_again(claim, str(error) or type(error).__name__)
    except Refusal as refusal:
        claim.row().update(state=JobState.FAILED, error=str(refusal))
    except Exception as error:
        claim.row().update(
            state=JobState.FAILED, error=f"A fault of the program: {type(error).__name__}: {error}"
        )
        raise
    else:
        claim.row().update(state=JobState.DONE, progress=1, error="", lease_until=None)


def _try_again(claim: Claim, words: str) -> None:
    tries = claim.job.attempts
    if tries > len(RETRY_AFTER):
        claim.row().update(state=JobState.FAILED, error=words)
    else:
        claim.row().update(
            state=JobState.DUE, due_at=timezone.now() + RETRY_AFTER[tries - 1], error=words
        )


def _note_progress(claim: Claim, part: float) -> None:
    claim.row().update(progress=part)


@contextmanager
def _kept_alive(claim: Claim, alive: Callable[[], None]) -> Iterator[None]:
    """Renew the lease from a second thread while the work continues in this one."""
    done = threading.Event()

    def renew() -> None:
        try:
            while not done.wait(RENEW_EVERY_S):
                until = timezone.now() + LEASE
                claim.row().update(lease_until=until, due_at=until)
                alive()
        finally:
            connection.close()

    thread = threading.Thread(target=renew, name="lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def beat(worker: str, *, queue: str = "") -> None:
    """Note that a worker process is alive, and for which queue it is if it is not for all."""
    now = timezone.now()
    if WorkerBeat.objects.filter(name=worker, queue=queue).update(seen_at=now):
        return
    # Two processes of one name may begin at the same moment.
    WorkerBeat.objects.bulk_create(
        [WorkerBeat(name=worker, queue=queue, seen_at=now)],
        update_conflicts=True,
        unique_fields=["name", "queue"],
        update_fields=["seen_at"],
    )
    # Names hold process ids or a container's host name, and are not used again.
    WorkerBeat.objects.filter(seen_at__lt=now - FORGOTTEN_AFTER).delete()


def last_beat_s() -> float | None:
    """Return how many seconds ago a worker was last seen, or None when none ever was."""
    seen = WorkerBeat.objects.aggregate(seen=models.Max("seen_at"))["seen"]
    if seen is None:
        return None
    return max(0.0, float((timezone.now() - seen).total_seconds()))


def due(queues: Collection[str] = QUEUES) -> int:
    """Return how many jobs of these queues could be claimed now."""
    now = timezone.now()
    due = Job.objects.filter(
        state__in=(JobState.DUE, JobState.RUNNING), due_at__lte=now, kind__in=kinds_of(queues)
    )
    return due.count()


def waiting() -> int:
    """Return how many jobs are waiting or running."""
    return Job.objects.filter(state__in=(JobState.DUE, JobState.RUNNING)).count()
