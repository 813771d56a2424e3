"""Making every blind copy of a round the same size. No Django here."""

import os
from pathlib import Path
from struct import pack

from blinding.writing import write_synced
from fartbench.errors import Refusal
from fartbench.media.boxes import walk
from fartbench.media.reading import open_bytes

STEP = 4096
"""Sizes are rounded up to whole steps, so that the common size does not tell the largest clip's to
the byte.
"""
SMALLEST = 8
"""The smallest gap that can be filled (bytes): the header of an MP4 box."""
_ZEROS = "\0\0\0\0"


class TooLargeToPad(Refusal):
    """A clip does not fit into its round's common size."""


def common_size(sizes: list[int]) -> int:
    """Return the one size (bytes) for all files of a round: the next whole step that leaves each
    file a gap of 8 bytes or more.
    """
    return -(-(max(sizes) + SMALLEST) // STEP) * STEP


def pad(path: Path, size: int) -> None:
    """Grow an MP4 file to exactly ``size`` bytes by one ``free`` box of zeros; an earlier padding
    is replaced.

    The file is grown before the box is named, so a stop half-way leaves a file that a second call
    completes. Raises TooLargeToPad when the file leaves no gap of 8 bytes.
    """
    with open_bytes(path) as data:
        used = _used(data)
    header = _header(path, used, size)
    with path.open("r+b") as file:
        file.truncate(used)
        file.truncate(size)
        file.seek(used)
        file.write(header)
        file.flush()
        os.fsync(file.fileno())


def padded_copy(path: Path, target: Path, size: int) -> str:
    """Write a copy of an MP4 file, padded as pad() does it, to a new file and to disk; return its
    SHA-256 (hex).
    """
    with open_bytes(path) as data:
        used = _used(data)
        header = _header(path, used, size)
        _, sha256 = write_synced(target, [data[:used], header], zeros=size - used - len(header))
    return sha256


def _header(path: Path, used: int, size: int) -> bytes:
    """Return the header of the box that fills a file from ``used`` bytes up to ``size``."""
    gap = size - used
    if gap < SMALLEST:
        raise TooLargeToPad(
            f"{path.name} has {used} bytes and cannot be padded to {size}: a gap of {SMALLEST} is "
            "needed."
        )
    return pack(">I4s", gap, b"free")


def _used(data: memoryview) -> int:
    """Return where the contents of an MP4 file end and padding, finished or not, begins."""
    return max(box.end for box in walk(data, 0, len(data)) if box.kind not in ("free", _ZEROS))
