"""From case values to a system's columns: means, coverage, intervals, trajectories. No Django here.

Source: arXiv:2608.26336v1, §4.1 (uniform averaging over cases) and its public evaluation code
(bootstrap of cases, 10,000 draws, seed 0, 95 % percentile interval; trajectories). There is no
overall score.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import linear_regression
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from scoring.metrics.cases import CaseValue
from scoring.stats.estimate import Estimate, Undefined, without_interval

DRAWS, SEED = 10_000, 0
_CHUNK = 500


@dataclass(frozen=True, slots=True)
class Column:
    """One metric of one system. ``counts`` says how many cases have each status; only computed ones
    enter the mean.

    ``signed`` is the mean change with its direction, for drifts; ``reasons`` holds the first reason
    of each status.
    """

    code: str
    estimate: Estimate | Undefined
    counts: dict[str, int]
    signed: float | None = None
    reasons: Mapping[str, str] = field(default_factory=dict)

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


def column(code: str, values: Sequence[CaseValue]) -> Column:
    """Return the mean over cases that have a value, with its interval, and how many have none and
    why.
    """
    known = np.array([one.value for one in values if one.value is not None], np.float64)
    signed = [one.signed for one in values if one.signed is not None]
    counts = Counter(str(one.status) for one in values)
    reasons = {str(one.status): one.reason for one in reversed(values) if one.reason}
    return Column(
        code,
        mean_of_cases(known),
        dict(counts),
        float(np.mean(signed)) if signed else None,
        reasons,
    )


def mean_of_cases(values: NDArray[np.float64]) -> Estimate | Undefined:
    """Return the mean of (n,) case values with the percentile bootstrap interval over cases."""
    count = values.size
    if count == 0:
        return Undefined("no case has a value")
    value = float(values.mean())
    if count == 1:
        return without_interval(value, 1, "an interval needs at least two cases")
    means = np.concatenate([values[drawn].mean(axis=1) for drawn in _draws(count)])
    low, high = np.quantile(means, [0.025, 0.975])
    return Estimate(
        value, float(low), float(high), count, f"percentile bootstrap of cases, {DRAWS} draws"
    )


@lru_cache(maxsize=4)
def _draws(count: int) -> tuple[NDArray[np.int64], ...]:
    """Return which of ``count`` cases each draw takes, (500, count) at a time: the same for every
    column.
    """
    random = np.random.default_rng(SEED)
    return tuple(random.integers(0, count, (_CHUNK, count)) for _ in range(DRAWS // _CHUNK))


@dataclass(frozen=True, slots=True)
class Trajectory:
    """How a metric develops along a rollout: a point for each unit's end (s), and how it changes.

    ``degradation`` is per 100 s, positive when it gets worse; ``variation`` the mean absolute step
    between neighbours.
    """

    code: str
    at_s: tuple[float, ...]
    values: tuple[float, ...]
    degradation: float
    variation: float


def trajectory(
    code: str, points: Mapping[float, float | None], *, better: Literal["higher", "lower"]
) -> Trajectory | Undefined:
    """Return the trajectory of a metric's means by unit's end (s); the slope is that of the
    least-squares line.
    """
    if len(points) < 2 or None in points.values():  # noqa: PLR2004
        return Undefined("an interval has no value", len(points))
    at_s, values = (np.array(list(found), np.float64) for found in (points, points.values()))
    # What is only the noise of a computation is no change, and differs between machines.
    slope = round(linear_regression(list(at_s), list(values)).slope * 100, 9)
    variation = float(np.abs(np.diff(values)).mean())
    return Trajectory(
        code,
        tuple(float(at) for at in at_s),
        tuple(float(value) for value in values),
        0.0 - slope if better == "higher" else slope,
        variation,
    )
