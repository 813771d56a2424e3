"""What a video file is: measured from its samples and its first decoded frames. No Django here."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import Any

from fartbench.media.bounds import BOUNDS, Bounds
from fartbench.media.errors import NotAVideo, UnsafeMedia
from fartbench.media.movie import Movie, Sample, Track
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart

SECONDS = 20.0
GRID = Fraction(1, 1000)
"""How far (s) a picture may lie off an even grid before the rate counts as variable: Matroska rounds to milliseconds.
"""


@dataclass(frozen=True, slots=True)
class MediaFacts:
    """Technical facts of one file. Times in seconds, rates in hertz or bits per second; ``frame_rate`` is exact
    ("24/1").

    ``video_start`` and ``audio_start`` are when picture and sound are first presented, on the file's own clock;
    ``duration_s`` runs from the earlier of the two to the end of the longer track. Sound fields are None (0 for
    channels) without a sound track.
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

    def as_json(self) -> dict[str, Any]:
        """Return the facts as a JSON object."""
        return asdict(self)


def probe(path: Path) -> MediaFacts:
    """Return the facts of a video; raise NotAVideo, UnsafeMedia or MediaToolDied naming the file and the reason."""
    return MediaFacts(**call_apart(_probe_here, path, seconds=SECONDS))


def frame_times(path: Path) -> list[float]:
    """Return when each picture is presented, in order, in seconds after the file's first presented moment; raises like
    probe()."""
    times: list[float] = call_apart(_times_here, path, seconds=SECONDS)
    return times


def _probe_here(path: Path) -> dict[str, Any]:
    with open_bytes(path) as data:
        return asdict(facts(path, data, read_movie(path, data), BOUNDS))


def _times_here(path: Path) -> list[float]:
    with open_bytes(path) as data:
        movie = read_movie(path, data)
        start = min(span(track)[0] for track in _shown(movie))
        video = _shown(movie)[0]
        return [float(Fraction(tick, video.timescale) + video.shift - start) for tick in picture_ticks(video)]


def _shown(movie: Movie) -> list[Track]:
    return [track for kind in ("video", "audio") if (track := movie.main(kind)) is not None and track.samples]


def picture_ticks(track: Track) -> list[int]:
    """Return when the pictures of a track are presented, in order, in its own ticks, leaving out those that the
    container hides."""
    begin, end = ((moment - track.shift) * track.timescale for moment in span(track))
    shown = (s.pts for s in track.samples if s.pts + max(s.duration, 1) > begin)
    return sorted(pts for pts in shown if track.end is None or pts < end)


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

    ``ticks`` are presentation times in order, ``timescale`` of them a second; ``last`` is how long (s) the last
    picture lasts. Even to a millisecond counts as even, and the rate is then the exact one when times are exact, else
    the usual rate (n or n*1000/1001) that fits.
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
    width, height, profile, pix_fmt = _picture_format(path, data, video, bounds)
    ticks = picture_ticks(video)
    if not ticks:
        raise NotAVideo(path, "hides every one of its pictures.")
    begin, end = span(video)
    rate, variable = frame_rate(ticks, video.timescale, end - Fraction(ticks[-1], video.timescale) - video.shift)
    spans = [span(track) for track in (video, *sound)]
    return MediaFacts(
        container=movie.container,
        size=len(data),
        duration_s=float(max(stop for _, stop in spans) - min(start for start, _ in spans)),
        width=width,
        height=height,
        frame_rate=f"{rate.numerator}/{rate.denominator}",
        frame_count=len(ticks),
        variable_frame_rate=variable,
        video_codec=video.codec,
        profile=profile,
        pix_fmt=pix_fmt,
        video_start=float(begin),
        video_duration_s=float(end - begin),
        video_bit_rate=_bit_rate(video, end - begin),
        rotation=_rotation(video),
        pixel_aspect=f"{video.pixel_aspect[0]}:{video.pixel_aspect[1]}",
        timescale=video.timescale,
        keyframes=sum(sample.sync for sample in video.samples),
        tracks=len(movie.tracks),
        **_sound_facts(path, data, sound[0] if sound else None, bounds),
    )


def _picture_format(path: Path, data: memoryview, video: Track, bounds: Bounds) -> tuple[int, int, str, str]:
    """Return width, height, profile and pixel format: the decoded picture's, or the container's for a codec not
    decoded here."""
    from fartbench.media.decoding import first_picture  # noqa: PLC0415 - only the sandbox's child decodes

    decoded = first_picture(path, data, video, bounds)
    if decoded is None:
        return video.width, video.height, "", ""
    frame, profile = decoded
    if frame.width * frame.height > bounds.pixels:
        raise UnsafeMedia(path, f"is {frame.width}x{frame.height}; a clip may have at most {bounds.pixels} pixels.")
    return frame.width, frame.height, profile, frame.format.name


def _sound_facts(path: Path, data: memoryview, track: Track | None, bounds: Bounds) -> dict[str, Any]:
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
        found |= {"sample_rate": frame.sample_rate, "channels": len(frame.layout.channels)}
        found["audio_packet_samples"] = frame.samples
    return found


def _bit_rate(track: Track, length: Fraction) -> int:
    return round(8 * sum(sample.size for sample in track.samples) / length) if length > 0 else 0


def _rotation(track: Track) -> int:
    """Return the clockwise turn in degrees of a quarter-turn matrix; mirrored pictures count by their first row."""
    return {(1, 0): 0, (0, 1): 90, (-1, 0): 180, (0, -1): 270}.get((track.matrix[0], track.matrix[1]), 0)
