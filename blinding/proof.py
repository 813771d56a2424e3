"""Proving that a blind copy shows and sounds exactly as the raw clip. No Django here.

Both files are read by libavformat and decoded, not by this project's own readers: a mistake of those would show here.
The demuxer is fixed from the file's first bytes and is given the open file, so it can open nothing else.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.stream import AudioStream
from av.container import InputContainer
from av.error import FFmpegError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from blinding.copying import NotCopyable
from fartbench.media.bounds import BOUNDS
from fartbench.media.errors import NotAVideo
from fartbench.media.movie import Movie, Track
from fartbench.media.probe import span
from fartbench.media.reading import open_bytes, read_movie, sniff
from fartbench.media.sandbox import call_apart

SECONDS = 300.0
SOUND_SLACK_S = 0.001
PICTURE_SLACK_S = 2e-6
"""Half a tick of the copy's clock, and half of the microsecond in which the difference is reported."""
_DEMUXERS = {"mp4": "mov", "matroska": "matroska"}


@dataclass(frozen=True, slots=True)
class Proof:
    """What decoding the raw clip and its blind copy showed; hashes are SHA-256 (hex), times in seconds.

    ``picture_time_error`` is the largest difference between the times of a picture after the first one in both files,
    ``sound_time_error`` that between the times of a sound frame after the first picture (None without sound).
    ``faults`` names what differs; the copy is proven when there is none.
    """

    pictures: int
    samples: int
    raw_picture_sha256: str
    blind_picture_sha256: str
    raw_sound_sha256: str | None
    blind_sound_sha256: str | None
    picture_time_error: float
    sound_time_error: float | None
    faults: list[str]

    @property
    def holds(self) -> bool:
        """Whether the blind copy is proven to be the same clip."""
        return not self.faults

    def insist(self, raw: Path) -> None:
        """Raise NotCopyable, naming what differs, when the proof does not hold."""
        if self.faults:
            raise NotCopyable(raw, f"its blind copy would not be the same clip: {'; '.join(self.faults)}.")

    def as_json(self) -> dict[str, Any]:
        """Return the proof as a JSON object, with ``holds``."""
        return asdict(self) | {"holds": self.holds}


def prove(raw: Path, blind: Path) -> Proof:
    """Decode both files in the sandbox and compare them; raise NotAVideo or MediaToolDied when one fails to decode."""
    return Proof(**call_apart(_prove_here, raw, str(blind.absolute()), seconds=SECONDS))


def _prove_here(raw: Path, blind: str) -> dict[str, Any]:
    return asdict(compare(decode(raw), decode(Path(blind))))


@dataclass(slots=True)
class Decoded:
    """A file's decoded picture and sound: hashes, and when each frame is presented (s)."""

    pictures: list[Fraction] = field(default_factory=list)
    sounds: list[Fraction] = field(default_factory=list)
    samples: int = 0
    most: int | None = None
    picture: Any = field(default_factory=hashlib.sha256)
    planes: list[Any] = field(default_factory=list)

    @property
    def sound_sha256(self) -> str | None:
        """One hash over the hashes of each channel (planar) or of the interleaved samples."""
        whole = hashlib.sha256(b"".join(plane.digest() for plane in self.planes))
        return whole.hexdigest() if self.planes else None


def decode(path: Path) -> Decoded:
    """Decode a file's first video and sound track in full; raise NotAVideo when that fails half-way."""
    with open_bytes(path) as data:
        form = _DEMUXERS[sniff(path, data)]
        movie = read_movie(path, data)
        found = Decoded(most=_declared_samples(movie.main("audio")))
    try:
        with path.open("rb") as file, av.open(file, "r", format=form) as container:
            streams = _same_streams(container, movie)
            for stream in streams:
                stream.codec_context.thread_count = 1
                stream.codec_context.options = {"max_pixels": str(BOUNDS.pixels), "err_detect": "explode"}
            for frame in container.decode(*streams):
                _take(found, frame)
    except FFmpegError as fault:
        raise NotAVideo(path, f"cannot be decoded to its end ({fault.strerror}).") from fault
    if not found.pictures:
        raise NotAVideo(path, "holds no picture that can be decoded.")
    return found


