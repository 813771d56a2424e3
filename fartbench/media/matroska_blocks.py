"""The blocks of a WebM or Matroska file: where each coded frame or sound packet lies. No Django
here.

Source: RFC 9559.
"""

from dataclasses import dataclass, field

from fartbench.media import ebml
from fartbench.media.bounds import Bounds
from fartbench.media.ebml import BadElements, Bytes, Element
from fartbench.media.matroska_display import ALPHA, Addition
from fartbench.media.movie import Sample

NANOSECONDS = 1_000_000_000
BLOCK_GROUP = 0xA0
SIMPLE_BLOCK, BLOCK, BLOCK_DURATION = 0xA3, 0xA1, 0x9B
REFERENCE, DISCARD, TIMESTAMP = 0xFB, 0x75A2, 0xE7
ADDITIONS, ADDITION, ADDITION_KIND, ADDED = 0x75A1, 0xA6, 0xEE, 0xA5


@dataclass(slots=True)
class Entry:
    """One track entry: its numbers by name, its codec and what the blocks add."""

    values: dict[str, float] = field(default_factory=dict)
    codec: str = ""
    config: bytes = b""
    encoded: bool = False
    samples: list[Sample] = field(default_factory=list)
    discards: dict[int, int] = field(default_factory=dict)
    """What is to be dropped of a block's sound (ns), by the number of its last sample."""
    untimed: set[int] = field(default_factory=set)
    """The samples behind the first one of a block, which have no times of their own."""
    additions: list[Addition] = field(default_factory=list)

    def whole(self, name: str, default: int = 0) -> int:
        """Return one of the numbers as a whole one."""
        return int(self.values.get(name, default))


@dataclass(slots=True)
class State:
    """Where the walk through the blocks is."""

    scale: int
    cluster: int = 0


def follow(
    data: Bytes, element: Element, entries: dict[int, Entry], state: State, bounds: Bounds
) -> None:
    """Add what one element of a cluster holds to its track's entry."""
    if element.ident == TIMESTAMP:
        state.cluster = ebml.number(data, element)
    elif element.ident == SIMPLE_BLOCK:
        _block(data, element, entries, state, bounds)
    elif element.ident == BLOCK_GROUP:
        _group(data, element, entries, state, bounds)


def _group(
    data: Bytes, group: Element, entries: dict[int, Entry], state: State, bounds: Bounds
) -> None:
    """Add the block of a group with what the group says of it, which may lie before the block or
    behind it.
    """
    parts = list(ebml.walk(data, group.start, group.end, frozenset({ADDITIONS})))
    block = next((part for part in parts if part.ident == BLOCK), None)
    added = None if block is None else _block(data, block, entries, state, bounds)
    if added is None:
        return
    entry, count = added
    for part in parts:
        last = entry.samples[-1]
        if part.ident == BLOCK_DURATION and count == 1:
            entry.samples[-1] = last._replace(duration=ebml.number(data, part) * state.scale)
        elif part.ident == REFERENCE:
            entry.samples[-1] = last._replace(sync=False)
        elif part.ident == DISCARD:
            entry.discards[len(entry.samples) - 1] = ebml.signed(data, part)
        elif part.ident == ADDITION:
            entry.additions.append(_addition(data, part))


def _addition(data: Bytes, more: Element) -> Addition:
    kind, offset, size = ALPHA, more.start, 0
    for part in ebml.walk(data, more.start, more.end):
        if part.ident == ADDITION_KIND:
            kind = ebml.number(data, part)
        elif part.ident == ADDED:
            offset, size = part.start, part.end - part.start
    return Addition(kind, offset, size)


def _block(
    data: Bytes, element: Element, entries: dict[int, Entry], state: State, bounds: Bounds
) -> tuple[Entry, int] | None:
    number, at = ebml.read_size(data, element.start, element.end)
    if at + 3 > element.end:
        raise BadElements("a block is cut off")
    entry = entries.get(number if number is not None else -1)
    if entry is None:
        return None
    relative = int.from_bytes(data[at : at + 2], "big", signed=True)
    flags = data[at + 2]
    pts = (state.cluster + relative) * state.scale
    sync = element.ident == BLOCK or bool(flags & 0x80)
    frames = _laced(data, at + 3, element.end, flags >> 1 & 3)
    each = entry.whole("default_duration")
    entry.untimed |= set(range(len(entry.samples) + 1, len(entry.samples) + len(frames)))
    entry.samples += [Sample(o, s, pts + i * each, 0, sync) for i, (o, s) in enumerate(frames)]
    if len(entry.samples) > bounds.samples:
        raise BadElements(f"over {bounds.samples} blocks in one track")
    return entry, len(frames)


def _laced(data: Bytes, at: int, end: int, kind: int) -> list[tuple[int, int]]:
    """Return where the frames of a block lie (RFC 9559 §10.3: no, Xiph, fixed-size or EBML
    lacing).
    """
    if kind == 0:
        return [(at, end - at)]
    count = data[at] + 1
    at += 1
    sizes: list[int] = []
    if kind == 2:  # fixed-size lacing
        return [(at + i * ((end - at) // count), (end - at) // count) for i in range(count)]
    for index in range(count - 1):
        if kind == 1:
            size = 0
            while data[at] == 255:  # Xiph: 255 says more follows
                size, at = size + 255, at + 1
            size, at = size + data[at], at + 1
        else:
            first = at
            value, at = ebml.read_size(data, at, end)
            size = (
                (value or 0)
                if index == 0
                else sizes[-1] + (value or 0) - ((1 << (7 * (at - first) - 1)) - 1)
            )
        sizes.append(size)
    sizes.append(end - at - sum(sizes))
    if min(sizes) < 0:
        raise BadElements("a block's lacing runs past its end")
    starts = [at + sum(sizes[:i]) for i in range(count)]
    return list(zip(starts, sizes, strict=True))
