"""What tests of blinding let the sandbox's child do; each patches a process that ends with it."""

import errno
import os
import signal
import time
from pathlib import Path
from typing import Any

from blinding import making, writing
from blinding.copying import write_copy
from fartbench.media.sandbox_policy import ORDERS, Order

# They write where the orders that they stand in for write.
WRITING = ("copy_and_die_before_it_is_whole", "copy_and_hang_before_it_is_whole",
           "copy_to_a_full_disk", "make_and_die_before_it_is_whole", "make_on_a_full_disk")  # fmt: skip
ORDERS.update({f"{__name__}:{name}": Order(writes=(0,)) for name in WRITING})


def _die(handle: int, pieces: Any) -> int:
    os.kill(os.getpid(), signal.SIGKILL)


def _full(handle: int, pieces: Any) -> int:
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def copy_and_die_before_it_is_whole(path: Path, target: str, size: int | None) -> dict[str, Any]:
    writing.os.writev = _die
    return write_copy(path, path, Path(target), padded_size=size)


def copy_and_hang_before_it_is_whole(path: Path, target: str, size: int | None) -> dict[str, Any]:
    parent = os.getppid()

    def wait_for_its_end(handle: int, pieces: Any) -> int:
        while os.getppid() == parent:
            time.sleep(0.02)
        os._exit(1)

    writing.os.writev = wait_for_its_end
    return write_copy(path, path, Path(target), padded_size=size)


def copy_to_a_full_disk(path: Path, target: str, size: int | None) -> dict[str, Any]:
    writing.os.writev = _full
    return write_copy(path, path, Path(target), padded_size=size)


def make_and_die_before_it_is_whole(path: Path, scratch: str) -> dict[str, Any]:
    writing.os.writev = _die
    return making._make_plain_here(path, scratch)


def make_on_a_full_disk(path: Path, scratch: str) -> dict[str, Any]:
    writing.os.writev = _full
    return making._make_plain_here(path, scratch)
