"""When the frames and the sound of a file are presented. No Django here."""

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor
from operator import attrgetter

from fartbench.media.movie import Movie, Track

GRID = Fraction(1, 1000)
"""How far (s) a picture may lie off an even grid before the rate counts as variable: Matroska
rounds to milliseconds.
"""
PTS = attrgetter("pts")


def presented_times(movie: Movie) -> list[float]:
    """Return what frame_times() does, for a file that was read already."""
    start = min(span(track)[0] for track in presented_tracks(movie))
    video = presented_tracks(movie)[0]
    return [
        float(Fraction(tick, video.timescale) + video.shift - start)
        for tick in picture_ticks(video)
    ]


def presented_tracks(movie: Movie) -> list[Track]:
    """Return the tracks that are presented: picture, then sound where there is any."""
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
    first = track.time(min(track.samples, key=PTS))
    last = max(track.samples, key=PTS)
    final = track.time(last) + Fraction(last.duration, track.timescale) - track.tail
    begin = first if track.begin is None else max(track.begin, first)
    return begin, final if track.end is None else min(track.end, final)


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
