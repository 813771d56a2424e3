"""Severity of reviewers by additive least squares, and how each agrees with the others. No
Django here.

rating = clip + reviewer + residual, missing ratings allowed; the reviewers' effects add up to zero,
and severity is the effect with its sign turned: points below the average reviewer on the same
clips. Where N/A depends on a clip's quality, plain means per reviewer put the order wrong, and this
does not (Searle 1971, Linear Models, ch. 7, unbalanced two-way).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import jackknife_interval

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
FEWEST = 3


@dataclass(frozen=True)
class Severities:
    """A reviewer's severity in points, each with its interval; sd: the standard deviation of each
    one's residuals.
    """

    severity: list[Estimate | Undefined]
    sd: list[float | None]


def severities(ratings: Floats, configurations: Integers) -> Severities:
    """Fit (clips, reviewers) ratings, nan where missing; intervals leave out one configuration
    after the other.
    """
    known = ~np.isnan(ratings)
    shared = known.sum(axis=1) >= 2  # noqa: PLR2004 - a clip of one reviewer says nothing of reviewers
    ratings, known, member = ratings[shared], known[shared], configurations[shared]
    if not len(ratings):
        return Severities(
            [Undefined("no clip has two ratings")] * known.shape[1], [None] * known.shape[1]
        )
    normal, right = _equations(np.where(known, ratings, 0.0), known)
    groups, place = np.unique(member, return_inverse=True)
    by_group = np.zeros((len(groups), *normal.shape[1:])), np.zeros((len(groups), *right.shape[1:]))
    np.add.at(by_group[0], place, normal)
    np.add.at(by_group[1], place, right)
    effects = _solved(normal.sum(axis=0)[None], right.sum(axis=0)[None])[0]
    left_out = _solved(normal.sum(axis=0) - by_group[0], right.sum(axis=0) - by_group[1])
    found: list[Estimate | Undefined] = []
    for reviewer, n in enumerate(known.sum(axis=0).tolist()):
        found.append(
            jackknife_interval(-float(effects[reviewer]), -left_out[:, reviewer], n)
            if n
            else Undefined("no ratings")
        )
    return Severities(found, _residual_sd(ratings, known, effects))


def _equations(filled: Floats, known: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Each clip's part of the reviewers' normal equations, its own level swept out."""
    share = known / known.sum(axis=1, keepdims=True)
    normal = known[:, :, None] * (np.eye(known.shape[1]) - share[:, None, :])
    right = np.where(known, filled - filled.sum(axis=1, keepdims=True) * share, 0.0)
    return normal, right


def _solved(normal: Floats, right: Floats) -> Floats:
    """Effects that add up to zero: the shortest solution of equations that leave their sum open."""
    return np.asarray(
        np.einsum("grs,gs->gr", np.linalg.pinv(normal, rcond=1e-10, hermitian=True), right)
    )


def _residual_sd(ratings: Floats, known: NDArray[np.bool_], effects: Floats) -> list[float | None]:
    level = np.nanmean(ratings - effects, axis=1, keepdims=True)
    residuals = ratings - effects - level
    return [
        float(np.std(residuals[known[:, reviewer], reviewer], ddof=1))
        if known[:, reviewer].sum() > 1
        else None
        for reviewer in range(known.shape[1])
    ]


def correlation_with_others(
    ratings: Floats, reviewer: int, configurations: Integers
) -> Estimate | Undefined:
    """Pearson's correlation of one reviewer's ratings with the mean of the others' on the same
    clips.

    n is the number of those clips; the interval leaves out one configuration after the other.
    """
    others = np.delete(ratings, reviewer, axis=1)
    sizes = (~np.isnan(others)).sum(axis=1)
    kept = ~np.isnan(ratings[:, reviewer]) & (sizes > 0)
    if kept.sum() < FEWEST:
        return Undefined(
            f"fewer than {FEWEST} clips are rated by the reviewer and by another", int(kept.sum())
        )
    own, theirs = ratings[kept, reviewer], np.nansum(others[kept], axis=1) / sizes[kept]
    moments = np.stack(
        [np.ones_like(own), own, theirs, own * own, theirs * theirs, own * theirs], axis=1
    )
    groups, place = np.unique(configurations[kept], return_inverse=True)
    by_group = np.zeros((len(groups), moments.shape[1]))
    np.add.at(by_group, place, moments)
    value = float(_correlations(moments.sum(axis=0)[None])[0])
    if np.isnan(value):
        return Undefined("all ratings are equal", int(kept.sum()))
    left_out = _correlations(moments.sum(axis=0) - by_group)
    if len(groups) < 2:  # noqa: PLR2004
        return without_interval(
            value, len(own), "an interval needs clips of at least two configurations"
        )
    return jackknife_interval(value, left_out, len(own), bounds=(-1.0, 1.0))


def _correlations(moments: Floats) -> Floats:
    """(B,) correlations from sums of 1, x, y, xx, yy and xy; nan where one of them does not
    vary.
    """
    n, x, y, xx, yy, xy = moments.T
    varies = np.maximum((n * xx - x * x) * (n * yy - y * y), 0.0)
    safe = np.where(varies > 1e-9 * np.maximum(n, 1) ** 2, varies, np.nan)
    return np.asarray((n * xy - x * y) / np.sqrt(safe))
