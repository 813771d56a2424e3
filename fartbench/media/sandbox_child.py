"""The child's side of the sandbox: one JSON order a line in, one JSON answer a line out.

No Django here.
"""

import errno
import importlib
import json
import os
import resource
import sys
from pathlib import Path
from typing import Any

from fartbench.media.errors import MediaRefusal
from fartbench.media.sandbox_walls import shut_in

MEMORY = 2 * 1024**3
"""Address space in bytes; a 4K clip decodes in well under it."""
OUTPUT = 1024**3
OPEN_FILES = 64
DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT})
"""What says something about the disk that is written to, and nothing about the file that is
read.
"""


_WALLS: dict[str, bool] = {}


def main() -> None:
    """Answer orders until the parent closes the pipe."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    _limit()
    _WALLS.update(shut_in(json.loads(sys.argv[1])))
    for line in sys.stdin.buffer:
        answers.write(json.dumps(_answer(json.loads(line))).encode() + b"\n")
        answers.flush()


def walls_of_the_child(_path: Path) -> dict[str, bool]:
    """Return which walls stand around the process that this runs in."""
    return dict(_WALLS)


def _limit() -> None:
    for kind, amount in (
        (resource.RLIMIT_AS, MEMORY),
        (resource.RLIMIT_FSIZE, OUTPUT),
        (resource.RLIMIT_NOFILE, OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(kind)[1]
        amount = amount if hard == resource.RLIM_INFINITY else min(amount, hard)  # noqa: PLW2901
        resource.setrlimit(kind, (amount, amount))


def _allow_time(seconds: float) -> None:
    """Let the child use ``seconds`` more of processor time, on all threads together, before the
    kernel ends it.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    hard = resource.getrlimit(resource.RLIMIT_CPU)[1]
    wanted = int(used.ru_utime + used.ru_stime + 2 * seconds) + 1
    resource.setrlimit(
        resource.RLIMIT_CPU, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard)
    )


def _answer(order: dict[str, Any]) -> dict[str, Any]:
    path = Path(order["path"])
    try:
        _allow_time(order["seconds"])
        module, _, name = order["function"].partition(":")
        function = getattr(importlib.import_module(module), name)
        return {"result": function(path, *order["arguments"])}
    except MediaRefusal as refusal:
        return {"refusal": type(refusal).__name__, "reason": refusal.reason}
    except MemoryError:
        return {
            "refusal": "UnsafeMedia",
            "reason": "needs more memory than a clip may have.",
            "stop": True,
        }
    except OSError as fault:
        full = {"disk": fault.errno} if fault.errno in DISK_FULL else {}
        return {"error": f"{type(fault).__name__}: {fault}", "stop": True, **full}
    except Exception as fault:  # noqa: BLE001 - whatever a hostile file brings about is the file's refusal, not the product's crash
        return {"error": f"{type(fault).__name__}: {fault}", "stop": True}
