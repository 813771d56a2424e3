"""Makes the demonstration and serves it."""

import os
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.core.management import call_command
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from blinding.services import BLIND
from fartbench.commands import Command as Base
from fartbench.errors import Refusal
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import Job, JobState, Round
from generation.commissioning import GENERATE
from scoring import demo
from scoring.demo_accounts import Accounts, ready_accounts
from scoring.serving import refuse_taken_port, serve
from scoring.training import TRAINING

WORDS = {GENERATE: "Drawing clips", BLIND: "Making blind copies", TRAINING: "Drawing training clips"}


class WorkStopped(Refusal):
    """Jobs of the demonstration failed; each is named with its words."""


class Command(Base):
    help = "Make a finished and an open round of simulated clips, and serve them. A second run adds nothing."
    needs_database = False  # it makes its own

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--no-serve", action="store_true", help="make everything and stop")

    def run(self, **options: Any) -> None:
        if not options["no_serve"]:
            refuse_taken_port()
        ffmpeg_binary()  # says what to do when there is none, before anything starts
        console = Console(stderr=True)
        with console.status("Setting up the database and the static files"):
            call_command("migrate", verbosity=0)
            call_command("collectstatic", interactive=False, verbosity=0)
        rounds = demo.make_rounds()
        _work_through(GENERATE, rounds, console)
        demo.blind(rounds)
        _work_through(BLIND, rounds, console)
        _work_through(TRAINING, rounds, console)
        with console.status("Opening the rounds, drawing orders, letting the scripted reviewers answer"):
            link = None
            for round_ in rounds:
                round_.refresh_from_db()
                link = demo.open_and_answer(round_) or link
            demo.finish(rounds[0])
            accounts = ready_accounts(rounds[1], link)
        self.say(_what_to_try(accounts))
        if options["no_serve"]:
            self.say("Run “make demo” to serve it.")
        else:
            serve()


def _work_through(kind: str, rounds: list[Round], console: Console) -> None:
    """Let worker processes do the waiting jobs of one kind, and show how far they are."""
    work = Job.objects.filter(kind=kind, round_name__in=[round_.name for round_ in rounds])
    # An earlier run may have stopped on a full disk or a missing program: what failed gets another chance.
    work.filter(state=JobState.FAILED).update(state=JobState.DUE, attempts=0)
    total = work.exclude(state=JobState.DONE).count()
    if not total:
        return
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with _workers(min(total, os.cpu_count() or 1)) as running, Progress(*columns, console=console) as bar:
        task = bar.add_task(WORDS[kind], total=total)
        while (left := work.filter(state__in=(JobState.DUE, JobState.RUNNING)).count()) and running():
            bar.update(task, completed=total - left)
            time.sleep(0.2)
        bar.update(task, completed=total - left)
    if failed := list(work.filter(state=JobState.FAILED)):
        words = "\n".join(f"  {job}: {job.error}" for job in failed)
        raise WorkStopped(f"{len(failed)} jobs failed. Mend what they say and run “make demo” again.\n{words}")
    if left:
        raise WorkStopped(f"The workers stopped with {left} jobs left. Run “make demo” again; it goes on from there.")


@contextmanager
def _workers(count: int) -> Iterator[Callable[[], bool]]:
    """Run worker processes until the block ends; yields a function that says whether any still runs."""
    command = [sys.executable, str(settings.BASE_DIR / "manage.py"), "work", "--until-idle"]
    workers = [subprocess.Popen(command) for _ in range(count)]
    try:
        yield lambda: any(worker.poll() is None for worker in workers)
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.wait()


def _what_to_try(accounts: Accounts) -> str:
    base = settings.BASE_URL
    return f"""
FARTBench is ready at {base}

  As a visitor    {base}/ and the leaderboard of the finished round, {base}/rounds/{demo.FINISHED}/
  As a reviewer   open your invite in a fresh browser window and rate the round “{demo.OPEN}”:
                  {accounts.invite}
  As staff        {base}/staff/ as {accounts.staff} with the password {accounts.staff_password}
  As an admin     {base}/staff/ as {accounts.admin} with the password {accounts.admin_password}
                  When you have rated every clip, close “{demo.OPEN}” there and publish it.

All clips are drawn by this program, and all answers but yours are simulated."""
