"""A configuration's score when scenes have replicates: resampling within scenes, and intervals from
it. No Django here.

The score is the mean over scenes of the mean over a scene's replicates. Scenes are fixed and
replicates are random, so replicates are resampled within their scene (a stratified bootstrap).
Resampling three clips understates the variation by a third, which the studentised interval repairs
(Efron & Tibshirani 1993, An Introduction to the Bootstrap, ch. 12).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from scoring.stats.estimate import Estimate, Undefined, cut, without_interval
from scoring.stats.intervals import (
    ANYTHING,
    MOST_UNDEFINED,
    ROUNDING,
    UPPER,
    Floats,
    student_t,
)

DRAWS = 10_000


def means_of_replicates(
    rows: Sequence[ArrayLike], *, bounds: tuple[float, float] = ANYTHING
) -> list[Estimate | Undefined]:
    """Return each configuration's mean over its replicates of one scene, with a t interval whose
    variance is pooled over configurations (one-way analysis of variance: Fisher 1925; Scheffe 1959,
    The Analysis of Variance, ch. 3).

    From its two to ten replicates alone an interval would be half as wide again and hold the mean
    in 92 of 100 rounds. n counts clips.
    """
    scores = [np.asarray(row, dtype=np.float64) for row in rows]
    freedom = sum(max(row.size - 1, 0) for row in scores)
    squares = sum(float(((row - row.mean()) ** 2).sum()) for row in scores if row.size)
    reason = "no configuration has two clips of it" if freedom < 1 else ""
    if not reason and squares <= ROUNDING * sum(float((row**2).sum()) for row in scores):
        reason = "no variation between replicates"
    method = f"t with the variance of replicates pooled, {freedom} degrees of freedom"

    def estimate(row: Floats) -> Estimate | Undefined:
        if not row.size:
            return Undefined("no clip is scored")
        value = float(row.mean())
        if reason:
            return without_interval(value, row.size, reason)
        reach = student_t(freedom) * float(np.sqrt(squares / freedom / row.size))
        low, high = cut(value - reach, bounds), cut(value + reach, bounds)
        return Estimate(value, low, high, row.size, method)

    return [estimate(row) for row in scores]


@dataclass(frozen=True, slots=True)
class Resampled:
    """A configuration's score, its standard error, and B resamples of both.

    `draws` are plain resamples of the score and `draw_errors` their own standard errors, both (B,).
    `noise` and `noise_errors` (B,) are the score and its standard error when every clip is a
    residual drawn from all scenes of the configuration: what chance alone does around 0. `n` counts
    clips, `freedom` is n less the number of scenes.
    """

    value: float
    error: float
    n: int
    freedom: int
    draws: Floats
    draw_errors: Floats
    noise: Floats
    noise_errors: Floats


def resample_within_scenes(
    scenes: Sequence[ArrayLike], *, seed: int, draws: int = DRAWS
) -> Resampled | Undefined:
    """Resample one configuration's replicates within its scenes.

    scenes: for each scene the scores of its delivered clips, at least one each (ValueError for an
    empty scene). A scene with a single clip borrows the pooled within-scene variance and the pooled
    residuals of the others. Undefined when no scene has two clips: then `intervals.pooled_two_way`
    over all configurations is the way. `seed` is a whole number below 2^32; the draws come from
    numpy's frozen `RandomState` stream (NEP 19).
    """
    scores = [np.asarray(scene, dtype=np.float64) for scene in scenes]
    sizes = np.array([scene.size for scene in scores])
    if (sizes == 0).any():
        raise ValueError("A scene without a clip has no score; leave it out.")
    if (sizes < 2).all():  # noqa: PLR2004
        return Undefined("no scene has two clips" if scores else "no scene has a clip", len(scores))
    rand = np.random.RandomState(seed)
    pool = _pooled_residuals(scores)
    drawn = [_drawn(scene, pool, rand, draws) for scene in scores]
    chance = [pool[rand.randint(pool.size, size=(size, draws))] for size in sizes]
    value = float(np.mean([scene.mean() for scene in scores]))
    return Resampled(
        value=value,
        error=float(_errors([scene[:, None] for scene in scores])[0]),
        n=int(sizes.sum()),
        freedom=int(sizes.sum()) - len(scores),
        draws=_means(drawn),
        draw_errors=_errors(drawn),
        noise=_means(chance),
        noise_errors=_errors(chance),
    )


def _pooled_residuals(scores: Sequence[Floats]) -> Floats:
    """Residuals of all scenes with replicates, made as large as the variance they stand for."""
    return np.concatenate(
        [(scene - scene.mean()) * _inflation(scene.size) for scene in scores if scene.size > 1]
    )


def _inflation(size: int) -> float:
    return float(np.sqrt(size / (size - 1))) if size > 1 else 1.0


def _drawn(scene: Floats, pool: Floats, rand: np.random.RandomState, draws: int) -> Floats:
    """(R, draws) resampled scores of one scene."""
    if scene.size == 1:
        return np.asarray(scene + pool[rand.randint(pool.size, size=(1, draws))])
    return np.asarray(scene[rand.randint(scene.size, size=(scene.size, draws))])


def _means(drawn: Sequence[Floats]) -> Floats:
    """(B,) means over S scenes of the means of their (R, B) scores."""
    return np.asarray(np.mean([scene.mean(axis=0) for scene in drawn], axis=0))


def _errors(drawn: Sequence[Floats]) -> Floats:
    """(B,) standard errors of the mean over S scenes of (R, B) scores; where R = 1 the pooled
    variance is borrowed.
    """
    freedom = np.array([[len(scene) - 1.0] for scene in drawn])
    squares = np.array([((scene - scene.mean(axis=0)) ** 2).sum(axis=0) for scene in drawn])
    pooled = squares.sum(axis=0) / freedom.sum()
    variances = np.where(freedom > 0, squares / np.maximum(freedom, 1), pooled)
    return np.asarray(np.sqrt((variances / (freedom + 1)).sum(axis=0)) / len(drawn))


def studentised_interval(
    resampled: Resampled, *, bounds: tuple[float, float] = ANYTHING
) -> Estimate:
    """The score with its studentised within-scene bootstrap interval, cut to `bounds`; n counts
    clips.

    When no scene varies the interval is not estimable. When more than 5% of the resamples have no
    variation of their own (few clips, few different scores) the quantiles mean nothing, and the
    within-scene t interval takes its place.
    """
    if resampled.error == 0:
        return without_interval(
            resampled.value, resampled.n, "no variation between replicates in any scene"
        )
    usable = resampled.draw_errors > 0
    if usable.mean() < 1 - MOST_UNDEFINED:
        return within_scene_t(resampled, bounds=bounds)
    ratios = (resampled.draws[usable] - resampled.value) / resampled.draw_errors[usable]
    low, high = np.quantile(ratios, [1 - UPPER, UPPER])
    return Estimate(
        resampled.value,
        cut(resampled.value - high * resampled.error, bounds),
        cut(resampled.value - low * resampled.error, bounds),
        resampled.n,
        f"studentised bootstrap within scenes, {resampled.draws.size} draws",
    )


def within_scene_t(resampled: Resampled, *, bounds: tuple[float, float] = ANYTHING) -> Estimate:
    """The score with the t interval of its within-scene standard error (a stratified mean: Cochran
    1977, ch. 5).
    """
    if resampled.error == 0:
        return without_interval(
            resampled.value, resampled.n, "no variation between replicates in any scene"
        )
    reach = student_t(resampled.freedom) * resampled.error
    low, high = cut(resampled.value - reach, bounds), cut(resampled.value + reach, bounds)
    method = f"t within scenes, {resampled.freedom} degrees of freedom"
    return Estimate(resampled.value, low, high, resampled.n, method)
