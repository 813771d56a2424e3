"""Making the blind copy of one clip: the same coded picture and sound, in a file with nothing else.

No Django here.
"""

import os
import threading
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from blinding.mp4_entries import picture_entry
from blinding.mp4_writer import Stream, mp4_pieces
from blinding.padding import padding
from blinding.scrub.av1 import scrub_av1
from blinding.scrub.coded import CannotScrub, Coded
from blinding.scrub.nal import fill_to, scrub_h264, scrub_hevc
from blinding.scrub.vp9 import scrub_vp9
from blinding.sound_copying import copied_sound, is_played_early, play_what_is_hidden
from blinding.timeline import CannotTime, picture_timeline
from blinding.writing import hashing, write_hashed
from fartbench.media.bounds import BOUNDS
from fartbench.media.coded_facts import Looking
from fartbench.media.errors import MediaRefusal
from fartbench.media.movie import Movie, Track
from fartbench.media.probe import MediaFacts, facts
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart

SECONDS = 60.0
SEE_THROUGH = "part of its picture is see-through (alpha), and an MP4 file has no place for that"


class NotCopyable(MediaRefusal):
    """A clip whose coded picture and sound cannot be carried over unchanged into a blind MP4
    file.
    """


class CannotWrite(MediaRefusal):
    """The place to write a blind copy to is not there."""


@dataclass(frozen=True, slots=True)
class CopyResult:
    """What a blind copy came from and is: SHA-256 of both files (hex), sizes (bytes), the raw
    file's facts, and what was left out (name to count).
    """

    raw_sha256: str
    blind_sha256: str
    raw_size: int
    blind_size: int
    raw_facts: MediaFacts
    removed: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """Return the result as a JSON object."""
        return asdict(self)


def blind_copy(src: Path, dst: Path, *, size: int | None = None) -> CopyResult:
    """Write the blind MP4 copy of ``src`` to ``dst``; the same input gives the same bytes.

    With ``size``, the copy is padded to exactly that many bytes. The file appears under its name
    only when it is whole. Raises NotCopyable when the clip cannot be copied
    unchanged, TooLargeToPad, and what probe() raises for a file that is no video.
    """

    def write(partial: str) -> dict[str, Any]:
        copy: dict[str, Any] = call_apart(_copy_here, src, partial, size, seconds=SECONDS)
        return copy

    return finish(src, dst, write)


def finish(src: Path, dst: Path, write: Callable[[str], dict[str, Any]]) -> CopyResult:
    """Let ``write`` fill a file beside ``dst`` and give it its name when it is whole; no partial
    file stays.
    """
    partial = dst.absolute().with_name(f".{dst.name}.{os.getpid()}.{threading.get_ident()}.partial")
    try:
        found = write(str(partial))
        partial.replace(dst)
    except FileNotFoundError as error:
        raise CannotWrite(src, f"cannot be written to {dst}: {error.strerror}.") from error
    finally:
        partial.unlink(missing_ok=True)
        partial.with_name(f"{partial.name}.encoded").unlink(missing_ok=True)
    return read_result(found)


def read_result(answer: dict[str, Any]) -> CopyResult:
    """Return the result that as_json() gave."""
    return CopyResult(**(answer | {"raw_facts": MediaFacts(**answer["raw_facts"])}))


def _copy_here(path: Path, target: str, padded_size: int | None) -> dict[str, Any]:
    return write_copy(path, path, Path(target), padded_size=padded_size)


def write_copy(
    raw: Path,
    source: Path,
    target: Path,
    *,
    picture_bytes: int | None = None,
    padded_size: int | None = None,
) -> dict[str, Any]:
    """Write the blind copy of ``source``, which is ``raw`` itself or was encoded from it; runs in
    the sandbox.

    With ``picture_bytes``, H.264 pictures are filled up with empty units to that many bytes; with
    ``padded_size``, the file is padded to that many.
    """
    with (
        open_bytes(source) as data,
        nullcontext(data) if raw == source else open_bytes(raw) as raw_data,
    ):
        # The raw file is hashed while the copy is made from it, and while that is written.
        with hashing([raw_data]) as raw_digest:
            movie = read_movie(source, data)
            _leave_out_undecodable(data, movie)
            if picture_bytes is not None:
                _hide_once(movie)
            found = facts(source, data, movie, BOUNDS, Looking.READ_HEADERS)
            streams, removed = scrubbed_streams(source, data, movie, found)
            if picture_bytes is not None:
                fill_pictures(source, streams[0], picture_bytes)
            pieces, zeros = list(mp4_pieces(streams)), 0
            if padded_size is not None:
                header, zeros = padding(source, sum(map(len, pieces)), padded_size)
                pieces.append(header)
            size, digest = write_hashed(target, pieces, zeros=zeros)
        result = CopyResult(raw_digest.result(), digest, len(raw_data), size, found, removed)
    return asdict(result)


