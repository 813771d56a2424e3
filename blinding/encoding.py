"""Running the ffmpeg program beside other work, and what it says when it fails. No Django here."""

import errno
import os
import re
import subprocess
import tempfile
from pathlib import Path
from types import TracebackType
from typing import IO, Self

from blinding.copying import NotCopyable
from fartbench.media.errors import MediaTimeout

_DISK_FULL = 256 - errno.ENOSPC  # the status that ffmpeg ends with


class Encoding:
    """An ffmpeg program that runs from the beginning of a ``with`` block; it is stopped when the
    block ends early.
    """

    def __init__(self, program: str, arguments: list[str], folder: Path) -> None:
        """``folder`` is one that may be written to."""
        self._command = [program, *arguments]
        # A pipe that is not read while the program runs would stop it once it is full.
        self._complaints: IO[bytes] = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the block
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            self._command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._complaints,
            env={"PATH": os.environ.get("PATH", "")},
        )
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        self._complaints.close()

    def finish(self, path: Path, encoded: Path, seconds: float) -> None:
        """Wait until the file ``encoded`` is made of ``path``.

        Raises MediaTimeout after ``seconds``, NotCopyable with the program's first complaint when
        it fails, and OSError when the disk is full.
        """
        if self._process is None:
            raise RuntimeError("the program was not started")
        try:
            status = self._process.wait(seconds)
        except subprocess.TimeoutExpired as fault:
            raise MediaTimeout(path, f"could not be re-encoded within {seconds:g} s.") from fault
        if status == _DISK_FULL:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        if status or not encoded.is_file():
            self._complaints.seek(0)
            complaint = _first_fault(self._complaints.read().decode("utf-8", "replace"))
            raise NotCopyable(path, f"could not be re-encoded: {complaint}.")


def _first_fault(complaints: str) -> str:
    """Return what ffmpeg complained of first: all else follows from it.

    Without the part of ffmpeg that says so.
    """
    first = re.sub(r"^(\[[^\]]*\]\s*)+", "", complaints.strip().partition("\n")[0])
    return first.strip().rstrip(".") or "no reason given"
