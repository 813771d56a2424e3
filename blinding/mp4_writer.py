"""Writing the one kind of MP4 file that every blind copy is. No Django here.

Layout: ftyp, moov, mdat; no other box. Every field is a constant, a number that a decoder needs, or
follows from the samples. Source: ISO/IEC 14496-12; sample entries by 14496-14, 14496-15 and the
AV1, VP9 and Opus bindings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, pairwise
from struct import pack

from blinding.scrub.coded import Bytes
from blinding.timeline import CLOCK, Timeline

BRANDS = pack(">4sI", b"isom", 512) + b"isomiso6mp41"
UNDETERMINED = 0x55C4
"""The language code “und”, packed in five-bit letters."""
UNITY = 0x10000
CHUNK = CLOCK // 2
"""Samples are interleaved in stretches of half a second."""


@dataclass(slots=True)
class Stream:
    """One track to write: its kind, complete sample entry, times, display size and matrix, and
    samples in pieces.
    """

    kind: str
    entry: bytes
    times: Timeline
    samples: list[list[Bytes]]
    width: int = 0
    height: int = 0
    matrix: tuple[int, ...] = (1, 0, 0, 1)

    @property
    def sizes(self) -> list[int]:
        """The bytes of each sample."""
        return [sum(map(len, pieces)) for pieces in self.samples]


def box(kind: bytes, *parts: bytes) -> bytes:
    """Return a box of the given type around ``parts``."""
    body = b"".join(parts)
    return pack(">I4s", 8 + len(body), kind) + body


def full_box(kind: bytes, version: int, flags: int, *parts: bytes) -> bytes:
    """Return a box that begins with a version and flags."""
    return box(kind, pack(">I", version << 24 | flags), *parts)


def mp4_pieces(streams: list[Stream]) -> Iterator[Bytes]:
    """Yield the bytes of the file in order, header first."""
    plan = _interleave(streams)
    sizes = [stream.sizes for stream in streams]
    ftyp = box(b"ftyp", BRANDS)
    header = len(ftyp) + len(_moov(streams, sizes, plan, 0)) + 8
    moov = _moov(streams, sizes, plan, header)
    yield ftyp
    yield moov
    yield pack(">I4s", 8 + sum(map(sum, sizes)), b"mdat")
    for number, run in plan:
        for index in run:
            yield from streams[number].samples[index]


def _interleave(streams: list[Stream]) -> list[tuple[int, range]]:
    """Return the chunks of the file in order: (stream, stretch of its samples)."""
    chunks: list[tuple[int, int, range]] = []
    for number, stream in enumerate(streams):
        slots: list[int] = []
        now = 0
        for step in stream.times.steps:
            slots.append(now * CLOCK // stream.times.timescale // CHUNK)
            now += step
        at = 0
        for slot, group in groupby(slots):
            count = len(list(group))
            chunks.append((slot, number, range(at, at + count)))
            at += count
    return [(number, run) for _, number, run in sorted(chunks, key=lambda chunk: chunk[:2])]


def _moov(
    streams: list[Stream], sizes: list[list[int]], plan: list[tuple[int, range]], at: int
) -> bytes:
    offsets: list[list[int]] = [[] for _ in streams]
    for number, run in plan:
        offsets[number].append(at)
        at += sum(sizes[number][run.start : run.stop])
    chunks = [[run for owner, run in plan if owner == number] for number in range(len(streams))]
    longest = max(_shown(stream) for stream in streams)
    identity = _matrix((1, 0, 0, 1), 0, 0)
    mvhd = full_box(
        b"mvhd",
        0,
        0,
        pack(">IIIIIH10x", 0, 0, CLOCK, longest, UNITY, 0x100),
        identity,
        bytes(24),
        pack(">I", len(streams) + 1),
    )
    traks = [
        _trak(number + 1, stream, sizes[number], chunks[number], offsets[number])
        for number, stream in enumerate(streams)
    ]
    return box(b"moov", mvhd, *traks)


def _shown(stream: Stream) -> int:
    """Return until when a track lasts, in ticks of the movie's clock."""
    return round(stream.times.start * CLOCK) + _length(stream)


