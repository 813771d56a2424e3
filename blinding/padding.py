"""Making every blind copy of a round the same size. No Django here."""

from pathlib import Path
from struct import pack

from blinding.writing import write_hashed
from fartbench.media.boxes import walk
from fartbench.media.errors import MediaRefusal
from fartbench.media.reading import open_bytes

STEP = 4096
"""Sizes are rounded up to whole steps, so that the common size does not tell the largest clip's to
the byte.
"""
SMALLEST = 8
"""The smallest gap that can be filled (bytes): the header of an MP4 box."""
_ZEROS = "\0\0\0\0"


class TooLargeToPad(MediaRefusal):
    """A clip does not fit into its round's common size."""


def common_size(sizes: list[int]) -> int:
    """Return the one size (bytes) for all files of a round: the next whole step that leaves each
    file a gap of 8 bytes or more.
    """
    return -(-(max(sizes) + SMALLEST) // STEP) * STEP


def padded_copy(path: Path, target: Path, size: int) -> str:
    """Write a copy of an MP4 file, padded to exactly ``size`` bytes by one ``free`` box of zeros,
    to a new file; return its SHA-256 (hex).

    An earlier padding is replaced. Raises TooLargeToPad when there is no gap of 8 bytes.
    """
    with open_bytes(path) as data:
        contents = data[: _used(data)]
        header, zeros = padding(path, len(contents), size)
        _, sha256 = write_hashed(target, [contents, header], zeros=zeros)
    return sha256


def padding(path: Path, used: int, size: int) -> tuple[bytes, int]:
    """Return what fills a file of ``used`` bytes up to ``size``: the header of a box, and how many
    zeros are in it.

    Raises TooLargeToPad, which names ``path``, when there is no gap of 8 bytes.
    """
    gap = size - used
    if gap < SMALLEST:
        raise TooLargeToPad(
            path,
            f"its copy has {used} bytes and cannot be padded to {size}: a gap of {SMALLEST} bytes "
            "is needed.",
        )
    return pack(">I4s", gap, b"free"), gap - SMALLEST


def _used(data: memoryview) -> int:
    """Return where the contents of an MP4 file end and padding, finished or not, begins."""
    return max(box.end for box in walk(data, 0, len(data)) if box.kind not in ("free", _ZEROS))
