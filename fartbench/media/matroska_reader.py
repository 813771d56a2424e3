"""Reading WebM and Matroska into tracks of samples. No Django here.

Source: RFC 9559. Times are kept as the file rounds them (usually whole milliseconds).
"""

from itertools import pairwise
from pathlib import Path

from fartbench.media import ebml, matroska_display
from fartbench.media.bounds import Bounds
from fartbench.media.ebml import BadElements, Bytes, Element
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.matroska_blocks import NANOSECONDS, Entry, State, follow
from fartbench.media.matroska_sound import set_sound
from fartbench.media.movie import Movie, Sample, Track

SEGMENT, INFO, TRACKS, CLUSTER = 0x18538067, 0x1549A966, 0x1654AE6B, 0x1F43B675
ENTRY, VIDEO, AUDIO, ENCODINGS = 0xAE, 0xE0, 0xE1, 0x6D80
SCALE = 0x2AD7B1
DEFAULT_SCALE = 1_000_000
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


FOLLOWED = "a second Matroska file is joined to its end, and players differ on whether they play it"


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
    state = State(scale)
    is_followed = _is_followed(data, segment)
    for element in ebml.walk(data, segment.start, segment.end, _DEEP, bounds.boxes * 5):
        follow(data, element, entries, state, bounds)
    tracks = [_track(path, data, number, entry, state.scale) for number, entry in entries.items()]
    if is_followed:
        for track in tracks:
            track.obstacle = track.obstacle or FOLLOWED
    return Movie("matroska", "matroska", tracks)


def _segment(data: Bytes) -> Element:
    """Return the first segment: players read nothing behind its end."""
    for element in ebml.walk(data, 0, len(data), frozenset({SEGMENT})):
        if element.ident == SEGMENT:
            return element
    raise BadElements("it holds no segment")


def _is_followed(data: Bytes, segment: Element) -> bool:
    """Say whether another segment lies behind the first one, as when files are joined byte by
    byte.
    """
    try:
        return any(one.ident == SEGMENT for one in ebml.walk(data, segment.end, len(data)))
    except (BadElements, IndexError):
        return False  # bytes that are no elements: players read nothing there


def _headers(data: Bytes, segment: Element, bounds: Bounds) -> tuple[dict[int, Entry], int]:
    """Return the track entries by number and the nanoseconds of a tick, wherever in the file they
    lie: editors of tags move them to its end.
    """
    entries: dict[int, Entry] = {}
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


def _entry(data: Bytes, box: Element) -> Entry:
    entry = Entry()
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


def _track(path: Path, data: Bytes, number: int, entry: Entry, scale: int) -> Track:
    kind = {1: "video", 2: "audio"}.get(entry.whole("type"), "other")
    track = Track(
        number, kind, CODECS.get(entry.codec, entry.codec), NANOSECONDS, entry.config, _timed(entry)
    )
    track.marked_default = entry.whole("default", 1) == 1
    if entry.encoded and kind != "other":
        raise UnsafeMedia(
            path,
            "packs or encrypts its samples (ContentEncodings), which can unpack to any size. Write "
            "it anew without that: “ffmpeg -i OLD -map 0 -c copy NEW.mkv”.",
        )
    if kind == "video":
        matroska_display.set_showing(track, entry.values, entry.additions)
        if entry.untimed and not entry.whole("default_duration"):
            track.obstacle = "several frames share a block, and nothing says when each is shown"
    elif kind == "audio":
        set_sound(data, track, entry, scale)
    return track


def _timed(entry: Entry) -> list[Sample]:
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
