"""Changing single boxes of small MP4 files, as other programs write them or as damage leaves them.

The clips to change keep their media data before the “moov” box, or in fragments that say where it
lies from themselves: a box may grow without moving what others point at.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

PARENTS = {
    "moov": 0, "trak": 0, "edts": 0, "mdia": 0, "minf": 0, "dinf": 0, "stbl": 0, "mvex": 0,
    "moof": 0, "traf": 0,
    "stsd": 8, "avc1": 78, "av01": 78, "vp09": 78,
}  # fmt: skip
"""The boxes that hold others, and how many bytes come before the first of those."""
MATRIX_FROM_END = {"tkhd": 44, "mvhd": 64}
ONE = 0x10000


@dataclass
class Node:
    """One box: its own bytes, then the boxes inside it."""

    kind: str
    body: bytes
    inside: list[Node] = field(default_factory=list)

    def at(self, *path: str) -> Node:
        """Return a box below this one; ``trak:1`` is the second “trak”."""
        node = self
        for step in path:
            kind, _, place = step.partition(":")
            node = [one for one in node.inside if one.kind == kind][int(place or 0)]
        return node

    def written(self) -> bytes:
        """Return the bytes of the box."""
        content = self.body + b"".join(one.written() for one in self.inside)
        return struct.pack(">I4s", 8 + len(content), self.kind.encode("latin-1")) + content


def read(data: bytes, start: int = 0, end: int | None = None) -> list[Node]:
    """Return the boxes of a sound file as a tree."""
    nodes, at, end = [], start, len(data) if end is None else end
    while at < end:
        size, name = struct.unpack_from(">I4s", data, at)
        kind, first = name.decode("latin-1"), at + 8
        inner = first + PARENTS[kind] if kind in PARENTS else at + size
        nodes.append(
            Node(kind, data[first:inner], read(data, inner, at + size) if kind in PARENTS else [])
        )
        at += size
    return nodes


def edited(source: Path, target: Path, change: Callable[[Node], None]) -> Path:
    """Write ``source`` to ``target`` with its boxes changed; the node given to ``change`` holds the
    outermost ones.
    """
    file = Node("file", b"", read(source.read_bytes()))
    change(file)
    target.write_bytes(b"".join(one.written() for one in file.inside))
    return target


def entry(file: Node, track: int = 0) -> Node:
    """Return the first sample entry of a track."""
    return file.at("moov", f"trak:{track}", "mdia", "minf", "stbl", "stsd").inside[0]


def tables(file: Node, track: int = 0) -> Node:
    """Return the box that holds a track's sample tables."""
    return file.at("moov", f"trak:{track}", "mdia", "minf", "stbl")


def set_matrix(header: Node, a: float, b: float, c: float, d: float) -> None:
    """Write the four turning cells of a movie's or track's header, in multiples of one."""
    at = len(header.body) - MATRIX_FROM_END[header.kind]
    cells = [round(value * ONE) for value in (a, b, 0, c, d, 0, 0, 0)]
    header.body = header.body[:at] + struct.pack(">8iI", *cells, 1 << 30) + header.body[at + 36 :]


def set_header_size(tkhd: Node, width: int, height: int) -> None:
    """Write the size that a track's header says."""
    tkhd.body = tkhd.body[:-8] + struct.pack(">II", width * ONE, height * ONE)


def set_shape(file: Node, wide: int, high: int) -> None:
    """Write the shape of a pixel (pasp) of the first track."""
    remove(entry(file), "pasp")
    entry(file).inside.append(Node("pasp", struct.pack(">II", wide, high)))


def remove(parent: Node, kind: str) -> None:
    """Take out the boxes of a kind."""
    parent.inside = [one for one in parent.inside if one.kind != kind]


def set_edits(file: Node, rows: list[tuple[float, int]], speed: int = ONE, track: int = 0) -> None:
    """Write a track's edit list: rows of a length (s) and a media time (track ticks)."""
    trak = file.at("moov", f"trak:{track}")
    (clock,) = struct.unpack_from(">I", file.at("moov", "mvhd").body, 12)
    body = struct.pack(">II", 0, len(rows))
    body += b"".join(
        struct.pack(">Iii", round(length * clock), begin, speed) for length, begin in rows
    )
    remove(trak, "edts")
    trak.inside.insert(1, Node("edts", b"", [Node("elst", body)]))
