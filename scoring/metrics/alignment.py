"""Whether people prefer what a metric ranks higher. No Django here.

Source: arXiv:2608.26336v1, §4.4 and §E: blind pairs of two systems' rollouts of one case, three
annotators, ties half a win, majority vote, Spearman's correlation of win rates with
direction-adjusted scores over systems. Ours: three different votes are a tie; the interval; and the
ceiling: how well an annotator agrees with the others. Pairs are planned like all blind pairs
(``review.pairs``).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from scoring.stats.estimate import Estimate, Undefined, without_interval

Vote = Literal["left", "right", "tie"]
FEWEST = 3  # systems: a rank correlation of two says nothing
PERFECT = 1 - 1e-9
UPPER = 1.959963984540054  # of the standard normal, 97.5 %


@dataclass(frozen=True, slots=True)
class Match:
    """Two systems' rollouts of one case, side by side."""

    case: str
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A pair with every annotator's vote, by name."""

    match: Match
    votes: Mapping[str, Vote]


def majority(votes: Sequence[Vote]) -> Vote:
    """Return the vote that more than half gave, else a tie."""
    (most, count), *_ = Counter(votes).most_common()
    return most if 2 * count > len(votes) else "tie"


def win_rates(matches: Sequence[Match], labels: Sequence[Vote]) -> dict[str, float]:
    """Return each system's share of wins, a tie counting half."""
    won: Counter[str] = Counter()
    for match, label in zip(matches, labels, strict=True):
        won[match.left] += {"left": 1.0, "right": 0.0, "tie": 0.5}[label]  # type: ignore[assignment]
        won[match.right] += {"left": 0.0, "right": 1.0, "tie": 0.5}[label]  # type: ignore[assignment]
    played = Counter(name for match in matches for name in (match.left, match.right))
    return {name: won[name] / played[name] for name in played}


def alignment(
    judged: Sequence[Judged], scores: Mapping[str, float], *, better: Literal["higher", "lower"]
) -> Estimate | Undefined:
    """Return Spearman's correlation over systems of win rates with scores, ``n`` the number of
    systems.

    Scores of a metric where lower is better are turned round. The interval speaks of other systems:
    normal on the scale of Fisher's z, with variance 1.06 / (n - 3) (Fieller, Hartley & Pearson
    1957, Biometrika 44).
    """
    matches, labels = (
        [one.match for one in judged],
        [majority(list(one.votes.values())) for one in judged],
    )
    rates = win_rates(matches, labels)
    value, systems = _spearman(rates, scores, better), len(rates.keys() & scores.keys())
    if value is None:
        return Undefined("a correlation needs three systems that differ in both", systems)
    if systems == FEWEST or abs(value) >= PERFECT:
        return without_interval(
            value, systems, "three systems, or a perfect order, leave no spread to tell from"
        )
    reach = UPPER * math.sqrt(1.06 / (systems - 3))
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1, 1))
    return Estimate(value, low, high, systems, "normal on Fisher's scale, variance 1.06 / (n - 3)")


def ceiling(judged: Sequence[Judged]) -> float | None:
    """Return how well an annotator's win rates agree with those of the others, on average; None
    when that is undefined.

    No metric can be expected to agree with people much better than they do among themselves.
    """
    names = sorted({name for one in judged for name in one.votes})
    found = []
    for name in names:
        known = [one for one in judged if name in one.votes and len(one.votes) > 1]
        matches = [one.match for one in known]
        own = win_rates(matches, [one.votes[name] for one in known])
        others = [
            majority([vote for who, vote in one.votes.items() if who != name]) for one in known
        ]
        value = _spearman(own, win_rates(matches, others), "higher")
        if value is not None:
            found.append(value)
    return float(np.mean(found)) if found else None


def _spearman(rates: Mapping[str, float], scores: Mapping[str, float], better: str) -> float | None:
    names = sorted(rates.keys() & scores.keys())
    won, had = [rates[name] for name in names], [scores[name] for name in names]
    if len(names) < FEWEST or len(set(won)) == 1 or len(set(had)) == 1:
        return None
    from scipy.stats import spearmanr  # noqa: PLC0415 - a web process shows what was computed before

    value = float(spearmanr(won, had).statistic)
    if math.isnan(value):
        return None
    return value if better == "higher" else -value
