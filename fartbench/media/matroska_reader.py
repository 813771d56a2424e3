"""Reading WebM and Matroska into tracks of samples. No Django here.

Source: RFC 9559. Times are kept as the file rounds them (usually whole milliseconds).
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

from fartbench.media import ebml, matroska_display
from fartbench.media.bounds import Bounds
from fartbench.media.ebml import BadElements, Bytes, Element
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.matroska_display import ALPHA, Addition
from fartbench.media.movie import Movie, Sample, Track
from fartbench.media.packet_lengths import OPUS_RATE, packet_seconds

SEGMENT, INFO, TRACKS, CLUSTER, BLOCK_GROUP = 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675, 0xA0
ENTRY, VIDEO, AUDIO, ENCODINGS = 0xAE, 0xE0, 0xE1, 0x6D80
SIMPLE_BLOCK, BLOCK, BLOCK_DURATION, REFERENCE, DISCARD, TIMESTAMP = (
    0xA3,
    0xA1,
    0x9B,
    0xFB,
    0x75A2,
    0xE7,
)
ADDITIONS, ADDITION, ADDITION_KIND, ADDED = 0x75A1, 0xA6, 0xEE, 0xA5
SCALE = 0x2AD7B1
DEFAULT_SCALE = 1_000_000
NANOSECONDS = 1_000_000_000
_DEEP = frozenset({SEGMENT, INFO, CLUSTER})
_NUMBERS = {
    0xD7: "number", 0x83: "type", 0x88: "default", 0x23E383: "default_duration", 0x56AA: "delay",
    0x9F: "channels", **matroska_display.NUMBERS,
}  # fmt: skip
_REALS = {0xB5: "rate", **matroska_display.REALS}
CODECS = {
    "V_MPEG4/ISO/AVC": "h264", "V_MPEGH/ISO/HEVC": "hevc", "V_AV1": "av1", "V_VP8": "vp8",
    "V_VP9": "vp9",
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
    discards: dict[int, int] = field(default_factory=dict)
    """What is to be dropped of a block's sound (ns), by the number of its last sample."""
    untimed: set[int] = field(default_factory=set)
    """The samples behind the first one of a block, which have no times of their own."""
    additions: list[Addition] = field(default_factory=list)

    def whole(self, name: str, default: int = 0) -> int:
        return int(self.values.get(name, default))


@dataclass(slots=True)
class _State:
    """Where the walk through the blocks is."""

    scale: int
    cluster: int = 0


