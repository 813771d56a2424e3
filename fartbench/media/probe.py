"""What a video file is: measured from its samples and its first decoded frames. No Django here."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from pathlib import Path
from typing import Any

from fartbench.media.bounds import BOUNDS, Bounds
from fartbench.media.display import is_mirrored, rotation, shown_size
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.movie import Movie, Sample, Track
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart
from fartbench.media.track_choice import choice_facts

SECONDS = 20.0
FULL_RANGE = 2
"""libav's name for a picture whose numbers use the full range of a byte."""
GRID = Fraction(1, 1000)
"""How far (s) a picture may lie off an even grid before the rate counts as variable: Matroska
rounds to milliseconds.
"""

UNSPECIFIED = 2
"""The transfer characteristic of a picture that does not say which it has (ITU-T H.273)."""


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


def presented_times(movie: Movie) -> list[float]:
    """Return what frame_times() does, for a file that was read already."""
    start = min(span(track)[0] for track in _shown(movie))
    video = _shown(movie)[0]
    return [
        float(Fraction(tick, video.timescale) + video.shift - start)
        for tick in picture_ticks(video)
    ]


def _shown(movie: Movie) -> list[Track]:
    return [
        track
        for kind in ("video", "audio")
        if (track := movie.main(kind)) is not None and track.samples
    ]


def picture_ticks(track: Track) -> list[int]:
    """Return when the pictures of a track are presented, in order, in its own ticks, leaving out
    those that the container hides.
    """
    begin, end = ((moment - track.shift) * track.timescale for moment in span(track))
    # Ticks are whole numbers, so whole limits say the same, and are compared much faster.
    first, stop = floor(begin), ceil(end)
    shown = (s.pts for s in track.samples if s.pts + max(s.duration, 1) > first)
    return sorted(pts for pts in shown if track.end is None or pts < stop)


def span(track: Track) -> tuple[Fraction, Fraction]:
    """Return when a track is first and last presented, in seconds on the file's clock."""
    first = track.time(min(track.samples, key=_pts))
    last = max(track.samples, key=_pts)
    final = track.time(last) + Fraction(last.duration, track.timescale) - track.tail
    begin = first if track.begin is None else max(track.begin, first)
    return begin, final if track.end is None else min(track.end, final)


def _pts(sample: Sample) -> int:
    return sample.pts


def frame_rate(ticks: list[int], timescale: int, last: Fraction) -> tuple[Fraction, bool]:
    """Return pictures per second and whether the spacing varies.

    ``ticks`` are presentation times in order, ``timescale`` of them a second; ``last`` is how long
    (s) the last picture lasts. Even to a millisecond counts as even, and the rate is then the exact
    one when times are exact, else the usual rate (n or n*1000/1001) that fits.
    """
    if len(ticks) == 1:
        return (1 / last if last > 0 else Fraction(0)), False
    steps = {b - a for a, b in pairwise(ticks)}
    if 0 in steps:
        return Fraction(0), True
    if len(steps) == 1:
        return Fraction(timescale, steps.pop()), False
    mean = Fraction((len(ticks) - 1) * timescale, ticks[-1] - ticks[0])
    slack, length = GRID * timescale, ticks[-1] - ticks[0]
    usual = (rate for n in range(1, 121) for rate in (Fraction(n), Fraction(n * 1000, 1001)))
    fitting = [rate for rate in usual if abs((len(ticks) - 1) * timescale / rate - length) <= slack]
    for rate in sorted(fitting, key=lambda rate: (rate.denominator, abs(rate - mean))):
        step = timescale / rate
        if all(abs(tick - ticks[0] - index * step) <= slack for index, tick in enumerate(ticks)):
            return rate, False
    return mean.limit_denominator(100_000), True


