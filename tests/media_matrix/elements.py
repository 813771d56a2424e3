"""Changing the elements of a Matroska file by hand."""

from __future__ import annotations

from dataclasses import dataclass

SEGMENT, INFO, TRACKS, ENTRY, VIDEO, AUDIO = 0x18538067, 0x1549A966, 0x1654AE6B, 0xAE, 0xE0, 0xE1
CLUSTER, BLOCK_GROUP, PROJECTION, SIMPLE_BLOCK, BLOCK = 0x1F43B675, 0xA0, 0x7670, 0xA3, 0xA1
BLOCK_DURATION, TIMESTAMP, KIND, DEFAULT_DURATION, CODEC_DELAY = 0x9B, 0xE7, 0x83, 0x23E383, 0x56AA
SEEK_HEAD, CUES, CRC, VOID, TAGS = 0x114D9B74, 0x1C53BB6B, 0xBF, 0xEC, 0x1254C367
FOLDERS = {SEGMENT, INFO, TRACKS, ENTRY, VIDEO, AUDIO, CLUSTER, BLOCK_GROUP, PROJECTION}
LEFT_OUT = {SEEK_HEAD, CUES, CRC, VOID}
"""What points at places in the file or sums its bytes up; players do without."""


@dataclass(slots=True)
class Element:
    """An element: its identifier, and either its bytes or the elements inside it."""

    ident: int
    body: bytes
    inside: list[Element] | None = None

    def first(self, ident: int) -> Element | None:
        """Return the first element of a kind that lies right inside."""
        return next((inner for inner in self.inside or [] if inner.ident == ident), None)

    def number(self, ident: int, default: int = 0) -> int:
        """Return the whole number that an element right inside holds."""
        found = self.first(ident)
        return default if found is None else int.from_bytes(found.body, "big")

    def put(self, ident: int, body: bytes) -> None:
        """Put an element in, in the place of one of the same kind."""
        self.inside = [inner for inner in self.inside or [] if inner.ident != ident] + [
            Element(ident, body)
        ]

    def drop(self, *idents: int) -> None:
        """Take elements of some kinds out."""
        self.inside = [inner for inner in self.inside or [] if inner.ident not in idents]

    def written(self) -> bytes:
        """Return the element's bytes; its length takes eight bytes."""
        body = (
            self.body if self.inside is None else b"".join(inner.written() for inner in self.inside)
        )
        return _ident(self.ident) + (len(body) | 1 << 56).to_bytes(8, "big") + body


def _ident(ident: int) -> bytes:
    return ident.to_bytes((ident.bit_length() + 7) // 8, "big")


def parse(data: bytes) -> list[Element]:
    """Return the elements of a file or of an element's body."""
    elements, at = [], 0
    while at < len(data):
        length = 9 - data[at].bit_length()
        ident = int.from_bytes(data[at : at + length], "big")
        at += length
        size, at = vint(data, at)
        end = len(data) if size is None else at + size
        body = data[at:end]
        if ident not in LEFT_OUT:
            elements.append(Element(ident, body, parse(body) if ident in FOLDERS else None))
        at = end
    return elements


def vint(data: bytes, at: int) -> tuple[int | None, int]:
    """Return a length (None for an unknown one) and where it ends."""
    length = 9 - data[at].bit_length()
    value = int.from_bytes(data[at : at + length], "big") & ((1 << 7 * length) - 1)
    return (None if value == (1 << 7 * length) - 1 else value), at + length


class MkvFile:
    """A Matroska file to be changed."""

    def __init__(self, data: bytes) -> None:
        self.top = parse(data)

    @property
    def segment(self) -> Element:
        """The one segment."""
        return next(element for element in self.top if element.ident == SEGMENT)

    def track(self, kind: int) -> Element:
        """Return the first track entry of a kind: 1 picture, 2 sound."""
        tracks = self.segment.first(TRACKS)
        assert tracks is not None
        return next(entry for entry in tracks.inside or [] if entry.number(KIND) == kind)

    def clusters(self) -> list[Element]:
        """Return the clusters in order."""
        return [element for element in self.segment.inside or [] if element.ident == CLUSTER]

    def written(self) -> bytes:
        """Return the file's bytes."""
        return b"".join(element.written() for element in self.top)


@dataclass(slots=True)
class Block:
    """One block: track number, time (ticks of the file), flags, and its frames' bytes."""

    track: int
    time: int
    flags: int
    payload: bytes

    def written(self, cluster_time: int) -> bytes:
        """Return the bytes of the block's element."""
        relative = (self.time - cluster_time).to_bytes(2, "big", signed=True)
        return bytes([0x80 | self.track]) + relative + bytes([self.flags]) + self.payload


def read_block(element: Element, cluster_time: int) -> Block:
    """Return what a SimpleBlock or Block holds."""
    track, at = vint(element.body, 0)
    assert track is not None
    relative = int.from_bytes(element.body[at : at + 2], "big", signed=True)
    return Block(track, cluster_time + relative, element.body[at + 2], element.body[at + 3 :])