def _leave_out_undecodable(data: memoryview, movie: Movie) -> None:
    from fartbench.media.leading_frames import leave_out_undecodable  # noqa: PLC0415 - only the sandbox's child decodes

    video = movie.main("video")
    if video is not None:
        leave_out_undecodable(data, video, BOUNDS)


def _hide_once(movie: Movie) -> None:
    """Have the beginning of the sound that was encoded for a copy hidden once in every player."""
    sound = movie.main("audio")
    if sound is not None and sound.codec == "opus":
        sound.is_hidden_once = True


def fill_pictures(path: Path, stream: Stream, total: int) -> None:
    """Fill a picture stream up to ``total`` bytes; raise NotCopyable when it is larger."""
    try:
        fill_to(stream.samples, total)
    except CannotScrub as fault:
        raise NotCopyable(path, f"cannot be normalised: {fault}.") from fault


def scrubbed_streams(
    path: Path, data: memoryview, movie: Movie, raw: MediaFacts
) -> tuple[list[Stream], dict[str, int]]:
    """Return the streams to write, picture first, and what was left out of them."""
    video, audio = movie.main("video"), movie.main("audio")
    kept = [track for track in (video, audio) if track is not None and track.samples]
    removed: dict[str, int] = {}
    if len(movie.tracks) > len(kept):
        removed["other track"] = len(movie.tracks) - len(kept)
    streams = []
    for track in kept:
        try:
            if track.kind == "video":
                stream, gone = _picture(path, data, track, raw)
            else:
                stream, gone = copied_sound(data, track, raw)
        except (CannotScrub, CannotTime) as fault:
            raise NotCopyable(path, f"cannot be copied: {fault}.") from fault
        except IndexError as fault:
            raise NotCopyable(path, f"cannot be copied: its {track.kind} is damaged.") from fault
        streams.append(stream)
        removed |= gone
    _align(path, streams)
    if audio is not None and is_played_early(audio, streams[-1].times):
        play_what_is_hidden(streams[-1].times)
    return streams, removed


def _align(path: Path, streams: list[Stream]) -> None:
    """Let the stream that begins first begin at zero."""
    origin = min(stream.times.start for stream in streams)
    for stream in streams:
        stream.times.start -= origin
        if stream.times.start > BOUNDS.seconds:
            raise NotCopyable(path, "cannot be copied: its picture and sound lie too far apart.")


def _samples(data: memoryview, track: Track, kept: range) -> list[memoryview]:
    return [data[s.offset : s.offset + s.size] for s in track.samples[kept.start : kept.stop]]


_PICTURES: dict[str, Callable[[bytes, list[memoryview]], Coded]] = {
    "h264": scrub_h264,
    "hevc": scrub_hevc,
    "av1": scrub_av1,
}


def _picture(
    path: Path, data: memoryview, track: Track, raw: MediaFacts
) -> tuple[Stream, dict[str, int]]:
    from fartbench.media.alpha import is_opaque  # noqa: PLC0415 - only the sandbox's child decodes

    _refuse_obstacle(track)
    if track.codec not in (*_PICTURES, "vp9"):
        raise CannotScrub(f"browsers do not play {track.codec} pictures in MP4")
    if track.alpha and not is_opaque(path, data, track, BOUNDS):
        raise CannotScrub(SEE_THROUGH)
    times = picture_timeline(track)
    samples = _samples(data, track, times.kept)
    if track.codec == "vp9":
        coded = scrub_vp9(track.config, samples, raw.width * raw.height)
    else:
        coded = _PICTURES[track.codec](track.config, samples)
    shown = _header_width(track, raw)
    entry = picture_entry(coded, track, (raw.width, raw.height))
    removed = coded.removed + track.left_out
    if track.alpha:
        removed["alpha plane"] = len(track.alpha)
    if len(samples) < len(track.samples):
        removed["hidden frame"] = len(track.samples) - len(samples)
    return Stream("video", entry, times, coded.samples, shown, raw.height, track.matrix), dict(
        removed
    )


def _header_width(track: Track, raw: MediaFacts) -> int:
    """Return the width that the track's header says: stretched where the raw container stretched
    the frames.

    Where only the bitstream does, the header says nothing: players would take its rounded width
    before the exact one.
    """
    wide, high = track.pixel_aspect
    width = round(raw.width * Fraction(wide, high)) if track.aspect_declared else raw.width
    if not 0 < width < 1 << 16:
        raise CannotScrub(f"its pixels are {wide} wide by {high} high")
    return width


def _refuse_obstacle(track: Track) -> None:
    if track.obstacle:
        raise CannotScrub(track.obstacle)
