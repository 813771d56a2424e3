"""Battles from a model whose truth is known, to see how often intervals hold it. No Django here.

A configuration has a strength and each of its clips one of its own around it; three reviewers
compare every two clips of a scene, and 15% of their answers are ties.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from scoring.stats.preference import ELO_MIDDLE, ELO_POINTS, Battles, expit, fit, rate

Floats = NDArray[np.float64]
Random = np.random.Generator

REVIEWERS = 3
TIES = 0.15
REACH = 0.8  # strengths lie evenly between plus and minus this
CLIPS_DRAWN = 20_000


def strengths(configurations: int) -> Floats:
    """Return (configurations,) the true strengths."""
    return np.linspace(-REACH, REACH, configurations)


def draw_battles(random: Random, configurations: int, scenes: int, clip_sd: float) -> Battles:
    """Return every two configurations compared once in each scene by every reviewer."""
    clips = strengths(configurations) + clip_sd * random.normal(size=(scenes, configurations))
    two = np.array(list(combinations(range(configurations), 2)))
    left, right = (np.tile(np.repeat(two[:, side], REVIEWERS), scenes) for side in (0, 1))
    scene = np.repeat(np.arange(scenes), len(two) * REVIEWERS)
    chance = expit(clips[scene, left] - clips[scene, right])
    won = (random.random(chance.shape) < chance).astype(np.float64)
    result = np.where(random.random(chance.shape) < TIES, 0.5, won)
    return Battles(left, right, result, np.arange(len(left)) // REVIEWERS, scene, configurations)


@cache
def true_elo(configurations: int, clip_sd: float) -> tuple[float, ...]:
    """Return the Elo values that endless battles would give, with ties as half wins and clips that
    vary.
    """
    luck = np.random.default_rng(5).normal(size=CLIPS_DRAWN) * 2**0.5 * clip_sd
    mean = strengths(configurations)
    wins = np.zeros((configurations, configurations))
    for one, other in combinations(range(configurations), 2):
        chance = float(expit(mean[one] - mean[other] + luck).mean())
        wins[one, other] = TIES / 2 + (1 - TIES) * chance
        wins[other, one] = 1 - wins[one, other]
    return tuple(float(value) for value in ELO_MIDDLE + ELO_POINTS * fit(wins))


def elo_held(configurations: int, scenes: int, clip_sd: float) -> Callable[[Random], float]:
    """Return what simulates one round: the share of configurations whose interval holds the true
    value.
    """

    def simulate(random: Random) -> float:
        truth = true_elo(configurations, clip_sd)
        (group,) = rate(draw_battles(random, configurations, scenes, clip_sd))
        held = []
        for item, found in zip(group.items, group.elo, strict=True):
            low, high = getattr(found, "low", None), getattr(found, "high", None)
            held.append(low is not None and high is not None and low <= truth[item] <= high)
        return float(np.mean(held))

    return simulate