def read_matroska(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    """Return the tracks of a WebM or Matroska file; raise NotAVideo or UnsafeMedia naming what is
    wrong with it.
    """
    try:
        return _read(path, data, bounds)
    except (BadElements, IndexError) as fault:
        raise NotAVideo(path, f"is not a complete Matroska file: {fault}.") from fault


def _read(path: Path, data: Bytes, bounds: Bounds) -> Movie:
    segment = _segment(data)
    entries, scale = _headers(data, segment, bounds)
    if len(entries) > bounds.tracks:
        raise UnsafeMedia(
            path, f"has {len(entries)} tracks; a clip may have at most {bounds.tracks}."
        )
    if not entries:
        raise NotAVideo(path, "has no tracks.")
    state = _State(scale)
    for element in ebml.walk(data, segment.start, segment.end, _DEEP, bounds.boxes * 5):
        _follow(data, element, entries, state, bounds)
    tracks = [_track(path, data, number, entry, state.scale) for number, entry in entries.items()]
    return Movie("matroska", "matroska", tracks)


def _segment(data: Bytes) -> Element:
    """Return the first segment: players read nothing behind its end."""
    for element in ebml.walk(data, 0, len(data), frozenset({SEGMENT})):
        if element.ident == SEGMENT:
            return element
    raise BadElements("it holds no segment")


def _headers(data: Bytes, segment: Element, bounds: Bounds) -> tuple[dict[int, _Entry], int]:
    """Return the track entries by number and the nanoseconds of a tick, wherever in the file they
    lie: editors of tags move them to its end.
    """
    entries: dict[int, _Entry] = {}
    scale, missing = DEFAULT_SCALE, {TRACKS, INFO}
    for element in ebml.walk(data, segment.start, segment.end, _DEEP - {INFO}, bounds.boxes * 5):
        if element.ident not in missing:
            continue
        missing.remove(element.ident)
        parts = ebml.walk(data, element.start, element.end)
        if element.ident == TRACKS:
            found = [_entry(data, part) for part in parts if part.ident == ENTRY]
            entries = {entry.whole("number"): entry for entry in found}
        else:
            scale = next(
                (ebml.number(data, part) for part in parts if part.ident == SCALE), DEFAULT_SCALE
            )
        if not missing:
            break
    return entries, scale


def _entry(data: Bytes, box: Element) -> _Entry:
    entry = _Entry()
    for element in ebml.walk(data, box.start, box.end, matroska_display.PARENTS | {VIDEO, AUDIO}):
        payload = (
            bytes(data[element.start : element.end]) if element.ident in (0x86, 0x63A2) else b""
        )
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


def _follow(
    data: Bytes, element: Element, entries: dict[int, _Entry], state: _State, bounds: Bounds
) -> None:
    if element.ident == TIMESTAMP:
        state.cluster = ebml.number(data, element)
    elif element.ident == SIMPLE_BLOCK:
        _block(data, element, entries, state, bounds)
    elif element.ident == BLOCK_GROUP:
        _group(data, element, entries, state, bounds)


def _group(
    data: Bytes, group: Element, entries: dict[int, _Entry], state: _State, bounds: Bounds
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


def _track(path: Path, data: Bytes, number: int, entry: _Entry, scale: int) -> Track:
    kind = {1: "video", 2: "audio"}.get(entry.whole("type"), "other")
    track = Track(
        number, kind, CODECS.get(entry.codec, entry.codec), NANOSECONDS, entry.config, _timed(entry)
    )
    track.marked_default = entry.whole("default", 1) == 1
    if entry.encoded and kind != "other":
        raise UnsafeMedia(
            path, "packs or encrypts its samples (ContentEncodings), which can unpack to any size."
        )
    if kind == "video":
        matroska_display.set_showing(track, entry.values, entry.additions)
        if entry.untimed and not entry.whole("default_duration"):
            track.obstacle = "several frames share a block, and nothing says when each is shown"
    elif kind == "audio":
        _sound(data, track, entry, scale)
    return track


def _sound(data: Bytes, track: Track, entry: _Entry, scale: int) -> None:
    track.sample_rate, track.channels = entry.whole("rate", 8000), entry.whole("channels", 1)
    if not track.samples:
        return
    _time_packets(data, track, entry)
    # Players take the delay off in whole units of the file's clock, and hide it to the sample.
    delay, unit = entry.whole("delay"), max(scale, 1)
    track.shift = Fraction(-((2 * delay + unit) // (2 * unit)) * unit, NANOSECONDS)
    hidden = Fraction(delay, NANOSECONDS) or _pre_skip(track)
    track.begin = track.time(track.samples[0]) + hidden
    _discard(track, entry)


def _discard(track: Track, entry: _Entry) -> None:
    """Set what is dropped of the last packet, of which players drop no more than all; note as an
    obstacle what is dropped elsewhere.
    """
    last = len(track.samples) - 1
    drops = {number: length for number, length in entry.discards.items() if length}
    drop = drops.pop(last, 0)
    if drops or drop < 0:
        track.obstacle = "it drops sound inside the clip (DiscardPadding), which a copy cannot do"
    elif drop and last in entry.untimed:
        track.obstacle = "it drops sound of several packets that share a block (DiscardPadding)"
    track.tail = Fraction(min(max(drop, 0), track.samples[-1].duration), NANOSECONDS)


def _pre_skip(track: Track) -> Fraction:
    """Return how much sound (s) an Opus decoder skips by its own header (RFC 7845 §5.1), which it
    does without a delay in the container.
    """
    if track.codec != "opus" or len(track.config) < 12:
        return Fraction(0)
    return Fraction(int.from_bytes(track.config[10:12], "little"), OPUS_RATE)


def _time_packets(data: Bytes, track: Track, entry: _Entry) -> None:
    """Give each packet the length that it says itself, and those without a time the one at which
    the last one ends.
    """
    for number, sample in enumerate(track.samples):
        packet = data[sample.offset : sample.offset + sample.size]
        seconds = packet_seconds(track.codec, track.config, packet)
        if seconds is None:
            if number in entry.untimed and not entry.whole("default_duration"):
                track.obstacle = (
                    "several sound packets share a block, and nothing says when each is heard"
                )
            continue
        length, pts = round(seconds * NANOSECONDS), sample.pts
        if number in entry.untimed:
            before = track.samples[number - 1]
            pts = before.pts + before.duration
        track.samples[number] = sample._replace(pts=pts, duration=length)


def _timed(entry: _Entry) -> list[Sample]:
    """Return the samples with durations: the block's own, else the time to the next one, else the
    track's default.
    """
    ordered = sorted({sample.pts for sample in entry.samples})
    gaps = {a: b - a for a, b in pairwise(ordered)}
    last = entry.whole("default_duration") or (ordered[-1] - ordered[-2] if len(ordered) > 1 else 0)
    return [
        sample if sample.duration else sample._replace(duration=gaps.get(sample.pts, last))
        for sample in entry.samples
    ]
