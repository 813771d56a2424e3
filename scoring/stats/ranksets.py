"""How sure a ranking is: simultaneous rank sets and the probability of being ahead. No Django
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from scoring.stats.estimate import CONFIDENCE
from scoring.stats.intervals import Floats, t_chance
from scoring.stats.replicates import Resampled


@dataclass(frozen=True, slots=True)
class RankSet:
    """The ranks, best 1, that a configuration may truly have; n is how many configurations were
    compared.
    """

    low: int
    high: int
    n: int
    method: str = "simultaneous rank set"


@dataclass(frozen=True, slots=True)
class Difference:
    """How far two scores must lie apart, for all pairs at once: (C, C) `beyond`; inf for a pair of
    which that is not known. Where it is known of no pair, `reason` says why.
    """

    beyond: Floats
    method: str
    reason: str = ""

    @property
    def typical(self) -> float:
        """The median over pairs."""
        upper = self.beyond[np.triu_indices(len(self.beyond), 1)]
        return float(np.median(upper[np.isfinite(upper)]))


def sets_of(scores: Floats, difference: Difference) -> list[RankSet]:
    """Rank sets of (C,) scores that hold all true ranks at once with 95% confidence, higher scores
    being better.

    A configuration's best possible rank is 1 + the number of significantly better ones, its worst C
    - the number of significantly worse ones.
    """
    better = scores[:, None] - scores[None, :] > difference.beyond
    count = len(scores)
    return [
        RankSet(
            1 + int(better[:, number].sum()),
            count - int(better[number].sum()),
            count,
            difference.method,
        )
        for number in range(count)
    ]


def rank_sets(configurations: Sequence[Resampled]) -> list[RankSet]:
    """Rank sets of configurations with replicates."""
    scores = np.array([each.value for each in configurations])
    return sets_of(scores, resampled_difference(configurations))


def tukey_difference(errors: Floats, freedom: int) -> Difference:
    """The difference that the range of equal scores exceeds in 5% of rounds (Tukey 1949; for
    unequal errors Kramer 1956, Biometrics 12).

    errors: (C,) the standard errors of the scores; freedom: the degrees of freedom of the variance
    behind them.
    """
    count = len(errors)
    method = f"Tukey's range of {count} scores, {freedom} degrees of freedom"
    unknown = np.full((count, count), np.inf)
    if freedom < 1:
        return Difference(unknown, method, "one scene only: nothing to estimate the variation from")
    if count < 2 or not errors.any():  # noqa: PLR2004
        reason = "no variation beyond the levels of scenes and configurations"
        return Difference(unknown, method, reason)
    # A web process shows what was computed before, and starts without this.
    from scipy.stats import studentized_range  # noqa: PLC0415

    quantile = float(studentized_range.ppf(CONFIDENCE, count, freedom))
    both = np.hypot(errors[:, None], errors[None, :])
    return Difference(quantile / 2**0.5 * both, method)


def resampled_difference(configurations: Sequence[Resampled]) -> Difference:
    """The difference beyond the 95% quantile of the largest studentised one over all pairs.

    Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91. A pair without variation
    between replicates is never called different. All must have the same number of draws.
    """
    error = np.array([each.error for each in configurations])
    pair_error = np.hypot(error[:, None], error[None, :])
    quantile = largest_difference(configurations)
    product = np.multiply(quantile, pair_error, out=np.full_like(pair_error, np.inf),
                          where=pair_error > 0)  # fmt: skip
    reason = "" if np.isfinite(product).any() else "too few clips differ within their scenes"
    return Difference(product, "simultaneous rank set", reason)


def largest_difference(configurations: Sequence[Resampled]) -> float:
    """The 95% quantile of the largest studentised difference that chance makes between any two
    configurations.

    Chance is drawn from each configuration's residuals over all of its scenes. Residuals of one
    scene alone, two or three numbers, make the studentised maximum so wild that nothing is ever
    significant; unstudentised ones cover all true ranks in less than nine of ten rounds
    (`make validate` shows the figures). It is infinite when more than 5% of the draws have a
    pair that differs without variation of its own, or there is one configuration only.
    """
    noise = np.array([each.noise for each in configurations])
    square = np.array([each.noise_errors for each in configurations]) ** 2
    if len(configurations) < 2:  # noqa: PLR2004
        return float("inf")
    largest = np.zeros(noise.shape[1])
    for number in range(len(noise) - 1):
        difference = np.abs(noise[number + 1 :] - noise[number])
        error = np.sqrt(square[number + 1 :] + square[number])
        ratio = np.divide(
            difference, error, out=np.where(difference > 0, np.inf, 0.0), where=error > 0
        )
        np.maximum(largest, ratio.max(axis=0), out=largest)
    return float(np.quantile(largest, CONFIDENCE, method="higher"))


def probability_ahead(configurations: Sequence[Resampled]) -> Floats:
    """(C, C) chance that the row's configuration truly scores higher than the column's."""
    return scores_ahead(
        np.array([each.value for each in configurations]),
        np.array([each.error for each in configurations]),
        np.array([each.freedom for each in configurations]),
    )


def scores_ahead(scores: Floats, errors: Floats, freedom: NDArray[Any]) -> Floats:
    """(C, C) chance that the row's score is truly higher than the column's; two add up to 1, and
    the diagonal is 1/2.

    One less the one-sided p-value of Welch's test (1947, Biometrika 34). errors and freedom: (C,)
    the standard error of each score and its degrees of freedom. Values between .025 and .975 read
    "not separated". Where neither of two scores varies nothing is known, and the chance is 1/2.
    """
    square = errors**2
    variance = square[:, None] + square[None, :]
    parts = square**2 / np.maximum(freedom, 1)
    spread = parts[:, None] + parts[None, :]
    known = variance > 0
    satterthwaite = np.divide(variance**2, spread, out=np.ones_like(variance), where=known)
    difference = scores[:, None] - scores[None, :]
    t = np.divide(difference, np.sqrt(variance), out=np.zeros_like(variance), where=known)
    return t_chance(t, satterthwaite)
