"""What is different when every pair of scores is looked at: p-values for all pairs at once, and
groups whose members cannot be told apart. No Django here.
"""

from __future__ import annotations

import numpy as np

from scoring.stats.intervals import Floats
from scoring.stats.ranksets import Difference


def two_sided(chance: Floats) -> Floats:
    """Return the two-sided p-value that belongs to each chance of being ahead."""
    return np.asarray(2 * np.minimum(chance, 1 - chance))


def holm_adjusted(p: Floats) -> Floats:
    """Return (n,) p-values adjusted for looking at all n of them (Holm 1979, Scandinavian Journal
    of Statistics 6): below 0.05 are those that differ, with 5% chance of a single mistake.
    """
    order = np.argsort(p, kind="stable")
    weighted = p[order] * np.arange(len(p), 0, -1)
    adjusted = np.empty(len(p))
    adjusted[order] = np.minimum(np.maximum.accumulate(weighted), 1.0)
    return adjusted


def holm_matrix(chance: Floats) -> Floats:
    """Return (C, C) Holm-adjusted p-values of (C, C) chances of being ahead; 1 on the diagonal."""
    first, second = np.triu_indices(len(chance), 1)
    matrix = np.ones_like(chance)
    adjusted = holm_adjusted(two_sided(chance[first, second]))
    matrix[first, second] = matrix[second, first] = adjusted
    return matrix


def tiers(scores: Floats, difference: Difference) -> list[list[int]]:
    """Return the groups, best first, within which no two scores can be told apart; they may
    overlap.

    A group is as long a run of the ordered scores as possible. scores: (C,); the places of the
    members of each group, best first.
    """
    order = np.argsort(-scores, kind="stable")
    apart = np.abs(scores[:, None] - scores[None, :]) > difference.beyond
    groups: list[list[int]] = []
    end = 0
    for start in range(len(order)):
        # A run stays one without its first member, so its end never moves back.
        last_end, end = end, max(end, start + 1)
        while end < len(order) and not apart[order[end], order[start:end]].any():
            end += 1
        if end > last_end:
            groups.append(order[start:end].tolist())
    return groups
