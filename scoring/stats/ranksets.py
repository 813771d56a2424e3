"""How sure a ranking is: simultaneous rank sets and the probability of being ahead. No Django
here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from scoring.stats.estimate import CONFIDENCE
from scoring.stats.intervals import Floats
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


def rank_sets(configurations: Sequence[Resampled]) -> list[RankSet]:
    """Rank sets that hold all true ranks at once with 95% confidence, higher scores being better.

    A configuration's best possible rank is 1 + the number of significantly better ones, its worst C
    - the number of significantly worse ones, where a difference is significant beyond the 95%
    quantile of the largest studentised difference over all pairs (Mogstad, Romano, Shaikh & Wilhelm
    2024, Review of Economic Studies 91). A pair without variation between replicates is never
    called different. All must have the same number of draws.
    """
    value = np.array([each.value for each in configurations])
    error = np.array([each.error for each in configurations])
    count = len(configurations)
    pair_error = np.hypot(error[:, None], error[None, :])
    reach = np.full_like(pair_error, np.inf)
    np.multiply(largest_difference(configurations), pair_error, out=reach, where=pair_error > 0)
    better = value[:, None] - value[None, :] > reach
    return [
        RankSet(1 + int(better[:, number].sum()), count - int(better[number].sum()), count)
        for number in range(count)
    ]


def largest_difference(configurations: Sequence[Resampled]) -> float:
    """The 95% quantile of the largest studentised difference that chance makes between any two
    configurations.

    Chance is drawn from each configuration's residuals over all of its scenes. Residuals of one
    scene alone, two or three numbers, make the studentised maximum so wild that nothing is ever
    significant; unstudentised ones cover all true ranks in less than nine of ten rounds
    (`simulation.validate` shows the figures). It is infinite when more than 5% of the draws have a
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
    """(C, C) chance that the row's configuration scores higher than the column's; the two chances
    add up to 1.

    The share of resamples in which it does, plus half of the ties (a bootstrap probability: Efron &
    Tibshirani 1998, Annals of Statistics 26), from the resamples with unbiased spread: with plain
    ones, two equal configurations of three replicates look separated twice as often as they should.
    The diagonal is 1/2. Values between .025 and .975 read "not separated".
    """
    spread = np.array([each.spread for each in configurations])
    return np.array(
        [((row > spread).mean(axis=1) + (row >= spread).mean(axis=1)) / 2 for row in spread]
    )
