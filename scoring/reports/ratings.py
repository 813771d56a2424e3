"""Sound, timing, people and movement: what the ratings say, and how many there are. No Django here.

N/A is never a number: it enters no mean, and is counted by its reason beside each one. Only clips
that the whole cohort has rated or declared N/A are counted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from fartbench.numbers import exact_number
from scoring.records import Codes, Integers, Tally, count_codes
from scoring.report_classes.base import Everywhere
from scoring.report_classes.people import NotRated, RatingCounts, RatingsReport
from scoring.reports.groups import every_row, rows_by_configuration, rows_by_scene
from scoring.reports.shape import reported, rounded
from scoring.stats.estimate import Estimate, Undefined, cut, without_interval
from scoring.stats.intervals import jackknife_interval, pooled_two_way

Floats = NDArray[np.float64]


def ratings_report(votes: Tally) -> RatingsReport:
    """Return every scale of the protocol, overall, by scene and by configuration."""
    protocol = votes.record.protocol
    scales = [question.key for question in protocol.questions if protocol.is_scale(question)]
    return RatingsReport(
        questions={question: _question(_Ratings.read(votes, question)) for question in scales}
    )


@dataclass(frozen=True)
class _Ratings:
    """The ratings of one question: (cells, values) counts, and per cell the sum and number of
    ratings.
    """

    votes: Tally
    codes: Codes
    values: Floats
    reasons: tuple[str, ...]
    counts: Integers
    sums: Floats
    sizes: Integers

    @classmethod
    def read(cls, votes: Tally, question: str) -> _Ratings:
        values = np.array([float(value) for value in votes.record.book.values(question)])
        codes = np.where(votes.complete[:, None], votes.codes[question], np.int8(-1))
        counts = count_codes(codes, len(values))[:, :-1]
        return cls(
            votes,
            codes,
            values,
            votes.record.book.reasons,
            counts,
            counts @ values,
            counts.sum(axis=1),
        )

    @property
    def bounds(self) -> tuple[float, float]:
        return float(self.values[0]), float(self.values[-1])


def _question(ratings: _Ratings) -> Everywhere[RatingCounts]:
    votes = ratings.votes
    means = _configuration_means(ratings)
    return Everywhere[RatingCounts](
        overall=_counts(
            ratings, every_row(votes), _mean_over_configurations(ratings, every_row(votes))
        ),
        by_scene={
            scene: _counts(ratings, rows, _mean_over_configurations(ratings, rows))
            for scene, rows in rows_by_scene(votes)
        },
        by_configuration={
            name: _counts(ratings, rows, mean)
            for (name, rows), mean in zip(rows_by_configuration(votes), means, strict=True)
        },
    )


def _counts(ratings: _Ratings, rows: Integers, mean: Estimate | Undefined) -> RatingCounts:
    counts = ratings.counts[rows].sum(axis=0)
    given = np.repeat(ratings.values, counts)
    codes, first = ratings.codes[rows], len(ratings.values)
    na = {
        reason: int((codes == first + place).sum()) for place, reason in enumerate(ratings.reasons)
    }
    quartiles, median, deviation = None, None, None
    if given.size:
        low, median, high = _quartiles(given)
        quartiles = [low, high]
    if given.size > 1:
        deviation = rounded(float(given.std(ddof=1)))
    by_value = zip(ratings.values, counts, strict=True)
    return RatingCounts(
        n=given.size,
        clips=int((ratings.sizes[rows] > 0).sum()),
        mean=reported(mean),
        median=median,
        quartiles=quartiles,
        sd=deviation,
        counts={exact_number(value): int(count) for value, count in by_value},
        na=NotRated(n=sum(na.values()), by_reason=na),
    )


def _quartiles(given: Floats) -> list[float]:
    """Return the quartiles of the ratings themselves, linear between ratings."""
    return [rounded(float(value)) for value in np.quantile(given, [0.25, 0.5, 0.75])]


def _mean_over_configurations(ratings: _Ratings, rows: Integers) -> Estimate | Undefined:
    """The mean of all ratings of these cells, with the interval of leaving out one configuration
    after the other.
    """
    member = ratings.votes.configuration[rows]
    groups = len(ratings.votes.names)
    sums = np.bincount(member, weights=ratings.sums[rows], minlength=groups)
    sizes = np.bincount(member, weights=ratings.sizes[rows], minlength=groups)
    total, n = float(sums.sum()), int(sizes.sum())
    if not n:
        return Undefined("no ratings")
    rated = sizes > 0
    others = n - sizes[rated]
    left_out = np.divide(
        total - sums[rated], others, out=np.full(others.shape, np.nan), where=others > 0
    )
    return jackknife_interval(total / n, left_out, n, bounds=ratings.bounds)


def _configuration_means(ratings: _Ratings) -> list[Estimate | Undefined]:
    """Each configuration's mean of all its ratings, with the pooled two-way interval.

    The model is configuration + scene + residual on scene means, with the residual pooled over
    configurations. A mean of ratings weighs a scene by its ratings, w, so its standard error is the
    residual's times sqrt(sum w^2), which for scenes rated equally often is the usual one over the
    square root of their number.
    """
    votes = ratings.votes
    shape = (len(votes.names), len(votes.record.scenes))
    place = votes.configuration * shape[1] + votes.scene
    sums = np.bincount(place, weights=ratings.sums, minlength=shape[0] * shape[1]).reshape(shape)
    sizes = (
        np.bincount(place, weights=ratings.sizes, minlength=shape[0] * shape[1])
        .reshape(shape)
        .astype(np.float64)
    )
    scene_means = np.divide(sums, sizes, out=np.full(shape, np.nan), where=sizes > 0)
    return [
        _weighted(estimate, float(total), counts, ratings.bounds)
        for estimate, total, counts in zip(
            pooled_two_way(scene_means), sums.sum(axis=1), sizes, strict=True
        )
    ]


def _weighted(
    estimate: Estimate | Undefined, total: float, sizes: Floats, bounds: Sequence[float]
) -> Estimate | Undefined:
    n = int(sizes.sum())
    if isinstance(estimate, Undefined):
        return Undefined("no ratings")
    if estimate.high is None:
        return without_interval(total / n, n, estimate.note)
    weights = sizes / n
    reach = (estimate.high - estimate.value) * float(np.sqrt(estimate.n * (weights @ weights)))
    low, high = (cut(total / n + side * reach, (bounds[0], bounds[1])) for side in (-1, 1))
    return Estimate(total / n, low, high, n, estimate.method, estimate.note)
