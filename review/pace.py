"""How fast a reviewer works, how long the rest will take, and when a break is due. No Django
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from statistics import median

from fartbench.protocol import Protocol

LONGEST_PAUSE = timedelta(
    minutes=10
)  # a longer gap between two locks is a break, and says nothing about the pace
BREAK_AFTER = timedelta(minutes=40)
FEWEST_GAPS = 3
SECONDS_PER_QUESTION = 4  # a rough figure, until the reviewer's own pace is known


def time_left(locked_at: Sequence[datetime], left: int) -> timedelta | None:
    """Return how long ``left`` clips will take at the median pace between earlier locks, or None
    before it is known.
    """
    gaps = [
        later - earlier
        for earlier, later in pairwise(sorted(locked_at))
        if later - earlier <= LONGEST_PAUSE
    ]
    if len(gaps) < FEWEST_GAPS:
        return None
    return timedelta(seconds=median(gap.total_seconds() for gap in gaps) * left)


def expected_time(protocol: Protocol, clips: int) -> timedelta:
    """Return how long ``clips`` will take before the reviewer's own pace is known: playing them as
    often as the protocol asks, and a few seconds for each question.
    """
    each_s = protocol.clip.duration_s * max(1, protocol.playback.full_plays)
    return timedelta(seconds=clips * (each_s + SECONDS_PER_QUESTION * len(protocol.questions)))


def at_work_for(locked_at: Sequence[datetime], now: datetime) -> timedelta:
    """Return how long the reviewer has been locking sheets without a break."""
    began = now
    for moment in sorted(locked_at, reverse=True):
        if began - moment > LONGEST_PAUSE:
            break
        began = moment
    return now - began


def break_is_due(locked_at: Sequence[datetime], now: datetime) -> bool:
    """Say whether the reviewer has worked so long without a break that one is due."""
    return at_work_for(locked_at, now) >= BREAK_AFTER
