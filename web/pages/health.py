"""How the installation is, in sentences that say what to do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.db import connection
from django.utils import timezone

from fartbench import database_roles, writeonce
from fartbench.media.sandbox_walls import landlock_version
from operations import health

SILENT_S = 60  # a worker that lives is seen every few seconds
SLOW_S = 300  # a job that waits longer shows that there are too few workers
LITTLE_FREE = 0.1  # of the disk
OLD_BACKUP = timedelta(days=2)
ODD_CLOCK_S = 5.0
SHUTS_THE_NETWORK = 4  # the version of Landlock from which on it does
MB, GB = 1e6, 1e9

State = Literal["good", "warn", "bad"]
MARKS = {"good": "well", "warn": "look at it", "bad": "act"}
WORK_OF = {
    "submit": "orders to providers",
    "poll": "questions to providers",
    "media": "clips and blind copies",
    "judge": "AI judges",
}


@dataclass(frozen=True, slots=True)
class HealthLine:
    """A part of the installation; ``todo`` is empty when nothing is to be done."""

    part: str
    state: State
    words: str
    todo: str = ""

    @property
    def mark(self) -> str:
        """The state as a word, so that colour is not needed to see it."""
        return MARKS[self.state]


def health_lines() -> list[HealthLine]:
    """Return all that staff looks at, from a fixed number of queries."""
    queues = [_queue(queue) for queue in health.queues()]
    parts = [_database(), _guards(), *_elsewhere(health.elsewhere()), _disk(health.Disk.read())]
    return [*queues, *parts, _backup(), _clock(health.clock_ahead_s()), _media(landlock_version())]


def _queue(queue: health.Queue) -> HealthLine:
    part = f"Queue “{queue.name}” ({WORK_OF[queue.name]})"
    jobs = queue.waiting + queue.running + queue.failed
    depth = (
        f"{queue.waiting} waiting, {queue.running} running, {queue.failed} failed."
        if jobs
        else "Nothing to do."
    )
    seen = (
        "No worker was ever seen."
        if queue.seen_s is None
        else f"A worker was seen {span(queue.seen_s)} ago."
    )
    if queue.oldest_s is not None:
        depth += f" The oldest has been due for {span(queue.oldest_s)}."
    alive = queue.seen_s is not None and queue.seen_s < SILENT_S
    if not alive and queue.waiting + queue.running:
        todo = (
            "Start one: “manage.py work”, or with Redis “celery -A fartbench.celery worker -Q "
            f"{queue.name}”."
        )
        return HealthLine(part, "bad", f"{seen} {depth}", todo)
    if queue.oldest_s is not None and queue.oldest_s > SLOW_S:
        return HealthLine(part, "warn", f"{seen} {depth}", "Start more workers for this queue.")
    if queue.failed:
        return HealthLine(
            part, "warn", f"{seen} {depth}", "The pages of the rounds say what failed and why."
        )
    return HealthLine(part, "good", f"{seen} {depth}")


def _database() -> HealthLine:
    if not health.readiness()["migrations"]:
        return HealthLine("Database", "bad", "Migrations are waiting.", "Run “manage.py migrate”.")
    return HealthLine(
        "Database", "good", f"{connection.display_name} answers, and every migration is there."
    )


def _guards() -> HealthLine:
    """Say whether the database refuses to change what people locked, for this process too."""
    if missing := writeonce.missing():
        words = f"{len(missing)} guards are missing: locked answers and releases could be changed."
        return HealthLine("Guards", "bad", words, "Run “manage.py set_up”, then “verify_data”.")
    if powers := database_roles.faults():
        words = f"Every guard is there, but {powers[0]}."
        return HealthLine("Guards", "warn", words, "Give owner and program two database roles.")
    return HealthLine(
        "Guards", "good", "The database refuses to change locked answers and releases."
    )


def _elsewhere(answers: dict[str, bool]) -> list[HealthLine]:
    lines = [_storage(answers.get("bucket"))]
    if answers.get("broker"):
        lines.append(HealthLine("Messages", "good", "The broker answers, and wakes workers."))
    elif "broker" in answers:
        words = "The broker does not answer: workers are not woken. No job is lost."
        todo = "Start it, or correct CELERY_BROKER_URL; work then continues by itself."
        lines.append(HealthLine("Messages", "bad", words, todo))
    return lines


def _storage(bucket_answers: bool | None) -> HealthLine:
    part = "Clips and copies"
    if bucket_answers is None:
        return HealthLine(part, "good", "They are kept in the data folder of this machine.")
    if bucket_answers:
        return HealthLine(part, "good", "They are kept in a bucket, which answers.")
    words = (
        "The bucket does not answer, or refuses: clips that this machine has not fetched cannot be "
        "played."
    )
    return HealthLine(
        part, "bad", words, "Look at the service and at the S3 settings; answers are still saved."
    )


def _disk(disk: health.Disk) -> HealthLine:
    words = f"{size(disk.free)} of {size(disk.total)} are free."
    if disk.free < health.LEAST_FREE:
        return HealthLine(
            "Disk", "bad", words, "Make room at once: answers cannot be saved when it is full."
        )
    if disk.free < LITTLE_FREE * disk.total:
        return HealthLine(
            "Disk", "warn", words, "Make room, or move the data folder to a larger disk."
        )
    return HealthLine("Disk", "good", words)


def _backup() -> HealthLine:
    last, todo = health.last_backup(), "Run “manage.py backup FOLDER”, best every night."
    if last is None:
        return HealthLine("Backup", "bad", "No backup was ever made.", todo)
    age = timezone.now() - last.at
    words = f"The last one, {last.name}, was made {span(age.total_seconds())} ago."
    return HealthLine(
        "Backup", "warn" if age > OLD_BACKUP else "good", words, todo if age > OLD_BACKUP else ""
    )


def _clock(ahead_s: float) -> HealthLine:
    if abs(ahead_s) < ODD_CLOCK_S:
        return HealthLine("Clock", "good", "This machine and the database agree on the time.")
    words = (
        f"This machine's clock is {span(abs(ahead_s))} {'ahead of' if ahead_s > 0 else 'behind'} "
        "the database's."
    )
    return HealthLine(
        "Clock",
        "bad",
        words,
        "Set both by a time service (NTP): leases and waiting times depend on it.",
    )


def _media(version: int) -> HealthLine:
    """Say how far the child that reads media is shut in on this machine; ``version`` is that of
    Landlock.
    """
    part = "Reading of media"
    if version >= SHUTS_THE_NETWORK:
        words = (
            "On this machine clips are read without network, secrets or programs; only their "
            "copies are written."
        )
        return HealthLine(part, "good", words)
    lacks = (
        "Landlock (Linux 5.13)"
        if not version
        else "the newer Landlock (Linux 6.7), which shuts the network"
    )
    words = (
        f"This machine's kernel lacks {lacks}: a clip that attacks its decoder could reach more "
        "than it should."
    )
    return HealthLine(
        part,
        "warn",
        words,
        "Use a newer kernel for what does the “media” queue, or take clips you trust.",
    )


def span(seconds: float) -> str:
    """Return a length of time in the unit that fits: “40 seconds”, “3 hours”."""
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return f"{int(seconds // length)} {unit}s"
    return f"{int(seconds)} second{'' if int(seconds) == 1 else 's'}"


def size(count: int) -> str:
    """Return a number of bytes in MB or GB."""
    return f"{count / GB:.1f} GB" if count >= GB else f"{count / MB:.0f} MB"