def _same_streams(container: InputContainer, movie: Movie) -> list[VideoStream | AudioStream]:
    """Return the streams that a copy takes: of each kind the one in the same place among the tracks of its kind."""
    streams: list[VideoStream | AudioStream] = []
    for kind, found in (("video", container.streams.video), ("audio", container.streams.audio)):
        track = movie.main(kind)
        if track is not None and track.samples:
            streams.append(found[[other for other in movie.tracks if other.kind == kind].index(track)])
    return streams


def _declared_samples(sound: Track | None) -> int | None:
    """Return how many samples the container says are heard, or None when it does not say.

    libavformat cuts the last packet to that in WebM but not in MP4, where players are left to do so.
    """
    if sound is None or sound.end is None or not sound.samples:
        return None
    begin, end = span(sound)
    return round((end - begin) * sound.sample_rate)


def _take(found: Decoded, frame: Any) -> None:
    time = Fraction(frame.pts or 0) * frame.time_base
    if isinstance(frame, VideoFrame):
        found.pictures.append(time)
        found.picture.update(f"{frame.width}x{frame.height} {frame.format.name}".encode())
        for plane in _rows(frame):
            found.picture.update(plane)
    elif isinstance(frame, AudioFrame):
        found.sounds.append(time)
        heard = frame.samples if found.most is None else min(frame.samples, found.most - found.samples)
        found.samples += heard
        size = frame.format.bytes * (1 if frame.format.is_planar else len(frame.layout.channels))
        while len(found.planes) < len(frame.planes):
            found.planes.append(hashlib.sha256(f"{frame.sample_rate} {frame.format.name}".encode()))
        for total, channel in zip(found.planes, frame.planes, strict=False):
            total.update(bytes(channel)[: heard * size])


def _rows(frame: VideoFrame) -> Iterable[np.ndarray[Any, Any]]:
    """Yield each plane's pixels without the padding at the end of its rows."""
    if len(frame.planes) != len(frame.format.components):
        yield np.ascontiguousarray(frame.to_ndarray())
        return
    for plane, component in zip(frame.planes, frame.format.components, strict=True):
        rows = np.frombuffer(bytes(plane), np.uint8).reshape(-1, plane.line_size)
        yield np.ascontiguousarray(rows[: plane.height, : plane.width * (2 if component.bits > 8 else 1)])


def compare(raw: Decoded, blind: Decoded) -> Proof:
    """Return what differs between two decoded files."""
    faults = []
    if len(raw.pictures) != len(blind.pictures):
        faults.append(f"the raw clip has {len(raw.pictures)} pictures, the copy {len(blind.pictures)}")
    elif raw.picture.digest() != blind.picture.digest():
        faults.append("the decoded pictures differ")
    if raw.samples != blind.samples:
        faults.append(f"the raw clip has {raw.samples} sound samples, the copy {blind.samples}")
    elif raw.sound_sha256 != blind.sound_sha256:
        faults.append("the decoded sound differs")
    picture_error = _largest(raw.pictures, blind.pictures, raw, blind)
    sound_error = _largest(raw.sounds, blind.sounds, raw, blind) if raw.sounds and blind.sounds else None
    if picture_error > PICTURE_SLACK_S:
        faults.append(f"a picture is shown {picture_error * 1000:.3f} ms off")
    if sound_error is not None and sound_error > SOUND_SLACK_S:
        faults.append(f"the sound is {sound_error * 1000:.3f} ms off against the picture")
    return Proof(
        pictures=len(blind.pictures),
        samples=blind.samples,
        raw_picture_sha256=raw.picture.hexdigest(),
        blind_picture_sha256=blind.picture.hexdigest(),
        raw_sound_sha256=raw.sound_sha256,
        blind_sound_sha256=blind.sound_sha256,
        picture_time_error=round(picture_error, 6),
        sound_time_error=None if sound_error is None else round(sound_error, 6),
        faults=faults,
    )


def _largest(one: list[Fraction], other: list[Fraction], raw: Decoded, blind: Decoded) -> float:
    """Return the largest difference of two lists of times, each counted from its file's first picture."""
    pairs = zip(one, other, strict=False)
    return max((float(abs((a - raw.pictures[0]) - (b - blind.pictures[0]))) for a, b in pairs), default=0.0)
