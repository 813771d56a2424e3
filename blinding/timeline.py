"""When each sample of a blind copy is decoded and shown, on clocks that are the same for every clip. No Django here.

Pictures run on a clock of 720,000 ticks a second, on which one picture at 23.976, 24, 25, 29.97, 30, 50, 59.94 or 60
per second and one millisecond are whole numbers; sound runs on its own sample rate. Decoding times follow from the
order of the pictures, not from the source.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from fartbench.media.movie import Track
from fartbench.media.probe import span

CLOCK = 720_000
SLACK = Fraction(1, 1000)
LONGEST_SKIP = 1


class CannotTime(ValueError):
    """A copy could not show the track at the same times; the message says why."""


@dataclass(slots=True)
class Timeline:
    """One track's times: which samples are kept, their decode steps and shown-after-decode shifts in ticks of
    ``timescale``.

    ``start`` (seconds) is when the track first shows something, ``skip`` how many ticks lie hidden before that,
    ``length`` how many ticks are shown.
    """

    timescale: int
    kept: range
    steps: list[int]
    shifts: list[int]
    sync: list[bool]
    start: Fraction
    skip: int
    length: int


def picture_timeline(track: Track) -> Timeline:
    """Return the times of a picture track; raise CannotTime when pictures are hidden, shown twice at one time or out
    of order."""
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
    sync = [sample.sync for sample in samples]
    return Timeline(CLOCK, kept, steps, shifts, sync, Fraction(max(begin, ordered[0]), CLOCK), delay, sum(steps))


def _on_clock(pts: int, track: Track) -> int:
    """Return a presentation time in ticks of the pictures' clock, rounded to the nearest."""
    unit = track.timescale * track.shift.denominator
    ticks = (pts * track.shift.denominator + track.shift.numerator * track.timescale) * CLOCK
    return (2 * ticks + unit) // (2 * unit)


def _visible(track: Track) -> range:
    """Return the stretch of samples (decoding order) that are shown; whole hidden groups before and a hidden tail are
    left out."""
    begin, end = ((moment - track.shift) * track.timescale for moment in span(track))
    slack = SLACK / 2 * track.timescale
    low, high, least = begin + slack, end - slack, Fraction(2 * slack)
    open_end = track.end is None
    hidden = [s.pts + (s.duration or least) <= low or (s.pts >= high and not open_end) for s in track.samples]
    first = 0
    for index, sample in enumerate(track.samples):
        if sample.sync and all(hidden[first:index]):
            first = index
    last = len(hidden)
    while last > first and hidden[last - 1]:
        last -= 1
    if any(hidden[first:last]) or first == last:
        raise CannotTime("its edit list hides pictures that others are built on")
    return range(first, last)


def sound_timeline(track: Track, rate: int, nominal: list[int]) -> Timeline:
    """Return the times of a sound track whose packets last ``nominal`` samples at ``rate``; gaps in the source are
    kept."""
    first = track.time(track.samples[0])
    unit, origin = track.timescale, track.samples[0].pts
    starts = [(2 * (sample.pts - origin) * rate + unit) // (2 * unit) for sample in track.samples]
    steps = _steps(starts, nominal, rate)
    total = sum(steps)
    begin = first if track.begin is None else max(track.begin, first)
    end = first + Fraction(total, rate) - track.tail
    stop = end if track.end is None else min(track.end, end)
    skip, last = round((begin - first) * rate), round((stop - first) * rate)
    if skip > LONGEST_SKIP * rate:
        raise CannotTime("its edit list hides more than a second of sound")
    if last <= skip:
        raise CannotTime("its edit list hides all of its sound")
    kept = len(steps)
    while kept > 1 and total - steps[kept - 1] >= last:
        total -= steps[kept - 1]
        kept -= 1
    steps = [*steps[: kept - 1], last - sum(steps[: kept - 1])]
    return Timeline(rate, range(kept), steps, [0] * kept, [True] * kept, begin, skip, last - skip)


def _steps(starts: list[int], nominal: list[int], rate: int) -> list[int]:
    """Return each packet's length in samples: the nominal one, or the source's own steps where they drift from it by
    over a millisecond."""
    due, slack = 0, rate // 1000
    for start, length in zip(starts, nominal, strict=True):
        if abs(start - due) > slack:
            break
        due += length
    else:
        return nominal
    steps = [b - a for a, b in pairwise(starts)] + [nominal[-1]]
    if min(steps) < 1:
        raise CannotTime("its sound packets are out of order")
    return steps
