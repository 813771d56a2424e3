"""Reading WebM and Matroska into tracks of samples. No Django here.

Source: RFC 9559. Times are kept as the file rounds them (usually whole milliseconds).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from fartbench.media import ebml
from fartbench.media.bounds import Bounds
from fartbench.media.ebml import BadElements, Bytes, Element
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.movie import Movie, Sample, Track

SEGMENT, INFO, TRACKS, CLUSTER, BLOCK_GROUP = 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675, 0xA0
ENTRY, VIDEO, AUDIO, COLOUR, ENCODINGS = 0xAE, 0xE0, 0xE1, 0x55B0, 0x6D80
SIMPLE_BLOCK, BLOCK, BLOCK_DURATION, REFERENCE, DISCARD, TIMESTAMP = 0xA3, 0xA1, 0x9B, 0xFB, 0x75A2, 0xE7
SCALE = 0x2AD7B1
NANOSECONDS = 1_000_000_000
_DEEP = frozenset({SEGMENT, INFO, CLUSTER, BLOCK_GROUP})
_NUMBERS = {
    0xD7: "number", 0x83: "type", 0xB9: "enabled", 0x23E383: "default_duration", 0x56AA: "delay",
    0xB0: "width", 0xBA: "height", 0x54B0: "shown_width", 0x54BA: "shown_height", 0x54B2: "shown_unit",
    0x9F: "channels", 0x55B1: "matrix", 0x55B9: "range", 0x55BA: "transfer", 0x55BB: "primaries",
}  # fmt: skip
_REALS = {0xB5: "rate", 0x7675: "roll"}
CODECS = {
    "V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_AV1": "av1", "V_VP8": "vp8", "V_VP9": "vp9",
    "A_AAC": "aac", "A_OPUS": "opus", "A_VORBIS": "vorbis", "A_MPEG/L3": "mp3",
}  # fmt: skip


@dataclass(slots=True)
class _Entry:
    """One track entry: its numbers by name, its codec and what the blocks add."""

    values: dict[str, float] = field(default_factory=dict)
    codec: str = ""
    config: bytes = b""
    encoded: bool = False
    samples: list[Sample] = field(default_factory=list)
    discard: int = 0
    laced: bool = False

    def whole(self, name: str, default: int = 0) -> int:
        return int(self.values.get(name, default))


@dataclass(slots=True)
class _State:
    """Where the walk through the blocks is."""

    scale: int = 1_000_000
    cluster: int = 0
    block: tuple[_Entry, int] | None = None


def read_matroska(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    """Return the tracks of a WebM or Matroska file; raise NotAVideo or UnsafeMedia naming what is wrong with it."""
    try:
        return _read(path, data, bounds)
    except (BadElements, IndexError) as fault:
        raise NotAVideo(path, f"is no whole Matroska file: {fault}.") from fault


def _read(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    entries: dict[int, _Entry] = {}
    state = _State()
    for element in ebml.walk(data, 0, len(data), _DEEP, bounds.boxes * 5):
        if element.ident == TRACKS:
            for child in ebml.walk(data, element.start, element.end):
                if child.ident == ENTRY:
                    entry = _entry(data, child)
                    entries[entry.whole("number")] = entry
        else:
            _follow(data, element, entries, state, bounds)
    if len(entries) > bounds.tracks:
        raise UnsafeMedia(path, f"has {len(entries)} tracks; a clip may have at most {bounds.tracks}.")
    if not entries:
        raise NotAVideo(path, "has no tracks.")
    return Movie("matroska", "matroska", [_track(path, number, entry) for number, entry in entries.items()])


def _entry(data: Bytes, box: Element) -> _Entry:
    entry = _Entry()
    for element in ebml.walk(data, box.start, box.end, frozenset({VIDEO, AUDIO, COLOUR, 0x7670})):
        payload = bytes(data[element.start : element.end]) if element.ident in (0x86, 0x63A2) else b""
        if element.ident in _NUMBERS:
            entry.values[_NUMBERS[element.ident]] = ebml.number(data, element)
        elif element.ident in _REALS:
            entry.values[_REALS[element.ident]] = ebml.real(data, element)
        elif element.ident == 0x86:  # CodecID
            entry.codec = payload.rstrip(b"\0").decode("latin-1")
        elif element.ident == 0x63A2:  # CodecPrivate
            entry.config = payload
        elif element.ident == ENCODINGS:
            entry.encoded = True
    return entry


def _follow(data: Bytes, element: Element, entries: dict[int, _Entry], state: _State, bounds: Bounds) -> None:
    if element.ident == SCALE:
        state.scale = ebml.number(data, element)
    elif element.ident == TIMESTAMP:
        state.cluster = ebml.number(data, element)
    elif element.ident in (SIMPLE_BLOCK, BLOCK):
        state.block = _block(data, element, entries, state, bounds)
    elif state.block is not None and element.ident in (BLOCK_DURATION, REFERENCE, DISCARD):
        entry, added = state.block
        last = entry.samples[-1]
        if element.ident == BLOCK_DURATION and added == 1:
            entry.samples[-1] = last._replace(duration=ebml.number(data, element) * state.scale)
        elif element.ident == REFERENCE:
            entry.samples[-1] = last._replace(sync=False)
        elif element.ident == DISCARD:
            entry.discard = ebml.signed(data, element)


def _block(
    data: Bytes, element: Element, entries: dict[int, _Entry], state: _State, bounds: Bounds
) -> tuple[_Entry, int] | None:
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
    entry.laced |= len(frames) > 1 and not each
    entry.samples += [Sample(o, s, pts + i * each, 0, sync) for i, (o, s) in enumerate(frames)]
    if len(entry.samples) > bounds.samples:
        raise BadElements(f"over {bounds.samples} blocks in one track")
    return entry, len(frames)


def _laced(data: Bytes, at: int, end: int, kind: int) -> list[tuple[int, int]]:
    """Return where the frames of a block lie (RFC 9559 §10.3: no, Xiph, fixed-size or EBML lacing)."""
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
            size = (value or 0) if index == 0 else sizes[-1] + (value or 0) - ((1 << (7 * (at - first) - 1)) - 1)
        sizes.append(size)
    sizes.append(end - at - sum(sizes))
    if min(sizes) < 0:
        raise BadElements("a block's lacing runs past its end")
    starts = [at + sum(sizes[:i]) for i in range(count)]
    return list(zip(starts, sizes, strict=True))


def _track(path: Path, number: int, entry: _Entry) -> Track:
    kind = {1: "video", 2: "audio"}.get(entry.whole("type"), "other")
    track = Track(number, kind, CODECS.get(entry.codec, entry.codec), NANOSECONDS, entry.config, _timed(entry))
    track.enabled = entry.whole("enabled", 1) == 1
    if entry.encoded and kind != "other":
        raise UnsafeMedia(path, "packs or encrypts its samples (ContentEncodings), which can unpack to any size.")
    if entry.laced:
        track.obstacle = "its sound packets carry no times of their own"
    if kind == "video":
        _video(track, entry)
    elif kind == "audio":
        track.sample_rate, track.channels = entry.whole("rate", 8000), entry.whole("channels", 1)
        track.shift = Fraction(-entry.whole("delay"), NANOSECONDS)
        if track.samples:
            track.begin = Fraction(track.samples[0].pts, NANOSECONDS)
            track.tail = Fraction(max(entry.discard, 0), NANOSECONDS)
    return track


def _video(track: Track, entry: _Entry) -> None:
    track.width, track.height = entry.whole("width"), entry.whole("height")
    wide, high = entry.whole("shown_width"), entry.whole("shown_height")
    if wide and high and entry.whole("shown_unit") in (0, 3) and track.width and track.height:
        aspect = Fraction(wide * track.height, high * track.width)
        track.pixel_aspect = (aspect.numerator, aspect.denominator)
    if "primaries" in entry.values or "matrix" in entry.values:
        primaries, transfer, matrix = (entry.whole(name, 2) for name in ("primaries", "transfer", "matrix"))
        track.colour = (primaries, transfer, matrix, int(entry.whole("range") == 2))  # full range
    if entry.values.get("roll"):
        track.obstacle = "the picture is turned by other than quarter turns"


def _timed(entry: _Entry) -> list[Sample]:
    """Return the samples with durations: the block's own, else the time to the next one, else the track's default."""
    ordered = sorted({sample.pts for sample in entry.samples})
    gaps = {a: b - a for a, b in pairwise(ordered)}
    last = entry.whole("default_duration") or (ordered[-1] - ordered[-2] if len(ordered) > 1 else 0)
    return [
        sample if sample.duration else sample._replace(duration=gaps.get(sample.pts, last)) for sample in entry.samples
    ]
