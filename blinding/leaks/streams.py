"""What coded samples carry beside picture and sound, and what lies in no sample. No Django here."""

from collections.abc import Callable, Iterator

from blinding.leaks.finding import Finding
from blinding.leaks.mp4 import free_text
from blinding.leaks.text import known_marks, long_text, named, texts
from blinding.scrub import av1, nal
from blinding.scrub.aac import leading_elements, scrub_aac
from blinding.scrub.coded import CannotScrub, Coded
from blinding.scrub.mp3 import scrub_mp3
from blinding.scrub.opus import padding_of, scrub_opus
from fartbench.media.bits import OutOfBits, without_bits
from fartbench.media.boxes import Box, walk
from fartbench.media.movie import Movie, Track


def scan_streams(data: memoryview, movie: Movie) -> Iterator[Finding]:
    """Yield what the samples of a file's picture and sound carry besides, each text once per
    track.
    """
    for track in movie.tracks:
        if track.kind not in ("video", "audio") or not track.samples:
            continue
        samples = [data[s.offset : s.offset + s.size] for s in track.samples]
        yield from _record(track, samples)
        yield from dict.fromkeys(_PER_CODEC.get(track.codec, _nothing)(track, samples))
    yield from _outside(data, movie)


def _record(track: Track, samples: list[memoryview]) -> Iterator[Finding]:
    """Yield what a set-up record holds beyond what stays of it in a scrub."""
    scrubber = _RECORDS.get(track.codec)
    if scrubber is None:
        return
    place, given = f"{track.kind} set-up record", track.config.removeprefix(b"OpusHead")
    try:
        kept = scrubber(track.config, samples[:1]).record
    except CannotScrub as fault:
        yield Finding(place, str(fault), "data that cannot be taken out")
        return
    if len(given) > len(kept):
        found = [
            Finding(place, t[:200], named(t) or "free text")
            for t in texts(given)
            if t.encode() not in kept
        ]
        yield from found or [
            Finding(place, f"{len(given) - len(kept)} bytes", "data that decoding does not need")
        ]


def _nothing(track: Track, samples: list[memoryview]) -> Iterator[Finding]:  # noqa: ARG001 - one shape for all codecs
    yield from ()


def _messages(payload: bytes, place: str) -> Iterator[Finding]:
    found = [Finding(place, text[:200], named(text) or "free text") for text in texts(payload)]
    yield from found or [
        Finding(place, f"{len(payload)} bytes", "a message that decoding does not need")
    ]


def _units(track: Track, samples: list[memoryview]) -> Iterator[Finding]:
    rules = nal.H264 if track.codec == "h264" else nal.HEVC
    width = (track.config[21] & 3) + 1 if len(track.config) > 21 else 4
    kept = {*rules.slices, *rules.parameters, *rules.ends}
    for sample in samples:
        units = (
            nal.split_h264(track.config, sample) if rules is nal.H264 else nal.split(sample, width)
        )
        for unit in units:
            kind = nal.unit_type(unit, rules) if len(unit) >= rules.header else -1
            if kind not in kept and not (rules is nal.H264 and nal.tells_nothing(unit)):
                yield from _messages(
                    bytes(unit[rules.header :]), f"video {rules.names.get(kind, 'unknown unit')}"
                )


def _obus(track: Track, samples: list[memoryview]) -> Iterator[Finding]:  # noqa: ARG001
    for sample in samples:
        for kind, _, payload in av1.split(sample):
            if kind not in av1.KEPT and len(payload):
                yield from _messages(bytes(payload), f"video {av1.NAMES.get(kind, 'unknown')} OBU")


def _aac(track: Track, samples: list[memoryview]) -> Iterator[Finding]:  # noqa: ARG001
    for sample in samples:
        try:
            end = leading_elements(bytes(sample), refuse=False)
        except OutOfBits:
            continue
        if end:
            head = bytes(sample[: end // 8 + 1])
            words = [text for shift in range(8) for text in texts(without_bits(head, 0, shift), 6)]
            yield from (
                Finding("sound fill element", text, named(text) or "free text") for text in words
            )
            if not words:
                yield Finding("sound fill element", f"{end} bits", "")
        for shift in range(1, 8):
            shifted = without_bits(bytes(sample), 0, shift)
            yield from (
                Finding("sound packet", mark, "an encoder or tool")
                for _, mark in known_marks(shifted)
            )
            yield from (
                Finding("sound packet", text, named(text) or "free text")
                for text in long_text(shifted)
            )


def _mp3(track: Track, samples: list[memoryview]) -> Iterator[Finding]:  # noqa: ARG001
    for sample, clean in zip(samples, scrub_mp3(samples).samples, strict=True):
        left = bytes(
            a if a != b else 0 for a, b in zip(bytes(sample), bytes(clean[0]), strict=True)
        )
        yield from (
            Finding("sound ancillary bytes", text, named(text) or "free text")
            for text in texts(left, 6)
        )


def _opus(track: Track, samples: list[memoryview]) -> Iterator[Finding]:  # noqa: ARG001
    for sample in samples:
        padding = bytes(padding_of(sample))
        if any(padding):
            yield from _messages(padding, "sound packet padding")


_RECORDS: dict[str, Callable[[bytes, list[memoryview]], Coded]] = {
    "h264": nal.scrub_h264,
    "hevc": nal.scrub_hevc,
    "av1": av1.scrub_av1,
    "aac": scrub_aac,
    "opus": scrub_opus,
}
_PER_CODEC = {"h264": _units, "hevc": _units, "av1": _obus, "aac": _aac, "mp3": _mp3, "opus": _opus}


def _outside(data: memoryview, movie: Movie) -> Iterator[Finding]:
    """Yield the texts of media data that belongs to no sample of picture or sound, and known marks
    inside samples.
    """
    if movie.container == "matroska":
        for track in movie.tracks:
            if track.kind == "other":
                yield from _other_track(data, track)
        yield from _marks(data, 0, len(data))
        return
    spans = sorted((s.offset, s.offset + s.size) for track in movie.tracks for s in track.samples)
    for box in walk(data, 0, len(data)):
        if box.kind == "mdat":
            yield from _gaps(data, box, spans)
            yield from _marks(data, box.start, box.end)


def _other_track(data: memoryview, track: Track) -> Iterator[Finding]:
    place = f"track {track.number}"
    yield Finding(place, track.codec, "a track that is neither picture nor sound")
    for sample in track.samples:
        yield from free_text(bytes(data[sample.offset : sample.offset + sample.size]), place)


def _gaps(data: memoryview, mdat: Box, spans: list[tuple[int, int]]) -> Iterator[Finding]:
    at = mdat.start
    for start, end in [
        *((a, b) for a, b in spans if mdat.start <= a < mdat.end),
        (mdat.end, mdat.end),
    ]:
        if start > at and any(data[at:start]):
            yield from free_text(
                bytes(data[at:start]), "media data in no sample of picture or sound"
            )
        at = max(at, end)


def _marks(data: memoryview, start: int, end: int) -> Iterator[Finding]:
    for _, mark in known_marks(bytes(data[start:end])):
        yield Finding("media data", mark, "an encoder or tool")
    for text in long_text(bytes(data[start:end])):
        yield Finding("media data", text, named(text) or "free text")
