"""The work of the demonstration: worker processes beside the command, and a bar that says how far
they are.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from django.conf import settings
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from blinding.services import BLIND
from fartbench.errors import Refusal
from fartbench.models import Job, JobState, Round
from generation.commissioning import GENERATE
from generation.models import Sample, SampleState
from measuring.rollouts import MEASURE
from review.training import TRAINING
from simulation.demo.bought import commission_everything, running_stand_in
from simulation.demo.rounds import ACTOR

WORDS = {
    GENERATE: "Drawing clips",
    BLIND: "Making blind copies",
    TRAINING: "Drawing training clips",
    MEASURE: "Measuring rollouts",
}
BOUGHT = "demo-providers"


class WorkStopped(Refusal):
    """Jobs of the demonstration failed; each is named with its words."""


def work_through(kind: str, rounds: list[Round], console: Console) -> None:
    """Let worker processes do the waiting jobs of one kind.

    Raises WorkStopped when any failed or was left.
    """
    work = Job.objects.filter(kind=kind, round_name__in=[round_.name for round_ in rounds])
    # An earlier run may have stopped on a full disk or a missing program: what failed gets another
    # chance.
    work.filter(state=JobState.FAILED).update(state=JobState.DUE, attempts=0)
    waiting = work.filter(state__in=(JobState.DUE, JobState.RUNNING))
    left = _watch(WORDS[kind], waiting.count, console)
    if failed := list(work.filter(state=JobState.FAILED)):
        words = "\n".join(f"  {job}: {job.error}" for job in failed)
        raise WorkStopped(
            f"{len(failed)} jobs failed. Fix what they report and run “make demo” again.\n{words}"
        )
    if left:
        raise WorkStopped(
            f"The workers stopped with {left} jobs left. Run “make demo” again; it continues from "
            "there."
        )


def buy_from_stand_ins(protocol: str, console: Console) -> str:
    """Commission every configuration from stand-in providers on loopback; return in words what came
    of it.
    """
    with running_stand_in():
        round_ = commission_everything(name=BOUGHT, protocol=protocol, actor=ACTOR)
        samples = Sample.objects.filter(cell__round=round_)
        _watch(
            "Buying from stand-ins",
            samples.exclude(state__in=SampleState.outcomes()).count,
            console,
        )
    states = [SampleState(state).label.lower() for state in samples.values_list("state", flat=True)]
    return ", ".join(f"{states.count(state)} {state}" for state in sorted(set(states)))


def _watch(words: str, left: Callable[[], int], console: Console) -> int:
    """Run workers until nothing is left or they have nothing more to do; return what is left."""
    total = left()
    if not total:
        return 0
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with (
        _workers(min(total, os.cpu_count() or 1)) as running,
        Progress(*columns, console=console) as bar,
    ):
        task = bar.add_task(words, total=total)
        while (still := left()) and running():
            bar.update(task, completed=total - still)
            time.sleep(0.2)
        bar.update(task, completed=total - still)
    return left()


@contextmanager
def _workers(count: int) -> Iterator[Callable[[], bool]]:
    """Run worker processes until the block ends; yields a function that says whether any still
    runs.
    """
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "work", "--until-idle"]
    workers = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield lambda: any(worker.poll() is None for worker in workers)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()