def facts(path: Path, data: memoryview, movie: Movie, bounds: Bounds) -> MediaFacts:
    """Return the facts of a file that has been read; decodes one frame of each track."""
    video, *sound = _shown(movie)
    frame_facts = _frame_facts(path, data, video, bounds)
    shown_width, shown_height = shown_size(video, frame_facts["width"], frame_facts["height"])
    if max(shown_width, shown_height) > bounds.shown_side:
        raise UnsafeMedia(
            path,
            f"is shown {shown_width}x{shown_height}; a clip may be shown at most "
            f"{bounds.shown_side} wide or high.",
        )
    ticks = picture_ticks(video)
    if not ticks:
        raise NotAVideo(path, "hides every one of its pictures.")
    begin, end = span(video)
    rate, variable = frame_rate(
        ticks, video.timescale, end - Fraction(ticks[-1], video.timescale) - video.shift
    )
    starts, stops = zip(*(span(track) for track in (video, *sound)), strict=True)
    return MediaFacts(
        container=movie.container,
        size=len(data),
        duration_s=float(max(stops) - min(starts)),
        frame_rate=f"{rate.numerator}/{rate.denominator}",
        frame_count=len(ticks),
        variable_frame_rate=variable,
        video_codec=video.codec,
        video_start=float(begin),
        video_duration_s=float(end - begin),
        video_bit_rate=_bit_rate(video, end - begin),
        rotation=rotation(video.matrix),
        pixel_aspect=f"{video.pixel_aspect[0]}:{video.pixel_aspect[1]}",
        shown_width=shown_width,
        shown_height=shown_height,
        mirrored=is_mirrored(video.matrix),
        timescale=video.timescale,
        keyframes=sum(sample.sync for sample in video.samples),
        tracks=len(movie.tracks),
        **frame_facts,
        **choice_facts(movie),  # type: ignore[arg-type]
        **_sound_facts(path, data, sound[0] if sound else None, bounds),
    )


def _frame_facts(path: Path, data: memoryview, video: Track, bounds: Bounds) -> dict[str, Any]:
    """Return the facts that the first decoded frame tells, or the container for a codec that is not
    decoded here.
    """
    from fartbench.media.decoding import first_picture  # noqa: PLC0415 - only the sandbox's child decodes

    known: dict[str, Any] = {
        "width": video.width,
        "height": video.height,
        "profile": "",
        "pix_fmt": "",
        "transfer": video.colour[1] if video.colour else UNSPECIFIED,
        "has_alpha": video.has_alpha,
    }
    decoded = first_picture(path, data, video, bounds)
    if decoded is None:
        return known
    frame, profile, video.coded_aspect = decoded
    if not video.aspect_declared:
        video.pixel_aspect = video.coded_aspect
    if video.colour is not None and video.colour[3] is None:
        video.colour = (*video.colour[:3], int(frame.color_range == FULL_RANGE))
    if frame.width * frame.height > bounds.pixels:
        raise UnsafeMedia(
            path,
            f"is {frame.width}x{frame.height}; a clip may have at most {bounds.pixels} pixels.",
        )
    if known["transfer"] == UNSPECIFIED:
        known["transfer"] = int(frame.color_trc)
    known["has_alpha"] |= any(component.is_alpha for component in frame.format.components)
    return known | {
        "width": frame.width,
        "height": frame.height,
        "profile": profile,
        "pix_fmt": frame.format.name,
    }


def _sound_facts(
    path: Path, data: memoryview, track: Track | None, bounds: Bounds
) -> dict[str, Any]:
    names = (
        "audio_codec",
        "audio_profile",
        "sample_rate",
        "audio_start",
        "audio_duration_s",
        "audio_bit_rate",
        "audio_packet_samples",
    )
    if track is None:
        return {"has_audio": False, "channels": 0} | dict.fromkeys(names)
    begin, end = span(track)
    found = {
        "has_audio": True,
        "audio_codec": track.codec,
        "audio_profile": "",
        "sample_rate": track.sample_rate,
        "channels": track.channels,
        "audio_start": float(begin),
        "audio_duration_s": float(end - begin),
        "audio_bit_rate": _bit_rate(track, end - begin),
        "audio_packet_samples": None,
    }
    from fartbench.media.decoding import first_sound  # noqa: PLC0415 - only the sandbox's child decodes

    decoded = first_sound(path, data, track, bounds)
    if decoded is not None:
        frame, found["audio_profile"] = decoded
        if frame.layout.nb_channels > bounds.channels:
            raise UnsafeMedia(
                path,
                f"has {frame.layout.nb_channels} channels of sound, more than a clip may have.",
            )
        found |= {"sample_rate": frame.sample_rate, "channels": frame.layout.nb_channels}
        found["audio_packet_samples"] = frame.samples
    return found


def _bit_rate(track: Track, length: Fraction) -> int:
    return round(8 * sum(sample.size for sample in track.samples) / length) if length > 0 else 0
