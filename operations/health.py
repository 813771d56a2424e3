"""How the installation is: workers, queues, disk, clock, backup.

Read by the metrics and by the staff's page.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.models import Count, Max, Min, Q
from django.utils import timezone

from fartbench import jobs
from fartbench.models import AuditEntry, Job, JobState, WorkerBeat

BACKED_UP = "backup made"  # the audit trail's word for it
_UNDONE = (JobState.DUE, JobState.RUNNING, JobState.FAILED)
LEAST_FREE = 64 * 1024 * 1024  # bytes: less than a few clips need


@dataclass(frozen=True, slots=True)
class Queue:
    """One queue.

    ``oldest_s`` is how long its longest-due job has waited, ``seen_s`` how long ago a worker was
    seen.
    """

    name: str
    waiting: int
    running: int
    failed: int
    oldest_s: float | None
    seen_s: float | None


@dataclass(frozen=True, slots=True)
class Disk:
    """The disk that DATA_DIR lies on, in bytes."""

    free: int
    total: int

    @classmethod
    def read(cls) -> Disk:
        """Ask the system."""
        folder = Path(settings.DATA_DIR)
        usage = shutil.disk_usage(folder if folder.exists() else folder.parent)
        return cls(usage.free, usage.total)


@dataclass(frozen=True, slots=True)
class Backup:
    """The last backup: when it was made, and its name."""

    at: datetime
    name: str


def queues() -> list[Queue]:
    """Return the state of each queue, by two queries however many jobs and workers there are."""
    now = timezone.now()
    counts = (
        Job.objects.filter(state__in=_UNDONE)
        .values("kind")
        .annotate(
            waiting=Count("pk", filter=Q(state=JobState.DUE)),
            running=Count("pk", filter=Q(state=JobState.RUNNING)),
            failed=Count("pk", filter=Q(state=JobState.FAILED)),
            oldest=Min("due_at", filter=Q(state=JobState.DUE, due_at__lte=now)),
        )
    )
    by_kind = {row["kind"]: row for row in counts.order_by()}
    seen = dict(WorkerBeat.objects.order_by().values_list("queue").annotate(seen=Max("seen_at")))
    return [_queue(name, by_kind, seen, now) for name in jobs.QUEUES]


def _queue(name: str, by_kind: dict[str, Any], seen: dict[str, datetime], now: datetime) -> Queue:
    rows = [by_kind[kind] for kind in jobs.kinds_of([name]) if kind in by_kind]
    oldest = min((row["oldest"] for row in rows if row["oldest"]), default=None)
    last = max((at for queue, at in seen.items() if queue in (name, "")), default=None)
    totals = {state: sum(row[state] for row in rows) for state in ("waiting", "running", "failed")}
    return Queue(name, **totals, oldest_s=_since(oldest, now), seen_s=_since(last, now))


def _since(at: datetime | None, now: datetime) -> float | None:
    return None if at is None else max(0.0, (now - at).total_seconds())


def last_backup() -> Backup | None:
    """Return the last backup that the audit trail knows of."""
    entry = AuditEntry.objects.filter(action=BACKED_UP).order_by("-sequence").first()
    return Backup(entry.at, str(entry.details.get("name", ""))) if entry else None


def clock_ahead_s() -> float:
    """Return by how many seconds this machine's clock differs from what the database has; 0 when
    nothing is odd.

    With a server of its own the database has a clock. Otherwise the newest audit entry tells a
    clock that went back.
    """
    now = timezone.now()
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT clock_timestamp()")
            there: datetime = cursor.fetchone()[0]
        return (now - there).total_seconds()
    newest = AuditEntry.objects.order_by("-sequence").values_list("at", flat=True).first()
    return min(0.0, (now - newest).total_seconds()) if newest else 0.0


def readiness() -> dict[str, bool]:
    """Say for each part that a request needs whether it is there. Never raises."""
    try:
        connection.ensure_connection()
        executor = MigrationExecutor(connection)
        migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return {"database": False, "migrations": False, "disk": _has_room()}
    return {"database": True, "migrations": migrated, "disk": _has_room()}


def elsewhere() -> dict[str, bool]:
    """Say for each part on the network that the settings name, ``bucket`` or ``broker``, whether it
    answers.

    Never raises; a part that is silent is given up after a few seconds.
    """
    answers = {}
    if "bucket" in settings.STORAGES:
        from fartbench.buckets import bucket_answers  # noqa: PLC0415 - loads an SDK that most installations do without

        answers["bucket"] = bucket_answers()
    if settings.CELERY_BROKER_URL:
        from fartbench.celery import broker_answers  # noqa: PLC0415 - loads Celery

        answers["broker"] = broker_answers()
    return answers


def _has_room() -> bool:
    try:
        return Disk.read().free >= LEAST_FREE
    except OSError:
        return False
