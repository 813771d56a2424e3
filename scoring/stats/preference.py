"""Strength from comparisons in twos: Bradley and Terry's model on the scale of Elo, with intervals.
No Django here.

P(i is preferred to j) = 1 / (1 + exp(theta_j - theta_i)) (Bradley & Terry 1952, Biometrika 39); a
tie is half a win for each. The fit does not depend on the order of the comparisons, as sequential
Elo ratings do. A finite maximum exists if and only if every item can be reached from every other
along wins (Ford 1957, American Mathematical Monthly 64); elsewhere half a win and half a loss
against a phantom of average strength are added to every item, and the result says that it is
regularised. Items that were never compared, not even through others, have no common scale.

Intervals speak of other scenes' clips: the clips of a scene meet each other only, and an item's
clip there is in many pairs at once, so that scenes, and not pairs of clips, are what is independent
(docs/decisions/0008). With fewer than four scenes they speak of these clips alone, and say so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import student_t

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

PHANTOM = 0.5  # pseudo-wins, and as many pseudo-losses, of every item where there is no maximum
ELO_MIDDLE = 1500.0
ELO_POINTS = 400 / np.log(10)  # of one unit of theta: 400 points are odds of ten to one
TOLERANCE = 1e-12
MOST_STEPS = 200
ROUNDING = 1e-14  # of a sum of logarithms
NO_SPREAD = 1e-12  # a variance below this is a rounding error
FEWEST_SCENES = 4
THESE_CLIPS = (
    "it speaks of these clips only: with fewer than four scenes others cannot be spoken of"
)


class NotConverged(ArithmeticError):
    """The likelihood has no maximum that Newton's method finds."""


@dataclass(frozen=True)
class Battles:
    """Comparisons, one entry of every array for each: items ``left`` and ``right`` (0 to ``items``
    - 1), the result for ``left`` (1, .5 or 0), and labels of the pair of clips and of the scene
    that it was about.
    """

    left: Integers
    right: Integers
    result: Floats
    pair: Integers
    scene: Integers
    items: int

    def within(self, items: Integers) -> Battles:
        """Return the comparisons among some items, which are counted anew from 0."""
        number = np.full(self.items, -1)
        number[items] = np.arange(len(items))
        kept = np.isin(self.left, items) & np.isin(self.right, items)
        left, right = number[self.left[kept]], number[self.right[kept]]
        return Battles(
            left, right, self.result[kept], self.pair[kept], self.scene[kept], len(items)
        )

    def wins(self) -> Floats:
        """Return (items, items): how often the row won against the column, a tie half to each."""
        table = np.zeros((self.items, self.items))
        np.add.at(table, (self.left, self.right), self.result)
        np.add.at(table, (self.right, self.left), 1 - self.result)
        return table


@dataclass(frozen=True, slots=True)
class Group:
    """Items on one scale, strongest first; ``elo`` belongs to them in that order."""

    items: tuple[int, ...]
    elo: tuple[Estimate | Undefined, ...]
    battles: int
    regularised: bool


def rate(battles: Battles) -> list[Group]:
    """Return the groups of items that were compared, the largest first, each on an Elo scale of its
    own around 1500.
    """
    return [_rated(battles, items) for items in connected_groups(battles.wins())]


def connected_groups(wins: ArrayLike) -> Iterator[Integers]:
    """Yield the items of each group that comparisons connect, the largest group first, single items
    last.
    """
    table = np.asarray(wins, dtype=np.float64)
    groups = {tuple(np.flatnonzero(row).tolist()) for row in _reachable(table + table.T > 0)}
    yield from (
        np.array(items) for items in sorted(groups, key=lambda items: (-len(items), items[0]))
    )


def has_maximum(wins: ArrayLike) -> bool:
    """Say whether wins lead from every item to every other, so that the likelihood has a
    maximum.
    """
    return bool(_reachable(np.asarray(wins, dtype=np.float64) > 0).all())


