"""From case values to a system's columns: means, coverage, intervals, trajectories. No Django here.

Source: arXiv:2608.26336v1, §4.1 (uniform averaging over cases) and its public evaluation code
(bootstrap of cases, 10,000 draws, 95 % percentile interval; trajectories). There is no overall
score. Ours: the interval is Student's t over cases, since the bootstrap holds 95 % only from some
30 cases on, where it is given beside it; and the intervals of a trajectory.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.cases import CaseValue
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import ANYTHING, jackknife_interval, mean_interval

DRAWS, SEED = 10_000, 0
BOOTSTRAP_FROM = 30
"""How many cases there are at least when the bootstrap is given beside Student's t."""
_CHUNK = 500

Limits = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of one system. ``counts`` says how many cases have each status; only computed ones
    enter the mean.

    ``signed`` is the mean change with its direction, for drifts; ``reasons`` holds the first reason
    of each status; ``bootstrap`` is the paper's interval, None with few cases.
    """

    code: str
    estimate: Estimate | Undefined
    counts: dict[str, int]
    signed: float | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)
    bootstrap: Limits | None = None

    @property
    def is_provisional(self) -> bool:
        """Say whether an evaluator failed somewhere: the column may change, and no release may
        carry it.
        """
        return self.counts.get("evaluator_failure", 0) > 0

    @property
    def coverage(self) -> float | None:
        """The share of cases with a value, of those that the metric applies to; None where there is
        none of them.
        """
        applicable = sum(self.counts.values()) - self.counts.get("not_applicable", 0)
        return self.counts.get("computed", 0) / applicable if applicable else None


def column(code: str, values: Sequence[CaseValue], bounds: Limits = ANYTHING) -> Column:
    """Return the mean over cases that have a value, with its interval cut to ``bounds``, and how
    many have none and why.
    """
    known = np.array([one.value for one in values if one.value is not None], np.float64)
    signed = [one.signed for one in values if one.signed is not None]
    counts = Counter(str(one.status) for one in values)
    reasons = {str(one.status): one.reason for one in reversed(values) if one.reason}
    return Column(
        code,
        mean_of_cases(known, bounds),
        dict(counts),
        float(np.mean(signed)) if signed else None,
        reasons,
        bootstrap_of_cases(known),
    )


def mean_of_cases(values: NDArray[np.float64], bounds: Limits = ANYTHING) -> Estimate | Undefined:
    """Return the mean of (n,) case values with Student's t interval, cut to ``bounds``."""
    return mean_interval(values, bounds=bounds, of="cases")


def bootstrap_of_cases(values: NDArray[np.float64]) -> Limits | None:
    """Return the percentile bootstrap interval of the mean of (n,) case values, None for fewer than
    30 cases or values that are all the same.
    """
    if values.size < BOOTSTRAP_FROM or np.ptp(values) == 0:
        return None
    means = np.concatenate([values[drawn].mean(axis=1) for drawn in _draws(values.size)])
    low, high = np.quantile(means, [0.025, 0.975])
    return float(low), float(high)


@lru_cache(maxsize=4)
def _draws(count: int) -> tuple[NDArray[np.int64], ...]:
    """Return which of ``count`` cases each draw takes, (500, count) at a time: the same for every
    column. The stream of this generator never changes (NEP 19).
    """
    random = np.random.RandomState(SEED)
    return tuple(random.randint(0, count, (_CHUNK, count)) for _ in range(DRAWS // _CHUNK))


@dataclass(frozen=True, slots=True)
class Trajectory:
    """How a metric develops along rollouts: a mean over cases for each unit's end (s), and how it
    changes.

    ``degradation`` is per 100 s, positive when it gets worse; ``variation`` the mean absolute step
    between neighbours. All have the interval of the jackknife over cases, which of a mean is
    Student's t.
    """

    code: str
    at_s: tuple[float, ...]
    means: tuple[Estimate, ...]
    degradation: Estimate
    variation: Estimate


Followed = Sequence[tuple[float, float | None]]
"""A case along its rollout: the end (s) of each unit, and its value."""


def trajectory(
    code: str,
    cases: Sequence[Followed],
    *,
    better: Literal["higher", "lower"],
    bounds: Limits = ANYTHING,
) -> Trajectory | Undefined:
    """Return the trajectory of a metric's means over cases; the slope is that of the least-squares
    line. ``bounds`` are those of the metric.
    """
    ends = sorted({end_s for case in cases for end_s, _ in case})
    sums, counts = _sums_by_end(cases, ends)
    if len(ends) < 2 or not counts.sum(axis=0).all():  # noqa: PLR2004
        return Undefined("an interval has no value", len(ends))
    at_s = np.array(ends, np.float64)
    means = sums.sum(axis=0) / counts.sum(axis=0)
    slope, variation = _changes(at_s, means[None, :])
    # Without one of the cases an end may be left without a value: then there is no interval.
    rest = counts.sum(axis=0) - counts
    others = np.divide(
        sums.sum(axis=0) - sums, rest, out=np.full_like(sums, np.nan), where=rest > 0
    )
    slopes, variations = _changes(at_s, others)
    sign = -1.0 if better == "higher" else 1.0
    worse = sign * slope[0] + 0.0  # never a minus before a zero
    count = len(cases)
    return Trajectory(
        code,
        tuple(ends),
        tuple(
            jackknife_interval(
                float(value), without[valued], int(valued.sum()), bounds=bounds, of="cases"
            )
            for value, without, valued in zip(means, others.T, counts.T > 0, strict=True)
        ),
        jackknife_interval(worse, sign * slopes, count, of="cases"),
        jackknife_interval(float(variation[0]), variations, count, bounds=(0, np.inf), of="cases"),
    )


def _sums_by_end(
    cases: Sequence[Followed], ends: Sequence[float]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Return (cases, ends) the sum of each case's values at each end, and how many there are."""
    sums = np.zeros((len(cases), len(ends)))
    counts = np.zeros((len(cases), len(ends)), np.int64)
    place = {end_s: index for index, end_s in enumerate(ends)}
    for row, case in enumerate(cases):
        for end_s, value in case:
            if value is not None:
                sums[row, place[end_s]] += value
                counts[row, place[end_s]] += 1
    return sums, counts


def _changes(
    at_s: NDArray[np.float64], means: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return of each row of (n, ends) means the slope per 100 s and the mean absolute step."""
    centred = at_s - at_s.mean()
    # What is only the noise of a computation is no change, and differs between machines.
    slopes = np.round(100 * (means @ centred) / (centred @ centred), 9)
    return slopes, np.abs(np.diff(means, axis=1)).mean(axis=1)
