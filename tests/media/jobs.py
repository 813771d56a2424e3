"""What tests let the sandbox's child do."""

import os
import signal
import socket
import subprocess
import tempfile
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


def fail_with_key_error(path: Path) -> None:
    raise KeyError("stco")


def answer_without_json(path: Path) -> object:
    return {path}


def _connect(target: str) -> None:
    socket.create_connection(("127.0.0.1", int(target)), timeout=5).close()


def _connect_by_name(target: str) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(f"\0{target}")


ATTEMPTS = {
    "connect": _connect,
    "connect by name": _connect_by_name,
    "read": lambda target: Path(target).read_bytes(),
    "write": lambda target: Path(target).write_text("x"),
    "remove": lambda target: Path(target).unlink(),
    "run": lambda target: subprocess.run([target, "--version"], check=False, capture_output=True),
    "signal": lambda target: os.kill(int(target), 0),
}


def attempt(path: Path, what: str, target: str) -> str:
    """Try what a hole in a decoder would be used for, and return what came of it. ``target`` begins
    with “at ”: a bare path among the arguments of an order is one that the order may read.
    """
    try:
        ATTEMPTS[what](target.removeprefix("at "))
    except OSError as error:
        return type(error).__name__
    return "done"


def copy_with(path: Path, target: str, program: str) -> str:
    """Write a target and start a program, as an order may that the table allows it."""
    Path(target).write_bytes(path.read_bytes())
    return subprocess.run([program, "-version"], check=True, capture_output=True, text=True).stdout[
        :6
    ]


def left_behind(path: Path) -> str:
    """Leave a file in the system's temporary folder, as the child sees it, and return its path."""
    descriptor, name = tempfile.mkstemp()
    os.write(descriptor, path.read_bytes())
    os.close(descriptor)
    folder = Path(name).parent / "a folder"
    folder.mkdir()
    (folder / "a file").write_text("x")
    return name
