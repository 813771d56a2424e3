"""Whether people prefer what a metric ranks higher. No Django here.

Source: arXiv:2608.26336v1, §4.4 and §E: blind pairs of two systems' rollouts of one case, three
annotators, ties half a win, majority vote, Spearman's correlation of win rates with
direction-adjusted scores over systems. Ours: three different votes are a tie; the intervals; and
the ceiling, which is about what a metric that is exactly people's preference would reach.
Pairs are planned like all blind pairs (``review.pairs``).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from statistics import fmean
from typing import Literal

from fartbench.numbers import number_text
from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import clustered_wilson, jackknife_interval

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
    return {name: fmean(points) for name, (points, _) in _results(matches, labels).items()}


def win_estimates(
    matches: Sequence[Match], labels: Sequence[Vote]
) -> dict[str, Estimate | Undefined]:
    """Return the same with Wilson's interval, clustered by case: a rollout meets several others."""
    return {
        name: clustered_wilson(points, cases, by="case")
        for name, (points, cases) in _results(matches, labels).items()
    }


def _results(
    matches: Sequence[Match], labels: Sequence[Vote]
) -> dict[str, tuple[list[float], list[str]]]:
    """Return for each system what it won in each of its pairs (0, 1/2, 1), and their cases."""
    found: dict[str, tuple[list[float], list[str]]] = defaultdict(lambda: ([], []))
    for match, label in zip(matches, labels, strict=True):
        for_left = {"left": 1.0, "right": 0.0, "tie": 0.5}[label]
        for name, won in ((match.left, for_left), (match.right, 1 - for_left)):
            points, cases = found[name]
            points.append(won)
            cases.append(match.case)
    return dict(found)


def alignment(
    judged: Sequence[Judged], scores: Mapping[str, float], *, better: Literal["higher", "lower"]
) -> Estimate | Undefined:
    """Return Spearman's correlation over systems of win rates with scores, ``n`` the number of
    systems.

    Scores of a metric where lower is better are turned round. The interval speaks of other systems:
    normal on the scale of Fisher's z, with variance (1 + rho² / 2) / (n - 3) (Bonett & Wright 2000,
    Psychometrika 65).
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
    reach = UPPER * math.sqrt((1 + value**2 / 2) / (systems - 3))
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1, 1))
    return Estimate(value, low, high, systems, "Bonett-Wright on Fisher's scale")


def ceiling(judged: Sequence[Judged]) -> Estimate | Undefined:
    """Return about the correlation to expect of a metric that ranks systems exactly as people in
    general prefer them, ``n`` the number of systems. It is a little more where systems met other
    opponents, since people then agree on that too.

    The win rates of any two annotators over the pairs that both voted on correlate as the
    reliability of one annotator. That of the majority of k follows by Spearman and Brown (1910,
    British J. of Psychology 3), and its root is the ceiling (attenuation: Spearman 1904, American
    J. of Psychology 15). The interval is that of the jackknife over systems.
    """
    systems = sorted({name for one in judged for name in (one.match.left, one.match.right)})
    value = _ceiling(judged)
    if isinstance(value, Undefined):
        return value
    left_out = []
    for name in systems:
        rest = [one for one in judged if name not in (one.match.left, one.match.right)]
        without = _ceiling(rest)
        left_out.append(math.nan if isinstance(without, Undefined) else without)
    return jackknife_interval(value, left_out, len(systems), bounds=(0.0, 1.0), of="systems")


def _ceiling(judged: Sequence[Judged]) -> float | Undefined:
    annotators = sorted({name for one in judged for name in one.votes})
    agreements = []
    for one, other in combinations(annotators, 2):
        shared = [pair for pair in judged if one in pair.votes and other in pair.votes]
        matches = [pair.match for pair in shared]
        rates = win_rates(matches, [pair.votes[one] for pair in shared])
        others = win_rates(matches, [pair.votes[other] for pair in shared])
        value = _spearman(rates, others, "higher")
        if value is not None:
            agreements.append(value)
    if not agreements:
        return Undefined("no two people voted on the same pairs of three systems that differ")
    single = fmean(agreements)
    if single <= 0:
        return Undefined("people agree no more than by chance")
    votes = fmean(len(one.votes) for one in judged)
    return math.sqrt(votes * single / (1 + (votes - 1) * single))


def _spearman(rates: Mapping[str, float], scores: Mapping[str, float], better: str) -> float | None:
    names = sorted(rates.keys() & scores.keys())
    won, had = ([_as_published(values[name]) for name in names] for values in (rates, scores))
    if len(names) < FEWEST or len(set(won)) == 1 or len(set(had)) == 1:
        return None
    from scipy.stats import spearmanr  # noqa: PLC0415 - a web process shows what was computed before

    value = float(spearmanr(won, had).statistic)
    if math.isnan(value):
        return None
    return value if better == "higher" else -value


def _as_published(value: float) -> float:
    """Return a number to ten digits: what differs by the rounding of a sum alone is a tie."""
    return float(number_text(value, ".10g"))
