"""What tests let the sandbox's child do."""

import os
import signal
import time
from pathlib import Path


def name_of(path: Path, suffix: str) -> str:
    return path.name + suffix


def hang(path: Path) -> None:
    time.sleep(60)


def die(path: Path) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hoard(path: Path) -> int:
    return len(bytearray(8 * 1024**3))


def fail(path: Path) -> None:
    raise ValueError("a fault of the reader")


def write_much(path: Path, target: str) -> None:
    with Path(target).open("wb") as file:
        file.truncate(4 * 1024**3)


def fill_the_disk(path: Path) -> None:
    Path("/dev/full").write_bytes(b"what does not fit")


def environment(path: Path) -> list[str]:
    return sorted(os.environ)
