"""What a line of the coverage simulation is: how often an interval holds the truth, and what a page
says where that is not 95%. No Django here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from scoring.stats.estimate import CONFIDENCE, Estimate, Undefined
from scoring.stats.intervals import Floats

Random = np.random.Generator
Simulate = Callable[[Random], float]

EXPECTED_ERROR = 0.007
TOLERATED = 0.015 + 1e-9  # off 95%; beyond it the page says so


@dataclass(frozen=True, slots=True)
class Check:
    """One line: `simulate` returns the share of truths held in one simulated round (0 or 1 when
    there is one), nan where the page shows no interval, or one with a warning.

    Where `expected` is far from 95%, `flag` are the words that say so, and `page` the file they are
    in, from the root of the repository. Intervals of many things at once may hold more often.
    """

    name: str
    expected: float
    simulate: Simulate
    runs: int
    more_is_fine: bool = False
    page: str = ""
    flag: str = ""

    @property
    def is_near(self) -> bool:
        off = self.expected - CONFIDENCE
        return abs(off) <= TOLERATED or (self.more_is_fine and off > 0)


def covers(estimate: Estimate | Undefined, truth: float) -> float:
    """1 when the interval holds the truth, else 0; no interval does not hold it."""
    if isinstance(estimate, Undefined) or estimate.low is None or estimate.high is None:
        return 0.0
    return float(estimate.low <= truth <= estimate.high)


def covers_if_shown(estimate: Estimate | Undefined, truth: float) -> float:
    """The same, nan where there is no interval or a warning stands beside it."""
    if isinstance(estimate, Undefined) or estimate.low is None or estimate.note:
        return float("nan")
    return covers(estimate, truth)


def line(name: str, expected: float, simulate: Simulate, runs: int, *said: str) -> Check:
    """Return a line; `said` are the page and its words, where the coverage is far from 95%."""
    page, flag = said or ("", "")
    return Check(name, expected, simulate, runs, page=page, flag=flag)


def mean_held(found: list[Estimate | Undefined], truth: Floats) -> float:
    """Return the share of intervals that hold their truth, nan where none is shown."""
    held = [covers_if_shown(one, float(true)) for one, true in zip(found, truth, strict=True)]
    shown = [one for one in held if not np.isnan(one)]
    return float(np.mean(shown)) if shown else float("nan")


def run(check: Check, scale: float) -> tuple[str, bool]:
    """Simulate one line; its text and whether the coverage is as expected."""
    runs = max(20, int(check.runs * scale))
    each = np.array([check.simulate(np.random.default_rng([17, number])) for number in range(runs)])
    held = each[~np.isnan(each)]
    if not held.size:
        return f"{check.name:<66} no interval in {runs} rounds   OFF\n", False
    coverage, error = float(held.mean()), max(float(held.std()), 0.05) / held.size**0.5
    allowed = 3 * float(np.hypot(error, EXPECTED_ERROR)) + 0.01
    off = coverage - check.expected
    good = off >= -allowed and (check.more_is_fine or off <= allowed)
    verdict = "ok" if good else "OFF"
    words = (
        f"{check.name:<66} {coverage:.3f} ± {error:.3f}   expected {check.expected:.3f}   {verdict}"
    )
    flagged = "" if check.is_near else f"   flagged on the page: “{check.flag}”"
    return f"{words}{flagged}\n", good
