"""What a video file is: measured from its samples and its first decoded frames. No Django here."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from fartbench.media.bounds import BOUNDS, Bounds
from fartbench.media.coded_facts import Looking, bit_rate, picture_facts, sound_facts
from fartbench.media.display import is_mirrored, rotation, shown_size
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.movie import Movie, Track
from fartbench.media.presentation import (
    frame_rate,
    picture_ticks,
    presented_times,
    presented_tracks,
    span,
)
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart
from fartbench.media.track_choice import choice_facts

SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """Technical facts of one file. Times in seconds, rates in hertz or bits per second;
    ``frame_rate`` is exact ("24/1").

    ``video_start`` and ``audio_start`` are when picture and sound are first presented, on the
    file's own clock; ``duration_s`` runs from the earlier of the two to the end of the longer
    track. Sound fields are None (0 for channels) without a sound track.

    ``width`` and ``height`` are the coded frame's. ``shown_width`` and ``shown_height`` are what a
    player shows, in square pixels: stretched by the pixels' shape, never shrunk, then turned
    clockwise by ``rotation`` degrees. ``mirrored`` frames are flipped left to right before they are
    turned.

    ``video_tracks`` and ``audio_tracks`` count the tracks of each kind; ``video_track`` and
    ``audio_track`` are the places of those that these facts are about (from 1, 0 for none),
    ``default_video_track`` and ``default_audio_track`` the places of the first ones that the file
    marks as default. ``transfer`` is the transfer characteristic's number (ITU-T H.273; 2 when
    nothing says it).
    """

    container: str
    size: int
    duration_s: float
    width: int
    height: int
    frame_rate: str
    frame_count: int
    variable_frame_rate: bool
    video_codec: str
    profile: str
    pix_fmt: str
    video_start: float
    video_duration_s: float
    video_bit_rate: int
    rotation: int
    pixel_aspect: str
    shown_width: int
    shown_height: int
    mirrored: bool
    timescale: int
    keyframes: int
    has_audio: bool
    audio_codec: str | None
    audio_profile: str | None
    sample_rate: int | None
    channels: int
    audio_start: float | None
    audio_duration_s: float | None
    audio_bit_rate: int | None
    audio_packet_samples: int | None
    tracks: int
    video_tracks: int
    video_track: int
    default_video_track: int | None
    audio_tracks: int
    audio_track: int
    default_audio_track: int | None
    transfer: int
    has_alpha: bool

    def as_json(self) -> dict[str, Any]:
        """Return the facts as a JSON object."""
        return asdict(self)


def probe(path: Path) -> MediaFacts:
    """Return the facts of a video; raise NotAVideo, UnsafeMedia or MediaToolDied naming the file
    and the reason.
    """
    return MediaFacts(**call_apart(_probe_here, path, seconds=SECONDS))


def frame_times(path: Path) -> list[float]:
    """Return when each picture is presented, in order, in seconds after the file's first presented
    moment; raises like probe().
    """
    times: list[float] = call_apart(_times_here, path, seconds=SECONDS)
    return times


def _probe_here(path: Path) -> dict[str, Any]:
    with open_bytes(path) as data:
        return asdict(facts(path, data, read_movie(path, data), BOUNDS))


def _times_here(path: Path) -> list[float]:
    with open_bytes(path) as data:
        return presented_times(read_movie(path, data))


def facts(
    path: Path,
    data: memoryview,
    movie: Movie,
    bounds: Bounds,
    looking: Looking = Looking.DECODE,
) -> MediaFacts:
    """Return the facts of a file that has been read; ``looking`` says how far its first frame is
    decoded.
    """
    tracks = presented_tracks(movie)
    video, sound = tracks[0], tracks[1] if len(tracks) > 1 else None
    picture = picture_facts(path, data, video, bounds, looking)
    shown_width, shown_height = shown_size(video, picture["width"], picture["height"])
    if max(shown_width, shown_height) > bounds.shown_side:
        raise UnsafeMedia(
            path,
            f"is shown {shown_width}x{shown_height}; a clip may be shown at most "
            f"{bounds.shown_side} wide or high.",
        )
    spans = [span(track) for track in tracks]
    first, last = min(begin for begin, _ in spans), max(end for _, end in spans)
    return MediaFacts(
        container=movie.container,
        size=len(data),
        duration_s=float(last - first),
        rotation=rotation(video.matrix),
        pixel_aspect=f"{video.pixel_aspect[0]}:{video.pixel_aspect[1]}",
        shown_width=shown_width,
        shown_height=shown_height,
        mirrored=is_mirrored(video.matrix),
        timescale=video.timescale,
        tracks=len(movie.tracks),
        **_frame_counts(path, video),
        **picture,
        **choice_facts(movie),  # type: ignore[arg-type]
        **sound_facts(path, data, sound, bounds),
    )


def _frame_counts(path: Path, video: Track) -> dict[str, Any]:
    """Return the facts about how many frames there are, and when."""
    ticks = picture_ticks(video)
    if not ticks:
        raise NotAVideo(path, "hides every one of its pictures.")
    begin, end = span(video)
    last = end - Fraction(ticks[-1], video.timescale) - video.shift
    rate, is_variable = frame_rate(ticks, video.timescale, last)
    return {
        "frame_rate": f"{rate.numerator}/{rate.denominator}",
        "frame_count": len(ticks),
        "variable_frame_rate": is_variable,
        "keyframes": sum(sample.sync for sample in video.samples),
        "video_codec": video.codec,
        "video_start": float(begin),
        "video_duration_s": float(end - begin),
        "video_bit_rate": bit_rate(video, end - begin),
    }
