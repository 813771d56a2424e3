"""Buys 100 clips while workers are killed and servers restarted, and compares both sides' books
afterwards.

    python -m tests.chaos.generation [--kills 50] [--minutes 9] [--fault-rate 0.1] [--seed 1]

PostgreSQL, Redis, two Celery workers and the stand-in of every provider, all on this machine.
Workers are killed at random with SIGKILL; Redis and PostgreSQL are restarted twice each. Afterwards
every cell must have an outcome or stand in a state that names what an operator has to do; the
stand-in's own ledger must show no order accepted twice, and none that the product does not know.
Ends with status 1 when any of that does not hold.
"""

# ruff: noqa: PLC0415, PLR0917 - Django can be imported only when its servers run
from __future__ import annotations

import argparse
import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

BASE = Path(__file__).resolve().parents[2]
PATIENCE_S = 900  # beyond the time that a run is meant to take, on a machine that is busy with something else
OPERATOR_STATES = ("blocked", "lost_uncertain")
WORKER = [sys.executable, "-m", "celery", "-A", "fartbench.celery", "worker", "--pool", "prefork",
          "-l", "error",
          "--concurrency", "2", "--without-gossip", "--without-mingle"]  # fmt: skip
BEAT = [sys.executable, "-m", "celery", "-A", "fartbench.celery", "beat", "-l", "error"]


@dataclass
class Report:
    """What the run was like and what came of it. ``faults`` are the ways in which it does not
    hold.
    """

    kills: int = 0
    restarts: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    states: Counter[str] = field(default_factory=Counter)
    doubts: int = 0
    tries: int = 0
    accepted: int = 0
    submissions_seen: int = 0
    drawn: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def lines(self) -> list[str]:
        """Return it as text."""
        cells = sum(self.states.values())
        return [
            f"{cells} cells, {self.kills} workers killed, restarts: {dict(self.restarts)}, "
            f"{self.seconds:.0f} s",
            f"outcomes and states: {dict(self.states)}",
            f"tries of the product: {self.tries}; submissions that the stand-in saw: "
            f"{self.submissions_seen}",
            f"faults of the stand-in: {dict(self.drawn)}",
            f"accepted by the stand-in: {self.accepted}, in doubt on the way: {self.doubts}",
            *(f"DOES NOT HOLD: {fault}" for fault in self.faults or []),
            "nothing accepted twice, nothing lost"
            if not self.faults
            else f"{len(self.faults)} faults",
        ]


