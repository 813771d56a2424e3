"""Walking the boxes of an ISO base media file (ISO/IEC 14496-12 §4.2). No Django here."""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import unpack_from

Bytes = bytes | memoryview
_MATTERS = frozenset({
    "ftyp", "styp", "moov", "moof", "mdat", "sidx", "emsg", "prft", "mvhd", "trak", "tkhd", "edts",
    "elst", "mdia",
    "mdhd", "hdlr", "minf", "dinf", "dref", "stbl", "stsd", "stts", "ctts", "stss", "stsc", "stsz",
    "stz2", "stco",
    "co64", "mvex", "trex", "traf", "tfhd", "tfdt", "trun",
})  # fmt: skip
"""The boxes without which a clip would be another one: one of these that is cut off makes the file
a broken one.
"""


class BadBoxes(ValueError):
    """The box structure contradicts itself or runs past its container."""


@dataclass(frozen=True, slots=True)
class Box:
    """One box: its four-character type, and where it, its payload and its end lie in the buffer."""

    kind: str
    at: int
    start: int
    end: int


def walk(data: Bytes, start: int, end: int, limit: int = 20_000) -> Iterator[Box]:
    """Yield the boxes between ``start`` and ``end``.

    Players take no notice of bytes behind the last box that are none, such as zeros or a tag, and
    no more is done here. A box of media data that runs past the end of the file ends with the file:
    whether something is missing is known once its samples are looked at. Raises BadBoxes when the
    size of a box that matters is impossible, or when there are over ``limit``.
    """
    at = start
    count = 0
    while at + 8 <= end:
        name, header, size = _header(data, at, end, is_outermost=start == 0)
        if size < header or at + size > end:
            if name not in _MATTERS:
                return
            raise BadBoxes(
                f"the box “{name}” at byte {at} says {size} bytes where {end - at} are left"
            )
        count += 1
        if count > limit:
            raise BadBoxes(f"over {limit} boxes in one place")
        yield Box(name, at, at + header, at + size)
        at += size


def _header(data: Bytes, at: int, end: int, *, is_outermost: bool) -> tuple[str, int, int]:
    """Return the name of the box at ``at``, and how long its header and all of it are."""
    size, raw = unpack_from(">I4s", data, at)
    name, header = raw.decode("latin-1"), 8
    if size == 1:
        if at + 16 > end:
            raise BadBoxes(f"a box header at byte {at} is cut off")
        (size,) = unpack_from(">Q", data, at + 8)
        header = 16
    if is_outermost and (size == 0 or (name == "mdat" and at + size > end)):
        size = end - at
    return name, header, size


def child(data: Bytes, box: Box, *path: str, skip: int = 0) -> Box | None:
    """Return the first box at ``path`` below ``box`` (whose children begin ``skip`` bytes into it),
    or None.
    """
    for name in path:
        found = next((b for b in walk(data, box.start + skip, box.end) if b.kind == name), None)
        if found is None:
            return None
        box, skip = found, 0
    return box


def need(data: Bytes, box: Box, *path: str) -> Box:
    """Return the first box at ``path``; raise BadBoxes naming it when it is missing."""
    found = child(data, box, *path)
    if found is None:
        raise BadBoxes(f"no “{'/'.join(path)}” box inside “{box.kind}”")
    return found


def full(data: Bytes, box: Box) -> tuple[int, int]:
    """Return the version and flags of a full box."""
    if box.end - box.start < 4:  # the version and flags
        raise BadBoxes(f"the “{box.kind}” box at byte {box.at} is too short")
    (word,) = unpack_from(">I", data, box.start)
    return word >> 24, word & 0xFFFFFF


def table(data: Bytes, box: Box, at: int, width: int, bound: int) -> list[tuple[int, ...]]:
    """Return the rows (``width`` unsigned 32-bit numbers each) of a counted table whose count lies
    ``at`` bytes into the box.
    """
    if box.start + at + 4 > box.end:
        raise BadBoxes(f"the “{box.kind}” table is cut off")
    (count,) = unpack_from(">I", data, box.start + at)
    first = box.start + at + 4
    if count > bound or first + 4 * width * count > box.end:
        raise BadBoxes(
            f"the “{box.kind}” table says {count} rows, more than it has room for or a clip may "
            "have"
        )
    flat = unpack_from(f">{count * width}I", data, first)
    return list(zip(*[iter(flat)] * width, strict=True))
