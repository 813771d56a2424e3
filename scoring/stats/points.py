"""Points of clips that add up over scenes: the total with its interval, and the chance of being
ahead. No Django here.

A clip earns 0 to `most` points. Its variance is taken as that of `most` yes-or-no answers times a
dispersion, which is estimated once for the whole round (quasi-likelihood: Wedderburn 1974,
Biometrika 61; McCullagh & Nelder 1989, Generalized Linear Models, ch. 4.5). A share of points then
has Wilson's interval at the number of answers divided by the dispersion, so it has one at 0 and at
full points too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import Floats, score_limits, student_t, t_chance, two_way_residual

LEAST_DISPERSION = 0.5  # below it, intervals of a few alike configurations cover too rarely
KNOWN = 1_000_000  # degrees of freedom at which t is the normal distribution

Row = Sequence[ArrayLike]
"""A configuration: for each scene the points of its clips, none where no clip could be counted."""


@dataclass(frozen=True, slots=True)
class Dispersion:
    """How much more clips vary than yes-or-no answers would.

    `variance` is that of a clip's points, `freedom` its degrees of freedom. Where the round does
    not tell, the largest possible dispersion is assumed, as if it were known.
    """

    factor: float
    variance: float
    freedom: int
    is_assumed: bool


def dispersion_of(rows: Sequence[Row], most: float) -> Dispersion:
    """Return the dispersion of a round, from replicates within scenes; at one clip per scene from
    the residual of configuration + scene.
    """
    cells = [[np.asarray(scene, dtype=np.float64) for scene in row] for row in rows]
    shares = np.array(_smoothed_shares(cells, most))
    if not shares.size:
        return Dispersion(most, 0.0, KNOWN, is_assumed=True)
    binomial = float(np.mean(most * shares * (1 - shares)))
    variance, freedom = _variance(cells)
    if freedom < 1:
        return Dispersion(most, most * binomial, KNOWN, is_assumed=True)
    # Points that come all or none vary `most` times as much as single ones, and none vary more.
    factor = min(max(variance / binomial, LEAST_DISPERSION), most)
    return Dispersion(factor, factor * binomial, freedom, is_assumed=False)


def _variance(cells: Sequence[Sequence[Floats]]) -> tuple[float, int]:
    """Return the variance of a clip's points, and its degrees of freedom."""
    repeated = [scene for row in cells for scene in row if scene.size > 1]
    if repeated:
        squares = sum(float(((scene - scene.mean()) ** 2).sum()) for scene in repeated)
        freedom = sum(scene.size - 1 for scene in repeated)
        return squares / freedom, freedom
    table = np.array([[scene[0] if scene.size else np.nan for scene in row] for row in cells])
    return two_way_residual(table, ~np.isnan(table))


def _smoothed_shares(cells: Sequence[Sequence[Floats]], most: float) -> list[float]:
    """Return each configuration's share of points, kept away from 0 and 1 by half a point."""
    points = [np.concatenate(row) for row in cells]
    return [(float(one.sum()) + 0.5) / (most * one.size + 1) for one in points if one.size]


def total_points(rows: Sequence[Row], most: float) -> list[Estimate | Undefined]:
    """Return the sum over scenes of each configuration's mean points, with its interval.

    n counts clips. A configuration without a clip in some scene has no interval.
    """
    found = dispersion_of(rows, most)
    return [_total(row, most, found) for row in rows]


def _total(row: Row, most: float, dispersion: Dispersion) -> Estimate | Undefined:
    cells = [np.asarray(scene, dtype=np.float64) for scene in row]
    n = sum(scene.size for scene in cells)
    value = float(sum(scene.mean() for scene in cells if scene.size))
    if not n:
        return Undefined("no clip could be counted")
    if any(not scene.size for scene in cells):
        return without_interval(value, n, "a scene has no clip that could be counted")
    full = most * len(cells)
    answers = full * _evenness(cells) / dispersion.factor
    low, high = score_limits(value / full, answers, student_t(dispersion.freedom))
    return Estimate(
        value, full * low, full * high, n, f"quasi-binomial Wilson, {_words(dispersion)}"
    )


def _words(dispersion: Dispersion) -> str:
    if dispersion.is_assumed:
        return f"dispersion {dispersion.factor:.2f}, the largest possible"
    freedom = f"t with {dispersion.freedom} degrees of freedom"
    return f"dispersion {dispersion.factor:.2f} of the round, {freedom}"


def errors_of(rows: Sequence[Row], dispersion: Dispersion) -> Floats:
    """Return (C,) the standard error of each total; every configuration needs a clip in each
    scene.
    """
    parts = [sum(1 / len(np.asarray(scene)) for scene in row) for row in rows]
    return np.sqrt(dispersion.variance * np.array(parts))


def _evenness(cells: Sequence[Floats]) -> float:
    """Return the clips that a scene has, of scenes with different numbers the harmonic mean."""
    return len(cells) / sum(1 / scene.size for scene in cells)


def points_ahead(rows: Sequence[Row], most: float) -> Floats:
    """Return (C, C) chances that the row's total is truly higher than the column's; two add up
    to 1, and the diagonal is 1/2.

    One less the one-sided p-value of the score test of two equal shares of points, at the round's
    dispersion. Every configuration needs a clip in each scene.
    """
    cells = [[np.asarray(scene, dtype=np.float64) for scene in row] for row in rows]
    dispersion = dispersion_of(rows, most)
    answers = np.array([most * len(row) * _evenness(row) for row in cells])
    shares = np.array([np.mean([scene.mean() for scene in row]) / most for row in cells])
    weight = answers[:, None] + answers[None, :]
    both = (shares * answers)[:, None] + (shares * answers)[None, :]
    pooled = both / weight
    per_answer = 1 / answers[:, None] + 1 / answers[None, :]
    variance = dispersion.factor * pooled * (1 - pooled) * per_answer
    difference = shares[:, None] - shares[None, :]
    t = np.divide(
        difference,
        np.sqrt(np.maximum(variance, 0)),
        out=np.zeros_like(difference),
        where=(variance > 0) & (difference != 0),
    )
    return t_chance(t, dispersion.freedom)
