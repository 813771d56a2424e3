"""The Celery app in a process whose clock is wrong by what ``CHAOS_CLOCK`` said when it started."""

import os
import time
from pathlib import Path

import time_machine

from fartbench.celery import app

if offset := float(Path(os.environ["CHAOS_CLOCK"]).read_text() or 0):
    time_machine.travel(time.time() + offset, tick=True).start()

__all__ = ["app"]
