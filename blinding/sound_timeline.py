"""When each sound packet of a blind copy is heard. No Django here.

**What players do with the times of sound packets.** Chromium reads the time of the first packet
after the start or a seek, and from there on plays what it decodes without a break, whatever the
other times say (measured: sound behind a gap of 0.3 s is played 0.3 s early, in the raw file and in
the copy). ffmpeg gives each packet the time that the file says; other players wait where a time
lies behind the end of what they have played. None cuts a packet to a duration that the container
gives it. So a copy is heard as the raw file is, in each of them, when its packets are the same and
each has the time that it had: nothing is smoothed, and no gap is closed.

**What a time in a file means.** Most files round it: Matroska, FLV and what was made from them to a
millisecond, and recorders write what their clock said. A packet's own length is exact. So packets
follow each other by their own length for as long as no time in the file lies further off than the
rounding can explain. Where one does, it is a gap, a drift or the jitter of a recorder's clock, and
the copy takes the file's time from there on. Errors of rounding cannot add up, and no packet lies
further than half a millisecond and a sample or two from its time in the file.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from blinding.timeline import CannotTime, Timeline
from fartbench.media.movie import Track

ROUNDING = Fraction(1, 2000)
"""How far (s) a time may lie off for having been rounded to a millisecond."""
LONGEST_SKIP = 1
"""Seconds of hidden sound before the first heard one that players decode; they pass over what lies
before.
"""


@dataclass(slots=True)
class _Run:
    """Packets that follow each other without a gap: how many, and how far their times in the file
    lie from the gapless ones (in samples x the track's ticks a second): the first one's, the least
    and the largest.
    """

    count: int
    first: int
    least: int
    largest: int


def sound_timeline(track: Track, rate: int, nominal: list[int]) -> Timeline:
    """Return the times of a sound track whose packets last ``nominal`` samples at ``rate`` hertz,
    in samples.

    Gaps and drift of the source are kept. Raises CannotTime when packets are out of order, or more
    is hidden than a player would decode.
    """
    shift, steps = _steps(track, rate, nominal)
    moved = Fraction(shift, rate)
    first = track.time(track.samples[0])
    begin = first if track.begin is None else max(track.begin, first)
    skip = round((begin - first) * rate)
    if skip > LONGEST_SKIP * rate:
        raise CannotTime("its edit list hides more than a second of sound")
    end = first + moved + Fraction(sum(steps), rate) - track.tail
    stop = end if track.end is None else min(track.end, end)
    last = round((stop - first - moved) * rate)
    if last <= skip:
        raise CannotTime("its edit list hides all of its sound")
    steps = _cut(steps, last)
    return Timeline(
        timescale=rate,
        kept=range(len(steps)),
        steps=steps,
        shifts=[0] * len(steps),
        sync=[True] * len(steps),
        start=begin + moved,
        skip=skip,
        length=last - skip,
        # Chromium takes Opus off its header's pre-skip without an edit list, and otherwise what the
        # edit list hides: with one that hides nothing, it would play the sound later than the raw
        # file's by the pre-skip.
        bare=track.codec == "opus" and track.begin is None,
    )


def _cut(steps: list[int], last: int) -> list[int]:
    """Return the steps of the packets that begin before ``last`` (samples), the last one ending
    there.
    """
    kept, begin = len(steps), sum(steps[:-1])
    while kept > 1 and begin >= last:
        kept -= 1
        begin -= steps[kept - 1]
    return [*steps[: kept - 1], last - begin]


def _steps(track: Track, rate: int, nominal: list[int]) -> tuple[int, list[int]]:
    """Return by how many samples the first packet is moved, and how many lie between each packet
    and the next.
    """
    # Two samples more than the rounding, for the rounding to whole samples here and in the file
    # that is written.
    slack = int(ROUNDING * rate + 2)
    offsets: list[int] = []
    for run in _runs(track, rate, nominal, slack * track.timescale):
        middle = min(
            max(run.first, run.largest - slack * track.timescale),
            run.least + slack * track.timescale,
        )
        offsets += [round(Fraction(middle, track.timescale))] * run.count
    due = list(accumulate(nominal, initial=0))
    starts = [begin + offset for begin, offset in zip(due, offsets, strict=False)]
    for index in range(1, len(starts)):
        # A recorder's clock gives two packets one time; a file wants one sample between them.
        earliest = starts[index - 1] + 1
        if earliest - starts[index] > slack:
            raise CannotTime("its sound packets are out of order")
        starts[index] = max(starts[index], earliest)
    return starts[0], [after - before for before, after in pairwise(starts)] + [nominal[-1]]


def _runs(track: Track, rate: int, nominal: list[int], slack: int) -> Iterator[_Run]:
    """Yield the longest runs of packets that one offset brings within ``slack`` of all their times
    in the file.
    """
    origin, due = track.samples[0].pts, 0
    run: _Run | None = None
    for sample, length in zip(track.samples, nominal, strict=True):
        off = (sample.pts - origin) * rate - due * track.timescale
        due += length
        if run is not None and max(run.largest, off) - min(run.least, off) <= 2 * slack:
            run.count += 1
            run.least, run.largest = min(run.least, off), max(run.largest, off)
            continue
        if run is not None:
            yield run
        run = _Run(1, off, off, off)
    if run is not None:
        yield run
