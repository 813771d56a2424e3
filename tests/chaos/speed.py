"""Measures the commissioning of many clips, on SQLite in a folder of its own, and prints a table.

    python -m tests.chaos.speed [--finished 100000]

Planning 10,000 cells; a dispatcher's turn and a claim with 100 and with many finished rows beside
what is due; one worker process with 200 jobs in flight at the stand-in, and the memory it takes.
"""

# ruff: noqa: PLC0415, T201 - Django can be imported only when its settings are there; a program of its own
from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import psutil

BASE = Path(__file__).resolve().parents[2]


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--finished", type=int, default=100_000)
    finished = parser.parse_args().finished
    with tempfile.TemporaryDirectory(prefix="fartbench-speed-") as folder:
        os.environ.update(
            DJANGO_SETTINGS_MODULE="fartbench.settings", DATA_DIR=folder, DATABASE_URL=f"sqlite:///{folder}/db.sqlite3",
            SECRET_KEY="speed-0123456789-abcdefghijklmnop", CELERY_BROKER_URL="", LOG_LEVEL="ERROR",
        )  # fmt: skip
        import django

        django.setup()
        _measure(finished)
    return 0


def _measure(finished: int) -> None:
    from django.core.management import call_command

    from simulation.stand_ins.providers import StandIn
    from tests.generation.buying import clip_of

    call_command("migrate", verbosity=0)
    call_command(
        "load_protocol", str(BASE / "fixtures" / "protocols" / "core-r01" / "1.0.0"), verbosity=0
    )
    with StandIn(clip_of) as stand_in:
        os.environ["STAND_IN_URL"] = stand_in.url
        _plan()
        _beside(100)
        _beside(finished)
        _in_flight()


def _round(name: str, replicates: int) -> tuple[object, list[object]]:
    from fartbench.rounds import create_round
    from generation.configurations import read_configurations
    from generation.configuring import load_configurations, named
    from tests.generation.buying import freeze

    load_configurations(actor="speed")
    configurations = named(loaded.file.name for loaded in read_configurations())
    round_ = create_round(
        name=name, protocol="core-r01@1.0.0", actor="speed", replicates=replicates
    )
    freeze(round_, configurations)
    return round_, list(configurations)


def _plan() -> None:
    from generation.commissioning import commission

    round_, configurations = _round("many", 100)
    start = time.perf_counter()
    count = commission(round_=round_, configurations=configurations, actor="speed")  # type: ignore[arg-type]
    print(f"planned {count} cells in {time.perf_counter() - start:.1f} s")


def _beside(finished: int) -> None:
    from django.utils import timezone

    from fartbench import jobs
    from fartbench.models import Job, JobState
    from generation.dispatching import ready_samples
    from generation.models import Sample, SampleState

    there = Job.objects.filter(state=JobState.DONE).count()
    rows = (
        Job(kind="look", subject=f"{n}.f", due_at=timezone.now(), state="done")
        for n in range(there, finished)
    )
    Job.objects.bulk_create(rows, batch_size=2000)
    in_flight = Sample.every.filter(provider="fal", state__in=SampleState.in_flight())
    turn = _median(
        lambda: (in_flight.count(), list(ready_samples("fal").order_by("not_before", "pk")[:20]))
    )
    print(
        f"beside {finished} finished jobs: due {1000 * _median(jobs.due):.2f} ms, dispatcher reads "
        f"{1000 * turn:.2f} ms"
    )


def _median(call: Callable[[], object]) -> float:
    times = []
    for _ in range(9):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def _in_flight() -> None:
    """Let one worker bring jobs under way at the stand-in; count how many are there at once, and
    its memory.
    """
    from fartbench.models import Job, Round
    from generation.models import ProviderAccount, Sample, SampleState

    accepted = Sample.objects.filter(cell__round=Round.objects.get(), accepted_at__isnull=False)
    under_way = accepted.filter(state__in=(SampleState.ACCEPTED, SampleState.RUNNING))
    Job.objects.exclude(state="due").delete()
    ProviderAccount.objects.update(max_in_flight=30, min_interval_s=0.0)
    worker = subprocess.Popen([sys.executable, str(BASE / "manage.py"), "work"], cwd=BASE)
    memory, most, peak, start = psutil.Process(worker.pid), 0, 0, time.monotonic()
    try:
        while time.monotonic() - start < 120 and peak < 200:
            most, peak = max(most, memory.memory_info().rss), max(peak, under_way.count())
            time.sleep(0.5)
    finally:
        worker.terminate()
        worker.wait()
    print(
        f"one worker: {peak} jobs in flight at once after {time.monotonic() - start:.0f} s, "
        f"{most / 2**20:.0f} MB"
    )


if __name__ == "__main__":
    sys.exit(main())
