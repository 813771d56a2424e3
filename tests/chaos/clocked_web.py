"""The web application under a clock that somebody else sets: each request sees the time plus what a
file says.

For the crash test alone. ``CHAOS_CLOCK`` names the file; it holds seconds, or nothing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import time_machine

from fartbench.wsgi import application as inner

CLOCK = Path(os.environ["CHAOS_CLOCK"])


def application(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
    """Answer a request at the time that the file asks for."""
    offset = float(CLOCK.read_text() or 0)
    if not offset:
        return inner(environ, start_response)
    with time_machine.travel(time.time() + offset, tick=True):
        return inner(environ, start_response)