class Workers:
    """Two worker processes and a beat, restarted when they die."""

    def __init__(self, environment: dict[str, str], folder: Path) -> None:
        self._environment, self._folder = environment, folder
        self._running: list[subprocess.Popen[bytes]] = []
        self._beat = self._start([*BEAT, "-s", str(folder / "beat")])
        self._number = 0

    def _start(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self._folder / "workers.log").open("ab") as log:
            return subprocess.Popen(
                command,
                env=self._environment,
                cwd=BASE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def keep_two(self) -> None:
        """Start what is missing."""
        self._running = [worker for worker in self._running if worker.poll() is None]
        while len(self._running) < 2:
            self._number += 1
            self._running.append(self._start([*WORKER, "-n", f"w{self._number}@%h"]))
        if self._beat.poll() is not None:
            self._beat = self._start([*BEAT, "-s", str(self._folder / "beat")])

    def kill(self, chance: random.Random) -> None:
        """Kill one of them with its children, as the kernel would."""
        victim = self._running.pop(chance.randrange(len(self._running)))
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()

    def stop(self) -> None:
        """End all."""
        for process in [*self._running, self._beat]:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def run(
    *, kills: int, minutes: float, fault_rate: float, seed: int, configurations: int = 0
) -> Report:
    """Run it in a folder of its own. ``configurations`` limits how many are bought from; 0 means
    all.
    """
    folder = Path(tempfile.mkdtemp(prefix="fartbench-chaos-", dir="/tmp"))
    folder.chmod(0o755)  # under root PostgreSQL runs as nobody, who must get in
    try:
        return _run(folder, kills, minutes, fault_rate, seed, configurations)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _run(
    folder: Path, kills: int, minutes: float, fault_rate: float, seed: int, configurations: int
) -> Report:
    from tests.chaos.servers import Postgres, Redis

    (folder / "pg").mkdir()
    (folder / "redis").mkdir()
    (folder / "data").mkdir()
    postgres, redis = Postgres(folder / "pg"), Redis(folder / "redis")
    postgres.start()
    redis.start()
    os.environ.update(
        DJANGO_SETTINGS_MODULE="fartbench.settings", DATA_DIR=str(folder / "data"),
        DATABASE_URL=postgres.url,
        CELERY_BROKER_URL=redis.url, SECRET_KEY="chaos-0123456789-abcdefghijklmnop",
        LOG_LEVEL="ERROR",
    )  # fmt: skip
    import django

    django.setup()
    from django.core.management import call_command

    from simulation.stand_ins.providers import Chance, StandIn
    from tests.generation.buying import clip_of

    call_command("migrate", verbosity=0)
    call_command(
        "load_protocol", str(BASE / "fixtures" / "protocols" / "core-r01" / "1.0.0"), verbosity=0
    )
    with StandIn(clip_of, faults=Chance(fault_rate, seed)) as stand_in:
        os.environ["STAND_IN_URL"] = stand_in.url
        _commission(configurations)
        workers = Workers(dict(os.environ), folder)
        try:
            report = _disturb(workers, {"redis": redis, "postgres": postgres}, kills, minutes, seed)
        finally:
            workers.stop()
        _judge(report, stand_in)
    redis.stop()
    _disconnect()
    postgres.stop()
    return report


def _commission(count: int) -> None:
    from generation.configurations import read_configurations
    from generation.models import ProviderAccount
    from simulation.demo.bought import commission_everything

    figures = {
        "max_in_flight": 8,
        "min_interval_s": 0.5,
    }  # slow enough that there is something to kill
    for provider in {loaded.file.provider for loaded in read_configurations()}:
        ProviderAccount.objects.get_or_create(provider=provider, defaults=figures)
    if not count:
        commission_everything(name="chaos", protocol="core-r01@1.0.0", actor="chaos")
        return
    from fartbench.rounds import create_round
    from generation.commissioning import commission
    from generation.configuring import load_configurations, named
    from tests.generation.buying import freeze

    load_configurations(actor="chaos")
    chosen = named([loaded.file.name for loaded in read_configurations()][:: 25 // count][:count])
    round_ = create_round(name="chaos", protocol="core-r01@1.0.0", actor="chaos")
    freeze(round_, chosen)
    commission(round_=round_, configurations=chosen, actor="chaos")


def _disturb(
    workers: Workers, servers: dict[str, Any], kills: int, minutes: float, seed: int
) -> Report:
    """Kill and restart until enough was killed, then wait until nothing is under way any more."""
    chance, report, start = random.Random(seed), Report(), time.monotonic()
    every_s = 60 * minutes * 0.55 / max(1, kills)
    restart_after = {
        kills * part // 5: name
        for part, name in enumerate(("redis", "postgres", "redis", "postgres"), 1)
    }
    while report.kills < kills:
        workers.keep_two()
        time.sleep(every_s * chance.uniform(0.5, 1.5))
        workers.kill(chance)
        report.kills += 1
        if name := restart_after.get(report.kills):
            _restart(servers[name], name)
            report.restarts[name] += 1
    workers.keep_two()
    deadline = start + 60 * minutes + PATIENCE_S
    while time.monotonic() < deadline and _under_way():
        workers.keep_two()
        time.sleep(1)
    report.seconds = time.monotonic() - start
    return report


def _restart(server: Any, name: str) -> None:
    if name == "postgres":
        _disconnect()
    server.stop()
    time.sleep(1)
    server.start()


def _disconnect() -> None:
    from django.db import connections

    connections.close_all()


def _under_way() -> bool:
    """Say whether any sample is still on its way, and do what an operator does for jobs that
    failed: revive them.
    """
    from generation import dispatching, steps
    from generation.models import Sample, SampleState

    moving = Sample.objects.exclude(state__in=[*SampleState.outcomes(), *OPERATOR_STATES])
    if not moving.exists():
        return False
    steps.revive(Sample.objects.all())
    ready = moving.filter(state=SampleState.READY)
    for provider in ready.values_list("provider", flat=True).distinct().order_by("provider"):
        dispatching.wake(provider)
    return True


def _judge(report: Report, stand_in: Any) -> None:
    """Compare the two books."""
    from generation.models import Sample, SampleEvent, SampleState, Submission

    report.states = Counter(Sample.objects.values_list("state", flat=True))
    report.doubts = SampleEvent.objects.filter(after=SampleState.UNCERTAIN).count()
    report.tries = Submission.objects.count()
    report.submissions_seen = sum(stand_in.ledger.submissions.values())
    report.drawn = stand_in.committed
    jobs = stand_in.ledger.jobs()
    report.accepted = len(jobs)
    done = {*(str(state) for state in SampleState.outcomes()), *OPERATOR_STATES}
    report.faults += [
        f"{n} cells ended as {state!r}" for state, n in report.states.items() if state not in done
    ]
    report.faults += [
        f"accepted {n} times: {order}" for order, n in stand_in.ledger.twice().items()
    ]
    if report.submissions_seen > report.tries:
        report.faults.append("the stand-in saw submissions that no row was written for")
    known = set(Submission.objects.exclude(provider_id="").values_list("provider_id", flat=True))
    lost = Sample.objects.filter(state="lost_uncertain")
    in_doubt = set(lost.values_list("cell__configuration__model_id", "prompt__sha256"))
    for job in jobs:
        here = job.id in known or any(job.id in one for one in known)
        if not here and (job.model, _sha256(job.prompt)) not in in_doubt:
            report.faults.append(f"accepted and not known here: {job.id} ({job.fault})")
    delivered = Sample.objects.filter(state="delivered").select_related("clip")
    missing = [sample for sample in delivered if not (sample.clip and sample.clip.path.is_file())]
    report.faults += [f"delivered without a file: {sample}" for sample in missing]


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def main() -> int:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=9)
    parser.add_argument("--fault-rate", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--configurations", type=int, default=0, help="how many to buy from; 0 means all"
    )
    report = run(**vars(parser.parse_args()))
    print("\n".join(report.lines()))  # noqa: T201 - a program of its own
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
