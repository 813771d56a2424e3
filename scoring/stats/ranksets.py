"""How sure a ranking is: simultaneous rank sets and the probability of being ahead. No Django here."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats.estimate import CONFIDENCE
from scoring.stats.intervals import Floats
from scoring.stats.replicates import Resampled


@dataclass(frozen=True, slots=True)
class RankSet:
    """The ranks, best 1, that a configuration may truly have; n is how many configurations were compared."""

    low: int
    high: int
    n: int
    method: str = "simultaneous rank set"


def rank_sets(configurations: Sequence[Resampled]) -> list[RankSet]:
    """Rank sets that hold all true ranks at once with 95% confidence, higher scores being better.

    A configuration's best possible rank is 1 + the number of significantly better ones, its worst C - the number of
    significantly worse ones, where differences are significant beyond the 95% quantile of the largest studentised
    difference over all pairs (Mogstad, Romano, Shaikh & Wilhelm 2024, Review of Economic Studies 91).
    All must be resampled with the same number of draws (ValueError from numpy otherwise).
    """
    value = np.array([each.value for each in configurations])
    error = np.array([each.error for each in configurations])
    count = len(configurations)
    beyond = largest_difference(configurations)
    difference = value[:, None] - value[None, :]
    better = difference > beyond * np.hypot(error[:, None], error[None, :])
    better &= np.hypot(error[:, None], error[None, :]) > 0
    return [
        RankSet(1 + int(better[:, number].sum()), count - int(better[number].sum()), count) for number in range(count)
    ]


def largest_difference(configurations: Sequence[Resampled]) -> float:
    """The 95% quantile of the largest studentised difference between any two resampled configurations.

    Infinite when more than 5% of the resamples have a pair that differs without any variation of its own.
    """
    if len(configurations) < 2:  # noqa: PLR2004
        return float("inf")
    off = np.array([each.draws - each.value for each in configurations])
    square = np.array([each.draw_errors for each in configurations]) ** 2
    largest = np.zeros(off.shape[1])
    for number in range(len(off) - 1):
        difference = np.abs(off[number + 1 :] - off[number])
        error = np.sqrt(square[number + 1 :] + square[number])
        ratio = np.divide(difference, error, out=np.where(difference > 0, np.inf, 0.0), where=error > 0)
        np.maximum(largest, ratio.max(axis=0), out=largest)
    return float(np.quantile(largest, CONFIDENCE, method="higher"))


def probability_ahead(configurations: Sequence[Resampled]) -> Floats:
    """(C, C) chance that the row's configuration scores higher than the column's; the two chances add up to 1.

    The share of resamples in which it does, plus half of the ties (a bootstrap probability: Efron & Tibshirani 1998,
    Annals of Statistics 26), from the resamples with unbiased spread: with plain ones, two equal configurations of
    three replicates look separated twice as often as they should. The diagonal is 1/2.
    Values between .025 and .975 read "not separated".
    """
    spread = np.array([each.spread for each in configurations])
    return np.array([((row > spread).mean(axis=1) + (row >= spread).mean(axis=1)) / 2 for row in spread])
