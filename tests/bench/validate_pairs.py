"""How often intervals about blind pairs hold the truth: win rates, their correlation with scores, and
its ceiling. No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, partial
from itertools import combinations

import numpy as np
from scipy import stats
from scipy.special import expit

from scoring.metrics.alignment import (
    Judged,
    Match,
    Vote,
    alignment,
    ceiling,
    majority,
    win_estimates,
)
from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.intervals import Floats
from tests.bench.coverage import Check, Random, covers_if_shown, line, mean_held

ALIGNMENT = "templates/scoring/alignment.html"
PEOPLE = ("r1", "r2", "r3")
CEILING = "The range of the ceiling holds it in 91 to 98"
FEW_SYSTEMS = "With fewer than eight systems the range of ρ holds it in up to 100"
WIN_RATES = "Ranges of win rates are wider than they need be"


def votes_on_pairs(
    random: Random, quality: Floats, pairs: list[tuple[str, int, int]]
) -> list[Judged]:
    """Return three people's votes on pairs (case, one system, other system); 15% are ties."""
    found = []
    for case, one, other in pairs:
        chance = expit(quality[one] - quality[other])
        votes: dict[str, Vote] = {}
        for person in PEOPLE:
            is_tie, is_left = random.random() < 0.15, random.random() < chance
            votes[person] = "tie" if is_tie else "left" if is_left else "right"
        found.append(Judged(Match(case, f"s{one:02}", f"s{other:02}"), votes))
    return found


def every_pair(systems: int, cases: int) -> list[tuple[str, int, int]]:
    """Return every two systems in every case."""
    two = list(combinations(range(systems), 2))
    return [(f"c{case}", one, other) for case in range(cases) for one, other in two]


def win_rate(random: Random, *, systems: int, cases: int) -> float:
    """How often each system was preferred."""
    quality = np.linspace(-1, 1, systems)
    judged = votes_on_pairs(random, quality, every_pair(systems, cases))
    found = win_estimates([one.match for one in judged], _labels(judged))
    return mean_held([found[name] for name in sorted(found)], np.array(_true_rates(systems)))


def _labels(judged: list[Judged]) -> list[Vote]:
    return [majority(list(one.votes.values())) for one in judged]


@cache
def _true_rates(systems: int) -> tuple[float, ...]:
    judged = votes_on_pairs(
        np.random.default_rng(3), np.linspace(-1, 1, systems), every_pair(systems, 500)
    )
    found = win_estimates([one.match for one in judged], _labels(judged))
    return tuple(found[name].value for name in sorted(found))


def rank_correlation(random: Random, *, systems: int, rho: float) -> float:
    """Spearman's correlation of win rates with scores, both normal."""
    pearson = 2 * np.sin(np.pi * rho / 6)
    scores = random.normal(size=systems)
    rates = pearson * scores + np.sqrt(1 - pearson**2) * random.normal(size=systems)
    names = [f"s{place:02}" for place in range(systems)]
    order = stats.rankdata(rates)
    judged = [
        Judged(Match("c", names[one], names[other]),
               {"a": "left" if order[one] > order[other] else "right"})
        for one, other in combinations(range(systems), 2)
    ]  # fmt: skip
    found = alignment(judged, dict(zip(names, map(float, scores), strict=True)), better="higher")
    return covers_if_shown(found, rho)


def ceiling_held(random: Random, *, systems: int, pairs: int) -> float:
    """The ceiling of alignment, against its mean over rounds."""
    return covers_if_shown(_ceiling(random, systems, pairs), _mean_ceiling(systems, pairs))


@cache
def _mean_ceiling(systems: int, pairs: int) -> float:
    rounds = [_ceiling(np.random.default_rng([4, number]), systems, pairs) for number in range(200)]
    return float(np.mean([one.value for one in rounds if isinstance(one, Estimate)]))


def _ceiling(random: Random, systems: int, pairs: int) -> Estimate | Undefined:
    two = list(combinations(range(systems), 2))
    chosen = [two[place % len(two)] for place in random.permutation(max(pairs, len(two)))[:pairs]]
    named = [(f"c{number}", *pair) for number, pair in enumerate(chosen)]
    return ceiling(votes_on_pairs(random, random.normal(size=systems), named))


def checks_of_pairs() -> Iterator[Check]:
    """The lines on pairs of rollouts."""
    for systems, cases in ((4, 4), (4, 16), (6, 8)):
        simulate = partial(win_rate, systems=systems, cases=cases)
        name = f"win rate, {systems} systems, {cases} cases: clustered Wilson"
        yield line(name, 0.99, simulate, 300, ALIGNMENT, WIN_RATES)
    for systems, rho, expected in ((5, 0.79, 0.99), (8, 0.79, 0.946), (13, 0.93, 0.949)):
        simulate = partial(rank_correlation, systems=systems, rho=rho)
        name = f"Spearman {rho}, {systems} systems: Bonett-Wright"
        yield line(name, expected, simulate, 1500, ALIGNMENT, FEW_SYSTEMS)
    for systems, pairs, expected in ((13, 120, 0.972), (6, 60, 0.92), (4, 24, 0.937)):
        simulate = partial(ceiling_held, systems=systems, pairs=pairs)
        name = f"ceiling, {systems} systems, {pairs} pairs: jackknife"
        yield line(name, expected, simulate, 400, ALIGNMENT, CEILING)
