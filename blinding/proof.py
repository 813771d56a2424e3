"""Proving that a blind copy shows and sounds exactly as the raw clip. No Django here.

Both files are read by libavformat and decoded, not by this project's own readers: a mistake of
those would show here. The demuxer is fixed from the file's first bytes and is given the open file,
so it can open nothing else.
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
from av.error import FFmpegError, InvalidDataError
from av.video.frame import VideoFrame
from av.video.stream import VideoStream

from blinding.copying import NotCopyable
from blinding.proof_showing import Showing, compare_showing, showing
from blinding.proof_sound import DecodedSound, compare_sound, decode_whole_packets
from blinding.sound_copying import WAY_ON
from fartbench.media.bounds import BOUNDS
from fartbench.media.errors import NotAVideo
from fartbench.media.movie import Movie
from fartbench.media.pcm import UnreadableSound
from fartbench.media.presentation import span
from fartbench.media.reading import open_bytes, read_movie, sniff
from fartbench.media.sandbox import call_apart

SECONDS = 300.0
PICTURE_SLACK_S = 2e-6
"""Half a tick of the copy's clock, and half of the microsecond in which the difference is
reported.
"""
_DEMUXERS = {"mp4": "mov", "matroska": "matroska"}


@dataclass(frozen=True, slots=True)
class Proof:
    """What decoding the raw clip and its blind copy showed; hashes are SHA-256 (hex), times in
    seconds.

    ``shown`` is the copy's size in square pixels and its turn, ``samples`` are those that are heard
    of the copy. ``picture_time_error`` is the largest difference between the times of a picture
    after the first one in both files, ``sound_time_error`` that between the times of a sound packet
    after the first picture (None without sound). The hashes of sound are of all packets that the
    copy has, decoded whole. ``faults`` names what differs; the copy is proven when there is none.
    """

    pictures: int
    shown: str
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
            raise NotCopyable(
                raw, f"its blind copy would not be the same clip: {'; '.join(self.faults)}."
            )

    def as_json(self) -> dict[str, Any]:
        """Return the proof as a JSON object, with ``holds``."""
        return asdict(self) | {"holds": self.holds}


def prove(raw: Path, blind: Path) -> Proof:
    """Decode both files in the sandbox and compare them; raise NotAVideo or MediaToolDied when one
    fails to decode.
    """
    return Proof(**call_apart(_prove_here, raw, str(blind.absolute()), seconds=SECONDS))


def _prove_here(raw: Path, blind: str) -> dict[str, Any]:
    return asdict(prove_files(raw, Path(blind)))


def prove_files(raw: Path, blind: Path) -> Proof:
    """Do what prove() does, in this process: for the sandbox."""
    copy = decode(blind)
    return compare(decode(raw, sound_samples=copy.sound.samples), copy)


@dataclass(slots=True)
class Decoded:
    """A file's decoded picture and sound: hashes, and when each frame is presented (s).

    ``first_packet`` is when the frame is presented that comes first in the order of decoding (ticks
    of its stream).
    """

    sound: DecodedSound
    first_packet: int | None = None
    pictures: list[Fraction] = field(default_factory=list)
    picture: Any = field(default_factory=hashlib.sha256)
    showing: Showing | None = None


def decode(path: Path, *, sound_samples: int | None = None) -> Decoded:
    """Decode a file's first video and sound track in full; raise NotAVideo when that fails
    half-way.

    With ``sound_samples``, no more than that many go into the hash of the sound.
    """
    with open_bytes(path) as data:
        form = _DEMUXERS[sniff(path, data)]
        movie = read_movie(path, data)
        sound = DecodedSound(
            limit=sound_samples, hides_ticks=form == "mov", end=_declared_end(movie)
        )
        found = Decoded(sound)
    try:
        with (
            path.open("rb") as file,
            av.open(file, "r", format=form, metadata_errors="replace") as container,
        ):
            streams = _same_streams(container, movie)
            for stream in streams:
                stream.codec_context.thread_count = 1
                stream.codec_context.options = {
                    "max_pixels": str(BOUNDS.pixels),
                    "err_detect": "explode",
                }
                if isinstance(stream, AudioStream):
                    decode_whole_packets(stream)
            for packet in container.demux(*streams):
                for frame in _frames(found, packet):
                    _take(found, packet, frame)
    except FFmpegError as fault:
        raise NotAVideo(
            path,
            f"cannot be decoded to its end ({fault.strerror}), and browsers stop there too; "
            f"{WAY_ON}.",
        ) from fault
    except UnreadableSound as fault:
        raise NotAVideo(path, f"has sound that cannot be read: {fault}.") from fault
    if not found.pictures:
        raise NotAVideo(path, "holds no picture that can be decoded.")
    return found


def _frames(found: Decoded, packet: Any) -> list[Any]:
    """Return the frames that come out of a decoder with a packet.

    Where a clip was cut before a key frame of an open group, the frames that are decoded behind it
    and shown before it are built on others that are not there. Players pass over them.
    """
    try:
        frames: list[Any] = packet.decode()
    except InvalidDataError:
        if packet.stream.type != "video" or not _leads(found, packet):
            raise
        return []
    finally:
        if packet.stream.type == "video" and found.first_packet is None:
            found.first_packet = packet.pts
    return frames


def _leads(found: Decoded, packet: Any) -> bool:
    """Say whether a packet of picture lies behind the first one in the file and is shown before it
    or not at all.
    """
    first = found.first_packet
    return first is not None and (packet.pts is None or packet.pts < first)


def _same_streams(container: InputContainer, movie: Movie) -> list[VideoStream | AudioStream]:
    """Return the streams that a copy takes: of each kind the one in the same place among the tracks
    of its kind.
    """
    streams: list[VideoStream | AudioStream] = []
    for kind, found in (("video", container.streams.video), ("audio", container.streams.audio)):
        track = movie.main(kind)
        if track is not None and track.samples:
            streams.append(
                found[[other for other in movie.tracks if other.kind == kind].index(track)]
            )
    return streams


def _declared_end(movie: Movie) -> Fraction | None:
    """Return when the container ends the sound (s after the first picture), or None when it leaves
    that to the packets.

    libavformat cuts the last packet to that in WebM but not in MP4, where players are left to do
    so.
    """
    video, sound = movie.main("video"), movie.main("audio")
    if video is None or sound is None or sound.end is None or not sound.samples:
        return None
    return span(sound)[1] - span(video)[0]


def _take(found: Decoded, packet: Any, frame: Any) -> None:
    if isinstance(frame, VideoFrame):
        if found.showing is None:
            found.showing = showing(packet.stream, frame)
        found.pictures.append(Fraction(frame.pts or 0) * Fraction(frame.time_base or 1))
        found.picture.update(f"{frame.width}x{frame.height} {frame.format.name}".encode())
        for plane in _rows(frame):
            found.picture.update(plane)
    elif isinstance(frame, AudioFrame):
        found.sound.take(packet, frame)


def _rows(frame: VideoFrame) -> Iterable[np.ndarray[Any, Any]]:
    """Yield each plane's pixels without the padding at the end of its rows."""
    if len(frame.planes) != len(frame.format.components):
        yield np.ascontiguousarray(frame.to_ndarray())
        return
    for plane, component in zip(frame.planes, frame.format.components, strict=True):
        rows = np.frombuffer(bytes(plane), np.uint8).reshape(-1, plane.line_size)
        yield np.ascontiguousarray(
            rows[: plane.height, : plane.width * (2 if component.bits > 8 else 1)]
        )


