"""Each packet of a copy has the time that it had in the file, however the file rounds it."""

import random
from fractions import Fraction
from itertools import accumulate

import pytest

from blinding.sound_timeline import sound_timeline
from blinding.timeline import CannotTime
from fartbench.media.movie import Sample, Track

MILLISECONDS = 1_000
THREE_MINUTES = 180


def track(times, timescale=MILLISECONDS):
    """Return a sound track whose packets have these times (ticks)."""
    return Track(
        1, "audio", "aac", timescale, samples=[Sample(0, 1, time, 0, True) for time in times]
    )


def starts(timeline):
    """Return when each packet of a copy is heard, in seconds on the clock of the file."""
    first = timeline.start - Fraction(timeline.skip, timeline.timescale)
    return [
        first + Fraction(at, timeline.timescale)
        for at in accumulate(timeline.steps[:-1], initial=0)
    ]


def largest_difference(timeline, times, timescale=MILLISECONDS):
    return max(
        abs(one - Fraction(time, timescale))
        for one, time in zip(starts(timeline), times, strict=True)
    )


@pytest.mark.parametrize("rounded", [round, int], ids=["to the nearest", "down"])
@pytest.mark.parametrize(
    ("rate", "length"), [(48_000, 1024), (44_100, 1024), (22_050, 1152), (8_000, 960)]
)
def test_rounded_times_do_not_add_up(rate, length, rounded):
    count = THREE_MINUTES * rate // length
    exact = [Fraction(index * length, rate) for index in range(count)]
    timeline = sound_timeline(
        track([rounded(1000 * time) for time in exact]), rate, [length] * count
    )
    assert timeline.steps == [length] * count
    assert max(
        abs(one - other) for one, other in zip(starts(timeline), exact, strict=True)
    ) <= Fraction(1, 1000)


@pytest.mark.parametrize("parts_in_a_million", [-300, -40, 40, 300])
def test_drift_of_a_clock_is_kept(parts_in_a_million):
    count = THREE_MINUTES * 48_000 // 960
    times = [round(index * 20 * (1 + parts_in_a_million / 1e6)) for index in range(count)]
    timeline = sound_timeline(track(times), 48_000, [960] * count)
    assert largest_difference(timeline, times) <= Fraction(1, 1000)
    assert abs(sum(timeline.steps) - 960 * count) > 48 * 5, (
        "over five milliseconds have come together"
    )


@pytest.mark.parametrize("seed", range(5))
def test_the_jitter_of_a_recorder_is_kept(seed):
    drawn = random.Random(seed)
    times = sorted(60 * index + drawn.randint(-12, 12) for index in range(200))
    timeline = sound_timeline(track(times), 48_000, [2880] * 200)
    assert largest_difference(timeline, times) <= Fraction(1, 1000)


@pytest.mark.parametrize("gap", [1, 240, 1008, 4800, 480_000])
def test_a_gap_is_kept_to_the_sample(gap):
    times = [1024 * index + (gap if index >= 40 else 0) for index in range(80)]
    timeline = sound_timeline(track(times, 48_000), 48_000, [1024] * 80)
    slack = 0 if gap > 60 else gap  # what rounding to a millisecond may have made is closed
    assert largest_difference(timeline, times, 48_000) <= Fraction(slack, 48_000)
    assert sum(timeline.steps) == 80 * 1024 + gap - slack


def test_packets_of_one_time_follow_each_other():
    times = [0, 20, 40, 40, 80, 100]
    timeline = sound_timeline(track(times), 48_000, [960] * 6)
    assert largest_difference(timeline, times) <= Fraction(1, 1000)
    assert min(timeline.steps) >= 1


@pytest.mark.parametrize("times", [[0, 20, 10, 60], [0, 40, 20, 60], [5, 0]])
def test_packets_out_of_order_are_refused(times):
    with pytest.raises(CannotTime, match="out of order"):
        sound_timeline(track(times), 48_000, [960] * len(times))


def test_hidden_sound_is_kept_in_samples():
    source = track([1024 * index for index in range(50)], 48_000)
    source.begin, source.end = Fraction(1024 + 300, 48_000), Fraction(10_000, 48_000)
    timeline = sound_timeline(source, 48_000, [1024] * 50)
    assert (timeline.skip, timeline.length, timeline.start) == (1324, 10_000 - 1324, source.begin)
    assert timeline.kept == range(10)
    assert sum(timeline.steps) == 10_000


@pytest.mark.parametrize(
    ("begin", "end", "reason"),
    [(2, None, "more than a second"), (Fraction(1, 2), Fraction(1, 2), "all of its sound")],
)
def test_too_much_hidden_sound_is_refused(begin, end, reason):
    source = track([1024 * index for index in range(150)], 48_000)
    source.begin, source.end = Fraction(begin), end
    with pytest.raises(CannotTime, match=reason):
        sound_timeline(source, 48_000, [1024] * 150)
