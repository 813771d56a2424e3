"""The state of the installation in Prometheus' text format."""

from __future__ import annotations

from collections.abc import Iterator

from django.db.models import Count
from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from fartbench.models import AuditHead, Round, RoundState
from operations import health


class _Installation(Collector):
    """Reads all figures anew at each scrape, so that any web process answers the same."""

    def collect(self) -> Iterator[GaugeMetricFamily]:
        yield from _queues()
        disk, backup = health.Disk.read(), health.last_backup()
        yield _gauge("fartbench_disk_free_bytes", "Free on the disk of DATA_DIR.", disk.free)
        yield _gauge("fartbench_disk_size_bytes", "Size of the disk of DATA_DIR.", disk.total)
        made_at = backup.at.timestamp() if backup else 0
        yield _gauge(
            "fartbench_last_backup_timestamp_seconds",
            "When the last backup was made; 0 if never.",
            made_at,
        )
        parts = GaugeMetricFamily(
            "fartbench_part_answers", "Whether it answers: 1 or 0.", labels=["part"]
        )
        for part, answers in health.elsewhere().items():
            parts.add_metric([part], answers)
        yield parts
        yield _gauge(
            "fartbench_clock_ahead_seconds", "How far this clock is ahead.", health.clock_ahead_s()
        )
        head = AuditHead.objects.filter(pk=1).first() or AuditHead()
        yield _gauge("fartbench_audit_entries", "Entries of the audit trail.", head.sequence)
        rounds = GaugeMetricFamily("fartbench_rounds", "Rounds by state.", labels=["state"])
        counted = dict(Round.objects.order_by().values_list("state").annotate(Count("pk")))
        for state in RoundState:
            rounds.add_metric([state.value], counted.get(state.value, 0))
        yield rounds


def _queues() -> Iterator[GaugeMetricFamily]:
    waiting = GaugeMetricFamily(
        "fartbench_jobs", "Jobs that are not done.", labels=["queue", "state"]
    )
    oldest = GaugeMetricFamily(
        "fartbench_oldest_due_job_seconds", "How long the longest-due job waits.", labels=["queue"]
    )
    seen = GaugeMetricFamily(
        "fartbench_worker_seen_seconds", "Since a worker was last seen.", labels=["queue"]
    )
    for queue in health.queues():
        for state in ("waiting", "running", "failed"):
            waiting.add_metric([queue.name, state], getattr(queue, state))
        oldest.add_metric([queue.name], queue.oldest_s or 0)
        seen.add_metric([queue.name], float("inf") if queue.seen_s is None else queue.seen_s)
    yield from (waiting, oldest, seen)


def _gauge(name: str, words: str, value: float) -> GaugeMetricFamily:
    return GaugeMetricFamily(name, words, value=value)


def exposition() -> bytes:
    """Return all figures as text (format 0.0.4), those of this web process included.

    Holds no name of anybody.
    """
    registry = CollectorRegistry()
    registry.register(_Installation())
    ProcessCollector(registry=registry)
    return generate_latest(registry)