def _reachable(steps: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """(K, K) whether the column can be reached from the row, in any number of steps or none."""
    found = steps | np.eye(len(steps), dtype=bool)
    while (further := found @ found).sum() > found.sum():
        found = further
    return found


def expit(odds: ArrayLike) -> Floats:
    """Return the chance that belongs to logarithms of odds; it does not overflow."""
    return np.asarray(0.5 + 0.5 * np.tanh(np.asarray(odds) / 2))


def fit(wins: ArrayLike, *, phantom: float = 0.0) -> Floats:
    """Return (K,) strengths of mean 0 that maximise the likelihood, by Newton's method.

    wins: (K, K) how often the row won against the column. With ``phantom`` every item also has so
    many wins and losses against an item of strength 0. NotConverged without it where there is no
    maximum.
    """
    table = np.asarray(wins, dtype=np.float64)
    games, won = table + table.T, table.sum(axis=1)
    theta, likelihood = np.zeros(len(table)), _likelihood(table, np.zeros(len(table)), phantom)
    for _ in range(MOST_STEPS):
        chance = expit(theta[:, None] - theta[None, :])
        slope = won - (games * chance).sum(axis=1) + phantom * (1 - 2 * expit(theta))
        try:
            step = _inverse(games, theta, phantom) @ slope
        except np.linalg.LinAlgError:
            break
        if float(np.abs(step).max()) < TOLERANCE:
            return np.asarray(theta - theta.mean())
        # The likelihood is concave, but far from its top a whole step can lead beyond where it is
        # flat.
        while (there := _likelihood(table, theta + step, phantom)) < likelihood - ROUNDING * abs(
            likelihood
        ):
            step /= 2
        theta, likelihood = theta + step, there
    raise NotConverged("the comparisons determine no finite strengths")


def _likelihood(wins: Floats, theta: Floats, phantom: float) -> float:
    """The logarithm of the likelihood."""
    losses = wins * np.logaddexp(0, theta[None, :] - theta[:, None])
    return -float(losses.sum() + phantom * (np.logaddexp(0, theta) + np.logaddexp(0, -theta)).sum())


def information(games: Floats, theta: Floats, phantom: float = 0.0) -> Floats:
    """Return (K, K) the information on the strengths; games: (K, K) comparisons of each two
    items.
    """
    chance = expit(theta[:, None] - theta[None, :])
    weight = games * chance * (1 - chance)
    own = expit(theta)
    return np.asarray(np.diag(weight.sum(axis=1) + 2 * phantom * own * (1 - own)) - weight)


def _inverse(games: Floats, theta: Floats, phantom: float) -> Floats:
    """An inverse of the information. Without a phantom only differences are known: there the mean
    is held instead.
    """
    held = 0.0 if phantom else 1.0
    return np.asarray(np.linalg.inv(information(games, theta, phantom) + held))


def clustered_variance(
    battles: Battles, theta: Floats, clusters: Integers, *, phantom: float = 0.0
) -> Floats:
    """Return (K,) the variance of each strength measured from their mean, robust to what a
    cluster's battles share.

    The sandwich of Liang & Zeger (1986, Biometrika 73), without a factor for few clusters.
    clusters: (n,) labels.
    """
    labels, member = np.unique(clusters, return_inverse=True)
    wins = battles.wins()
    off = battles.result - expit(theta[battles.left] - theta[battles.right])
    scores = np.zeros((len(labels), battles.items))
    np.add.at(scores, (member, battles.left), off)
    np.add.at(scores, (member, battles.right), -off)
    centre = np.eye(battles.items) - 1 / battles.items
    half = centre @ _inverse(wins + wins.T, theta, phantom) @ scores.T
    return np.asarray((half**2).sum(axis=1))


def win_chance(elo: float, other: float) -> float:
    """Return the chance that an item of the first strength is preferred to one of the other, both
    on the Elo scale.
    """
    return float(expit((elo - other) / ELO_POINTS))


def _rated(battles: Battles, items: Integers) -> Group:
    own = battles.within(items)
    if len(items) == 1:
        return Group(
            (int(items[0]),), (Undefined("it was compared with nothing"),), 0, regularised=False
        )
    wins = own.wins()
    regularised = not has_maximum(wins)
    phantom = PHANTOM if regularised else 0.0
    theta = fit(wins, phantom=phantom)
    # Strengths that differ by rounding only are equal, and stand in the order of their items.
    strength = np.round(theta, 9).tolist()
    order = sorted(range(len(items)), key=lambda place: (-strength[place], int(items[place])))
    estimates = _estimates(own, theta, phantom)
    return Group(
        tuple(int(items[place]) for place in order),
        tuple(estimates[place] for place in order),
        len(own.result),
        regularised,
    )


def _estimates(battles: Battles, theta: Floats, phantom: float) -> list[Estimate]:
    elo = ELO_MIDDLE + ELO_POINTS * theta
    n = np.bincount(battles.left, minlength=battles.items) + np.bincount(
        battles.right, minlength=battles.items
    )
    reach, method, note = _reach(battles, theta, phantom)
    if reach is None:
        return [
            without_interval(float(value), int(count), note)
            for value, count in zip(elo, n, strict=True)
        ]
    return [
        Estimate(float(value), float(value - one), float(value + one), int(count), method, note)
        for value, one, count in zip(elo, reach, n, strict=True)
    ]


def _reach(battles: Battles, theta: Floats, phantom: float) -> tuple[Floats | None, str, str]:
    """Half of each interval in Elo points, its method and a note; without the first, the note says
    why.
    """
    scenes, pairs = len(np.unique(battles.scene)), len(np.unique(battles.pair))
    if scenes >= FEWEST_SCENES:
        clusters, freedom, factor = battles.scene, scenes - 1, scenes / (scenes - 1)
        method, note = f"Bradley-Terry, sandwich over {scenes} scenes", ""
    else:
        freedom = pairs - (battles.items - 1)
        if freedom < 1:
            return (
                None,
                "",
                f"{pairs} pairs of clips do not determine how {battles.items} configurations vary",
            )
        clusters, factor = battles.pair, pairs / freedom
        method, note = f"Bradley-Terry, sandwich over {pairs} pairs of clips", THESE_CLIPS
    variance = factor * clustered_variance(battles, theta, clusters, phantom=phantom)
    if float(variance.max()) < NO_SPREAD:
        return None, "", "no variation: every scene or pair says the same"
    reach = student_t(freedom) * ELO_POINTS * np.sqrt(variance)
    regularised = "regularised" if phantom else ""
    return (
        reach,
        f"{method}, t with {freedom} degrees of freedom",
        "; ".join(filter(None, (regularised, note))),
    )
