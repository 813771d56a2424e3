"""Writing the one kind of WebM file that a blind WebM copy is. No Django here.

Layout: EBML header, one Segment of SeekHead, Info, Tracks, Clusters, Cues. Names of programs, ids, languages, tags and
dates are empty or constants. Source: RFC 9559 and the WebM container guidelines.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from struct import pack

from blinding.scrub.coded import Bytes
from fartbench.media.movie import Track

MILLISECOND = Fraction(1, 1000)
LONGEST_CLUSTER = 5000
OPUS_PREROLL_NS = 80_000_000


@dataclass(slots=True)
class WebmStream:
    """One track to write: the source's times, CodecID, rebuilt set-up record and samples in pieces."""

    track: Track
    codec: str
    record: bytes
    samples: list[list[Bytes]]
    width: int = 0
    height: int = 0
    rate: int = 0
    channels: int = 0
    frame_ns: int = 0


@dataclass(slots=True)
class _Block:
    time: int
    stream: int
    index: int
    sync: bool


def element(ident: int, *parts: bytes) -> bytes:
    """Return an EBML element with an 8-byte size."""
    body = b"".join(parts)
    return _ident(ident) + _size(len(body)) + body


def _ident(ident: int) -> bytes:
    return ident.to_bytes((ident.bit_length() + 7) // 8, "big")


def _size(size: int) -> bytes:
    return b"\1" + size.to_bytes(7, "big")


def _number(ident: int, value: int, width: int = 8) -> bytes:
    return element(ident, value.to_bytes(width, "big"))


def webm_pieces(streams: list[WebmStream], length: float) -> Iterator[Bytes]:
    """Yield the bytes of the file in order; ``length`` is its duration in seconds."""
    clusters = _clusters(streams)
    info = element(
        0x1549A966,
        _number(0x2AD7B1, 1_000_000),
        element(0x4489, pack(">d", length * 1000)),
        element(0x4D80),
        element(0x5741),
    )
    tracks = element(0x1654AE6B, *(_entry(number + 1, stream) for number, stream in enumerate(streams)))
    sizes = [_cluster_size(cluster, streams) for cluster in clusters]
    seek_size = len(_seek_head(0, 0, 0))
    first = seek_size + len(info) + len(tracks)
    starts = [first + sum(sizes[:index]) for index in range(len(sizes))]
    cues = element(0x1C53BB6B, *_cue_points(clusters, starts))
    seek = _seek_head(seek_size, seek_size + len(info), first + sum(sizes))
    yield _header()
    yield _ident(0x18538067) + _size(first + sum(sizes) + len(cues))
    yield seek + info + tracks
    for cluster in clusters:
        yield from _cluster(cluster, streams)
    yield cues


def _header() -> bytes:
    numbers = [_number(ident, value, 1) for ident, value in ((0x4286, 1), (0x42F7, 1), (0x42F2, 4), (0x42F3, 8))]
    return element(0x1A45DFA3, *numbers, element(0x4282, b"webm"), _number(0x4287, 4, 1), _number(0x4285, 2, 1))


def _seek_head(info: int, tracks: int, cues: int) -> bytes:
    rows = ((0x1549A966, info), (0x1654AE6B, tracks), (0x1C53BB6B, cues))
    return element(0x114D9B74, *(element(0x4DBB, element(0x53AB, _ident(i)), _number(0x53AC, at)) for i, at in rows))


def _clusters(streams: list[WebmStream]) -> list[list[_Block]]:
    """Return the blocks in order of time, in clusters that begin with a key picture or after five seconds."""
    origin = min(sample.pts for stream in streams for sample in stream.track.samples)
    blocks = [
        _Block(round((Fraction(s.pts - origin, stream.track.timescale)) / MILLISECOND), number, index, s.sync)
        for number, stream in enumerate(streams)
        for index, s in enumerate(stream.track.samples)
    ]
    clusters: list[list[_Block]] = []
    for block in sorted(blocks, key=lambda block: (block.time, block.stream)):
        new = not clusters or block.time - clusters[-1][0].time >= LONGEST_CLUSTER
        if new or (block.stream == 0 and block.sync and any(b.stream == 0 for b in clusters[-1])):
            clusters.append([])
        clusters[-1].append(block)
    return clusters


def _cluster(cluster: list[_Block], streams: list[WebmStream]) -> Iterator[Bytes]:
    yield _ident(0x1F43B675) + _size(_cluster_size(cluster, streams) - 12)
    yield _number(0xE7, cluster[0].time)
    for block in cluster:
        yield from _block(block, cluster[0].time, streams)


def _cluster_size(cluster: list[_Block], streams: list[WebmStream]) -> int:
    blocks = sum(len(piece) for block in cluster for piece in _block(block, cluster[0].time, streams))
    return 12 + len(_number(0xE7, 0)) + blocks


def _block(block: _Block, base: int, streams: list[WebmStream]) -> Iterator[Bytes]:
    stream = streams[block.stream]
    pieces = stream.samples[block.index]
    size = 4 + sum(map(len, pieces))
    last = block.index == len(stream.samples) - 1
    head = bytes([0x80 | block.stream + 1]) + pack(">h", block.time - base)
    if last and stream.track.kind == "audio":
        ending = _ending(stream.track)
        yield _ident(0xA0) + _size(9 + size + len(ending)) + b"\xa1" + _size(size) + head + b"\0"
        yield from pieces
        yield ending
    else:
        yield b"\xa3" + _size(size) + head + (b"\x80" if block.sync else b"\0")
        yield from pieces


def _ending(track: Track) -> bytes:
    """Return how long the last sound packet lasts and how much of it is not heard."""
    lasts = Fraction(track.samples[-1].duration, track.timescale)
    tail = element(0x75A2, pack(">q", round(track.tail * 1_000_000_000))) if track.tail else b""
    return _number(0x9B, round(lasts / MILLISECOND)) + tail


def _entry(number: int, stream: WebmStream) -> bytes:
    track = stream.track
    parts = [_number(0xD7, number, 1), _number(0x73C5, number, 1), _number(0x83, 1 if track.kind == "video" else 2, 1)]
    parts += [_number(0x9C, 0, 1), element(0x22B59C, b"und"), element(0x86, stream.codec.encode())]
    if stream.record:
        parts.append(element(0x63A2, stream.record))
    if stream.frame_ns:
        parts.append(_number(0x23E383, stream.frame_ns))
    if track.kind == "video":
        return element(0xAE, *parts, _picture(stream))
    if track.shift:
        parts += [_number(0x56AA, round(-track.shift * 1_000_000_000)), _number(0x56BB, OPUS_PREROLL_NS)]
    return element(
        0xAE, *parts, element(0xE1, element(0xB5, pack(">d", stream.rate)), _number(0x9F, stream.channels, 1))
    )


def _picture(stream: WebmStream) -> bytes:
    parts = [_number(0xB0, stream.width), _number(0xBA, stream.height)]
    wide, high = stream.track.pixel_aspect
    if wide != high:
        parts += [_number(0x54B0, round(stream.width * Fraction(wide, high))), _number(0x54BA, stream.height)]
    if stream.track.colour is not None:
        primaries, transfer, matrix, full = stream.track.colour
        codes = ((0x55B1, matrix), (0x55B9, 2 if full else 1), (0x55BA, transfer), (0x55BB, primaries))
        parts.append(element(0x55B0, *(_number(ident, value) for ident, value in codes)))
    return element(0xE0, *parts)


def _cue_points(clusters: list[list[_Block]], starts: list[int]) -> Iterator[bytes]:
    for cluster, start in zip(clusters, starts, strict=True):
        key = next((block for block in cluster if block.stream == 0 and block.sync), None)
        if key is not None:
            yield element(0xBB, _number(0xB3, key.time), element(0xB7, _number(0xF7, 1, 1), _number(0xF1, start)))
