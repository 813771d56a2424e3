"""Making every blind copy of a round the same size. No Django here."""

import os
from pathlib import Path
from struct import pack

from fartbench.errors import Refusal
from fartbench.media import ebml
from fartbench.media.boxes import walk
from fartbench.media.reading import open_bytes, sniff

STEP = 4096
"""Sizes are rounded up to whole steps, so that the common size does not tell the largest clip's to the byte."""
SMALLEST = 8
"""The smallest gap that can be filled: a box header (MP4); an EBML Void of up to 8 size bytes needs two at least."""
_VOID = 0xEC
_ZEROS = "\0\0\0\0"


class TooLargeToPad(Refusal):
    """A clip does not fit into its round's common size."""


def common_size(sizes: list[int]) -> int:
    """Return the one size (bytes) for all files of a round: the next whole step that leaves each file a gap of 8 bytes
    or more."""
    return -(-(max(sizes) + SMALLEST) // STEP) * STEP


def pad(path: Path, size: int) -> None:
    """Grow a file to exactly ``size`` bytes by one box of zeros that players pass over; an earlier padding is
    replaced.

    MP4 gets a ``free`` box, WebM an EBML Void element. The file is grown before the box is named, so a stop half-way
    leaves a file that a second call completes. Raises TooLargeToPad when the file leaves no gap of 8 bytes.
    """
    with open_bytes(path) as data:
        container = sniff(path, data)
        used = _used(container, data)
    gap = size - used
    if gap < SMALLEST:
        raise TooLargeToPad(
            f"{path.name} has {used} bytes and cannot be padded to {size}: a gap of {SMALLEST} is needed."
        )
    with path.open("r+b") as file:
        file.truncate(used)
        file.truncate(size)
        file.seek(used)
        file.write(pack(">I4s", gap, b"free") if container == "mp4" else _void(gap))
        file.flush()
        os.fsync(file.fileno())


def _used(container: str, data: memoryview) -> int:
    """Return where a file's contents end and padding, finished or not, begins."""
    if container == "mp4":
        return max(box.end for box in walk(data, 0, len(data)) if box.kind not in ("free", _ZEROS))
    end = len(data)
    for element in ebml.walk(data, 0, len(data)):
        if element.ident == _VOID:
            return element.at
        end = element.end
        if end < len(data) and data[end] == 0:
            break
    return end


def _void(gap: int) -> bytes:
    return b"\xec\x01" + (gap - 9).to_bytes(7, "big") if gap > 8 else b"\xec" + bytes([0x80 | gap - 2])
