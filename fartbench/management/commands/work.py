"""The local worker: does what is due, without a broker."""

import os
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from functools import partial
from types import FrameType
from typing import Any

from fartbench import jobs
from fartbench.commands import Command as Base
from fartbench.weak import refuse_weak_settings

IDLE_S = 0.5
BEAT_S = 5.0


class Command(Base):
    help = (
        "Do the work that is due: render clips, make blind copies. Stops on Ctrl-C, after the job "
        "it is at."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--until-idle", action="store_true", help="stop when nothing is waiting or running"
        )
        parser.add_argument(
            "--processes", type=int, default=1, metavar="N", help="how many to run side by side"
        )

    def run(self, **options: Any) -> None:
        refuse_weak_settings()
        if options["processes"] > 1:
            _run_side_by_side(options["processes"], until_idle=options["until_idle"])
        else:
            _Worker().work(until_idle=options["until_idle"])


class _Worker:
    """One process that claims and does jobs until it is asked to stop."""

    def __init__(self) -> None:
        self.name = f"work@{socket.gethostname()}:{os.getpid()}"
        self.stopping = False
        self.next_beat = 0.0
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, self._stop)

    def _stop(self, _signal: int, _frame: FrameType | None) -> None:
        self.stopping = True

    def work(self, *, until_idle: bool) -> None:
        while not self.stopping:
            self._beat()
            if claim := jobs.claim_next():
                jobs.run(claim, alive=partial(jobs.beat, self.name))
            elif until_idle and not jobs.waiting():
                return
            else:
                time.sleep(IDLE_S)

    def _beat(self) -> None:
        if time.monotonic() >= self.next_beat:
            jobs.beat(self.name)
            self.next_beat = time.monotonic() + BEAT_S


def _run_side_by_side(processes: int, *, until_idle: bool) -> None:
    command = [sys.executable, sys.argv[0], "work", *(["--until-idle"] if until_idle else [])]
    workers = [subprocess.Popen(command) for _ in range(processes)]

    def pass_on(number: int, _frame: FrameType | None) -> None:
        for worker in workers:
            worker.send_signal(number)

    for name in (signal.SIGTERM, signal.SIGINT):
        signal.signal(name, pass_on)
    for worker in workers:
        worker.wait()
