"""Changing the boxes of an MP4 file by hand, as files in the wild differ from what ffmpeg
writes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from struct import pack, unpack_from

FOLDERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts", b"mvex", b"moof", b"traf", b"dinf"}
ENTRY_HEADS = {b"vide": 78, b"soun": 28}
"""How many bytes of a sample entry come before the boxes inside it."""


@dataclass(slots=True)
class Node:
    """A box: its type, and either its bytes or the boxes inside it."""

    kind: bytes
    body: bytearray
    inside: list[Node] | None = None

    def first(self, *path: bytes) -> Node:
        """Return the first box at a path of types; raise KeyError when there is none."""
        node = self
        for kind in path:
            node = next(
                (inner for inner in node.inside or [] if inner.kind == kind), None
            ) or _missing(path)
        return node

    def drop(self, kind: bytes) -> None:
        """Remove the boxes of a type that lie right inside."""
        self.inside = [inner for inner in self.inside or [] if inner.kind != kind]

    def written(self) -> bytes:
        """Return the box's bytes."""
        body = (
            bytes(self.body)
            if self.inside is None
            else b"".join(inner.written() for inner in self.inside)
        )
        return pack(">I4s", 8 + len(body), self.kind) + body


def _missing(path: tuple[bytes, ...]) -> Node:
    raise KeyError(path)


def parse(data: bytes) -> list[Node]:
    """Return the boxes of a file or of a box's body."""
    nodes, at = [], 0
    while at + 8 <= len(data):
        size, kind = unpack_from(">I4s", data, at)
        head = 8
        if size == 1:
            (size,), head = unpack_from(">Q", data, at + 8), 16
        body = data[at + head : at + size]
        nodes.append(Node(kind, bytearray(body), parse(body) if kind in FOLDERS else None))
        at += size
    return nodes


class File:
    """An MP4 file to be changed."""

    def __init__(self, data: bytes) -> None:
        self.top = parse(data)
        self._header = _length_before_data(self.top)

    @property
    def moov(self) -> Node:
        """The movie's box."""
        return next(node for node in self.top if node.kind == b"moov")

    @property
    def movie_clock(self) -> int:
        """Ticks a second of the movie header."""
        return unpack_from(">I", self.moov.first(b"mvhd").body, 12)[0]

    def track(self, kind: bytes) -> Node:
        """Return the first track of a kind, ``vide`` or ``soun``."""
        traks = [node for node in self.moov.inside or [] if node.kind == b"trak"]
        return next(trak for trak in traks if trak.first(b"mdia", b"hdlr").body[8:12] == kind)

    def tables(self, kind: bytes) -> Node:
        """Return the sample tables of a track."""
        return self.track(kind).first(b"mdia", b"minf", b"stbl")

    def clock(self, kind: bytes) -> int:
        """Return the ticks a second of a track."""
        return unpack_from(">I", self.track(kind).first(b"mdia", b"mdhd").body, 12)[0]

    def table(self, kind: bytes, name: bytes) -> list[tuple[int, ...]]:
        """Return the rows (signed numbers) of ``stts``, ``ctts`` or ``elst``."""
        node = self._table_node(kind, name)
        width = 3 if name == b"elst" else 2
        (count,) = unpack_from(">I", node.body, 4)
        return [unpack_from(f">{width}i", node.body, 8 + 4 * width * row) for row in range(count)]

    def set_table(self, kind: bytes, name: bytes, rows: list[tuple[int, ...]]) -> None:
        """Replace the rows of ``stts``, ``ctts`` or ``elst``."""
        body = b"".join(pack(f">{len(row)}i", *row) for row in rows)
        node = self._table_node(kind, name)
        node.body = bytearray(bytes(node.body[:4]) + pack(">I", len(rows)) + body)

    def _table_node(self, kind: bytes, name: bytes) -> Node:
        if name == b"elst":
            return self.track(kind).first(b"edts", b"elst")
        return self.tables(kind).first(name)

    def entry(self, kind: bytes) -> Entry:
        """Return the first sample entry of a track."""
        return Entry(self.tables(kind).first(b"stsd"), ENTRY_HEADS[kind])

    def written(self) -> bytes:
        """Return the file's bytes; where samples moved, the tables of chunks follow."""
        moved = _length_before_data(self.top) - self._header
        if moved:
            for trak in [node for node in self.moov.inside or [] if node.kind == b"trak"]:
                _move_chunks(trak.first(b"mdia", b"minf", b"stbl", b"stco"), moved)
        return b"".join(node.written() for node in self.top)


def _length_before_data(top: list[Node]) -> int:
    total = 0
    for node in top:
        if node.kind == b"mdat":
            return total
        total += len(node.written())
    return total


def _move_chunks(stco: Node, by: int) -> None:
    (count,) = unpack_from(">I", stco.body, 4)
    offsets = unpack_from(f">{count}I", stco.body, 8)
    stco.body[8:] = pack(f">{count}I", *(offset + by for offset in offsets))


class Entry:
    """A sample entry that is changed in place: its fixed fields and the boxes inside."""

    def __init__(self, stsd: Node, head: int) -> None:
        self._stsd = stsd
        self._kind = bytes(stsd.body[12:16])
        (size,) = unpack_from(">I", stsd.body, 8)
        self.fixed = bytearray(stsd.body[16 : 8 + head + 8])
        self.inside = parse(bytes(stsd.body[8 + head + 8 : 8 + size]))

    def replace(self, *boxes: Node) -> None:
        """Put boxes in, in the place of those of the same types."""
        kinds = {node.kind for node in boxes}
        self.inside = [node for node in self.inside if node.kind not in kinds] + list(boxes)
        self.store()

    def drop(self, *kinds: bytes) -> None:
        """Take boxes of some types out."""
        self.inside = [node for node in self.inside if node.kind not in kinds]
        self.store()

    def store(self) -> None:
        """Write the entry back."""
        body = bytes(self.fixed) + b"".join(node.written() for node in self.inside)
        self._stsd.body[8:] = pack(">I4s", 8 + len(body), self._kind) + body


Change = Callable[[File], None]


def box(kind: bytes, form: str, *values: int) -> Node:
    """Return a box with numbers packed as ``form`` says."""
    return Node(kind, bytearray(pack(form, *values)))
