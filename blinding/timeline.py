"""When each sample of a blind copy is decoded and shown, on clocks that are the same for every
clip. No Django here.

Pictures run on a clock of 720,000 ticks a second, on which one picture at 23.976, 24, 25, 29.97,
30, 50, 59.94 or 60 per second and one millisecond are whole numbers. Decoding times follow from the
order of the pictures, not from the source. For sound see sound_timeline.py.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, floor

from fartbench.media.movie import Sample, Track
from fartbench.media.presentation import span

CLOCK = 720_000
SLACK = Fraction(1, 1000)


class CannotTime(ValueError):
    """A copy could not show the track at the same times; the message says why."""


@dataclass(slots=True)
class Timeline:
    """One track's times: which samples are kept, their decode steps and shown-after-decode shifts
    in ticks of ``timescale``.

    ``start`` (seconds) is when the track first shows something, ``skip`` how many ticks lie hidden
    before that, ``length`` how many ticks are shown. A ``bare`` track gets no edit list unless it
    has to wait for its start.
    """

    timescale: int
    kept: range
    steps: list[int]
    shifts: list[int]
    sync: list[bool]
    start: Fraction
    skip: int
    length: int
    bare: bool = False


def picture_timeline(track: Track) -> Timeline:
    """Return the times of a picture track; raise CannotTime when pictures are hidden, shown twice
    at one time or out of order.
    """
    kept = _visible(track)
    samples = track.samples[kept.start : kept.stop]
    times = [_on_clock(sample.pts, track) for sample in samples]
    ordered = sorted(times)
    if len(set(ordered)) < len(ordered):
        raise CannotTime("two pictures have the same time")
    if not samples[0].sync:
        raise CannotTime("it does not begin with a key picture")
    begin, stop = (round(moment * CLOCK) for moment in span(track))
    if begin - ordered[0] > 1:
        raise CannotTime("its edit list begins in the middle of a picture")
    delay = max(due - time for due, time in zip(ordered, times, strict=True))
    steps = [b - a for a, b in pairwise(ordered)] + [max(1, stop - ordered[-1])]
    shifts = [time - due + delay for due, time in zip(ordered, times, strict=True)]
    sync = _entries(track.codec, samples)
    return Timeline(
        CLOCK, kept, steps, shifts, sync, Fraction(max(begin, ordered[0]), CLOCK), delay, sum(steps)
    )


def _entries(codec: str, samples: list[Sample]) -> list[bool]:
    """Return for each sample whether players may begin to decode there.

    At a key frame of an open group of H.264 they may not, whatever the file says: frames behind it
    are shown before it and built on frames before it. Chromium stops with an error when it seeks
    to one. HEVC has marks by which decoders know such frames. The first sample is one in any case.
    """
    entries = [sample.sync for sample in samples]
    if codec != "h264":
        return entries
    earliest_behind = samples[-1].pts
    for place in range(len(samples) - 1, 0, -1):
        pts = samples[place].pts
        entries[place] = entries[place] and earliest_behind >= pts
        earliest_behind = min(earliest_behind, pts)
    return entries


def _on_clock(pts: int, track: Track) -> int:
    """Return a presentation time in ticks of the pictures' clock, rounded to the nearest."""
    unit = track.timescale * track.shift.denominator
    ticks = (pts * track.shift.denominator + track.shift.numerator * track.timescale) * CLOCK
    return (2 * ticks + unit) // (2 * unit)


def _visible(track: Track) -> range:
    """Return the stretch of samples (decoding order) that are shown; whole hidden groups before and
    a hidden tail are left out.
    """
    begin, end = ((moment - track.shift) * track.timescale for moment in span(track))
    slack = SLACK / 2 * track.timescale
    # Ticks are whole numbers, so whole limits say the same, and are compared much faster.
    low, low_without_duration, high = floor(begin + slack), floor(begin - slack), ceil(end - slack)
    open_end = track.end is None

    def is_hidden(sample: Sample) -> bool:
        if sample.pts >= high and not open_end:
            return True
        return (
            sample.pts + sample.duration <= low
            if sample.duration
            else sample.pts <= low_without_duration
        )

    hidden = [is_hidden(sample) for sample in track.samples]
    first = _last_key_behind_hidden(track.samples, hidden)
    last = len(hidden)
    while last > first and hidden[last - 1]:
        last -= 1
    if any(hidden[first:last]) or first == last:
        raise CannotTime("its edit list hides pictures that others are built on")
    return range(first, last)


def _last_key_behind_hidden(samples: list[Sample], hidden: list[bool]) -> int:
    """Return the last key sample before which all others are hidden, 0 when there is none."""
    first_shown = next(
        (index for index, is_hidden in enumerate(hidden) if not is_hidden), len(hidden)
    )
    if first_shown == len(hidden):
        return 0
    return next((index for index in range(first_shown, -1, -1) if samples[index].sync), 0)