def compare(raw: Decoded, blind: Decoded) -> Proof:
    """Return what differs between two decoded files."""
    faults = []
    if len(raw.pictures) != len(blind.pictures):
        faults.append(
            f"the raw clip has {len(raw.pictures)} pictures, the copy {len(blind.pictures)}"
        )
    elif raw.picture.digest() != blind.picture.digest():
        faults.append("the decoded pictures differ")
    if raw.showing and blind.showing:
        faults += compare_showing(raw.showing, blind.showing)
    sound = compare_sound(raw.sound, blind.sound, raw.pictures[0], blind.pictures[0])
    picture_error = max(
        (
            float(abs((one - raw.pictures[0]) - (other - blind.pictures[0])))
            for one, other in zip(raw.pictures, blind.pictures, strict=False)
        ),
        default=0.0,
    )
    if picture_error > PICTURE_SLACK_S:
        faults.append(f"a picture is shown {picture_error * 1000:.3f} ms off")
    faults += sound.faults
    return Proof(
        pictures=len(blind.pictures),
        shown=str(blind.showing),
        samples=sound.samples,
        raw_picture_sha256=raw.picture.hexdigest(),
        blind_picture_sha256=blind.picture.hexdigest(),
        raw_sound_sha256=raw.sound.sha256,
        blind_sound_sha256=blind.sound.sha256,
        picture_time_error=round(picture_error, 6),
        sound_time_error=None if sound.time_error is None else round(sound.time_error, 6),
        faults=faults,
    )