def _length(stream: Stream) -> int:
    return stream.times.length * CLOCK // stream.times.timescale


def _matrix(cells: tuple[int, ...], width: int, height: int) -> bytes:
    """Return a display matrix of quarter turns, moved so that the turned picture begins at the
    origin.
    """
    a, b, c, d = cells
    right = (width if a < 0 else 0) + (height if c < 0 else 0)
    down = (width if b < 0 else 0) + (height if d < 0 else 0)
    rows = (a * UNITY, b * UNITY, 0, c * UNITY, d * UNITY, 0, right * UNITY, down * UNITY, 1 << 30)
    return pack(">9i", *rows)


def _trak(
    number: int, stream: Stream, sizes: list[int], chunks: list[range], offsets: list[int]
) -> bytes:
    sound = stream.kind == "audio"
    tkhd = full_box(
        b"tkhd",
        0,
        3,
        pack(
            ">IIIIIQHHHH",
            0,
            0,
            number,
            0,
            _shown(stream),
            0,
            0,
            int(sound),
            0x100 if sound else 0,
            0,
        ),
        _matrix(stream.matrix, stream.width, stream.height),
        pack(">II", stream.width << 16, stream.height << 16),
    )
    return box(b"trak", tkhd, _edts(stream), _mdia(stream, sizes, chunks, offsets))


def _edts(stream: Stream) -> bytes:
    rows = [pack(">IiI", _length(stream), stream.times.skip, UNITY)]
    wait = round(stream.times.start * CLOCK)
    if stream.times.bare and not wait:
        return b""
    if wait:
        rows.insert(0, pack(">IiI", wait, -1, UNITY))
    return box(b"edts", full_box(b"elst", 0, 0, pack(">I", len(rows)), *rows))


def _mdia(stream: Stream, sizes: list[int], chunks: list[range], offsets: list[int]) -> bytes:
    sound = stream.kind == "audio"
    mdhd = full_box(
        b"mdhd",
        0,
        0,
        pack(">IIIIHH", 0, 0, stream.times.timescale, sum(stream.times.steps), UNDETERMINED, 0),
    )
    hdlr = full_box(b"hdlr", 0, 0, pack(">I4s12xB", 0, b"soun" if sound else b"vide", 0))
    head = full_box(b"smhd", 0, 0, bytes(4)) if sound else full_box(b"vmhd", 0, 1, bytes(8))
    here = box(b"dinf", full_box(b"dref", 0, 0, pack(">I", 1), full_box(b"url ", 0, 1)))
    stbl = box(
        b"stbl",
        full_box(b"stsd", 0, 0, pack(">I", 1), stream.entry),
        *_tables(stream, sizes, chunks, offsets),
    )
    return box(b"mdia", mdhd, hdlr, box(b"minf", head, here, stbl))


def _tables(
    stream: Stream, sizes: list[int], chunks: list[range], offsets: list[int]
) -> Iterator[bytes]:
    times = stream.times
    yield _counted(b"stts", [(len(list(group)), step) for step, group in groupby(times.steps)])
    if any(times.shifts):
        yield _counted(
            b"ctts", [(len(list(group)), shift) for shift, group in groupby(times.shifts)]
        )
    if not all(times.sync):
        yield _counted(b"stss", [(index + 1,) for index, sync in enumerate(times.sync) if sync])
    rows = [(index + 1, len(run), 1) for index, run in enumerate(chunks)]
    yield _counted(
        b"stsc", rows[:1] + [row for before, row in pairwise(rows) if row[1] != before[1]]
    )
    yield full_box(b"stsz", 0, 0, pack(f">II{len(sizes)}I", 0, len(sizes), *sizes))
    yield _counted(b"stco", [(offset,) for offset in offsets])


def _counted(kind: bytes, rows: Sequence[tuple[int, ...]]) -> bytes:
    flat = [value for row in rows for value in row]
    return full_box(kind, 0, 0, pack(f">I{len(flat)}I", len(rows), *flat))
