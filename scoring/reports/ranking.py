"""Overall Ranking V1 with its ties, and how sure it is. No Django here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from scoring.reports.shape import estimate_document, rounded
from scoring.reports.sureness import MOST_COMPARED, Compared, sureness_document
from scoring.scores.document import line_without_scenes
from scoring.scores.factual_score import Standing
from scoring.scores.standings import RoundResults
from scoring.stats.estimate import Estimate, Undefined, derived_seed, without_interval
from scoring.stats.intervals import pooled_two_way, two_way_residual
from scoring.stats.items import items
from scoring.stats.points import dispersion_of, errors_of, points_ahead, total_points
from scoring.stats.ranksets import (
    probability_ahead,
    resampled_difference,
    scores_ahead,
    tukey_difference,
)
from scoring.stats.replicates import DRAWS, Resampled, resample_within_scenes, studentised_interval

# Beyond this many clips resampling would take minutes and change no digit that is shown.
MANY_CLIPS = 10_000
FEWER_DRAWS = 1_000

Row = list[list[float]]
Rows = dict[str, Row]
Estimates = dict[str, Estimate | Undefined]
Compare = Callable[[Sequence[str]], tuple[Compared | None, str]]
"""Compares the ranked configurations of these names; without a result the reason why there is
none.
"""


def ranking_report(results: RoundResults) -> dict[str, Any]:
    """Return the ranking: a line for each configuration with the interval of its score, ties, and
    how sure the main ranking is.
    """
    rows = {standing.configuration: _row(results, standing) for standing in results.standings}
    if results.protocol.scoring.is_weighted:
        estimates, compare = _weighted(results, rows)
    else:
        estimates, compare = _points(results, rows)
    ranked = [standing for standing in results.standings if standing.rank is not None]
    main = [standing.configuration for standing in ranked if not standing.apart]
    compared, reason = compare(main) if 1 < len(main) <= MOST_COMPARED else (None, "")
    return {
        "total": results.total,
        "rank_by": list(results.protocol.scoring.rank_by),
        "leaderboard": [
            {
                **line_without_scenes(results.protocol, standing),
                "score_interval": estimate_document(estimates[standing.configuration]),
                "by_scene": _means(results, rows[standing.configuration]),
            }
            for standing in results.standings
        ],
        "ties": _ties(ranked),
        "scenes": _scenes(results, rows),
        **sureness_document(main, compared, reason),
    }


def _ties(ranked: list[Standing]) -> list[dict[str, Any]]:
    shared: dict[tuple[str, int | None], list[str]] = {}
    for standing in ranked:
        shared.setdefault((standing.apart, standing.rank), []).append(standing.configuration)
    return [
        {"rank": rank, "ranked_apart": apart, "configurations": names}
        for (apart, rank), names in shared.items()
        if len(names) > 1
    ]


def _means(results: RoundResults, row: Row) -> dict[str, float | None]:
    """Return the mean score of the clips that count in each scene, None without any."""
    return {
        scene: rounded(_mean(clips)) if clips else None
        for scene, clips in zip(results.record.scenes, row, strict=True)
    }


def _scenes(results: RoundResults, rows: Rows) -> dict[str, Any]:
    """Return how hard each scene is and how well it tells configurations apart."""
    most = (
        results.total if results.protocol.scoring.is_weighted else results.protocol.points_per_clip
    )
    means = [[_mean(clips) for clips in row] for row in rows.values()]
    table = np.array(means).reshape(len(rows), len(results.record.scenes))
    return {
        scene: {
            "difficulty": estimate_document(item.difficulty),
            "discrimination": estimate_document(item.discrimination),
        }
        for scene, item in zip(results.record.scenes, items(table, float(most)), strict=True)
    }


def _mean(clips: Sequence[float]) -> float:
    return sum(clips) / len(clips) if clips else float("nan")


def _row(results: RoundResults, standing: Standing) -> Row:
    """Return the score of each clip that counts, scene by scene.

    A clip that could not be reviewed is missing.
    """
    return [
        [float(score) for score in results.counted_scores(standing, scene)]
        for scene in results.record.scenes
    ]


def _points(results: RoundResults, rows: Rows) -> tuple[Estimates, Compare]:
    """Return the intervals of points that add up over scenes, and how to compare them."""
    most = float(results.protocol.points_per_clip)
    found = total_points(list(rows.values()), most)
    estimates = {
        standing.configuration: estimate
        if standing.delivered
        else without_interval(0.0, 0, "no clip was delivered")
        for standing, estimate in zip(results.standings, found, strict=True)
    }

    def compare(names: Sequence[str]) -> tuple[Compared | None, str]:
        names = [name for name in names if all(rows[name])]  # with a clip in every scene
        if len(names) < 2:  # noqa: PLR2004
            return None, ""
        chosen = [rows[name] for name in names]
        scores = np.array([sum(float(np.mean(scene)) for scene in row) for row in chosen])
        resampled = _resampled(results, rows, names) if results.record.replicates > 1 else {}
        difference = resampled_difference(list(resampled.values()))
        if len(resampled) < len(names) or difference.reason:
            dispersion = dispersion_of(list(rows.values()), most)
            difference = tukey_difference(errors_of(chosen, dispersion), dispersion.freedom)
        return Compared(tuple(names), scores, difference, points_ahead(chosen, most)), ""

    return estimates, compare


def _weighted(results: RoundResults, rows: Rows) -> tuple[Estimates, Compare]:
    """Return the intervals of weighted scores, which are means over scenes, and how to compare
    them.
    """
    if results.record.replicates > 1:
        return _weighted_replicates(results, rows)
    table = np.array([[scene[0] if scene else np.nan for scene in row] for row in rows.values()])
    table = table.reshape(len(rows), len(results.record.scenes))
    found = pooled_two_way(table, bounds=(0, results.total))
    estimates = dict(zip(rows, found, strict=True))
    variance, freedom = two_way_residual(table, ~np.isnan(table))

    def compare(names: Sequence[str]) -> tuple[Compared | None, str]:
        scores = np.array([float(np.mean(np.concatenate(rows[name]))) for name in names])
        errors = np.full(len(names), float(np.sqrt(variance / len(results.record.scenes))))
        difference = tukey_difference(errors, freedom)
        ahead = scores_ahead(scores, errors, np.full(len(names), freedom / 2))
        return Compared(tuple(names), scores, difference, ahead), ""

    return estimates, compare


def _weighted_replicates(results: RoundResults, rows: Rows) -> tuple[Estimates, Compare]:
    resampled = _resampled(results, rows, list(rows))
    bounds = (0.0, float(results.total))
    estimates: Estimates = {
        standing.configuration: studentised_interval(
            resampled[standing.configuration], bounds=bounds
        )
        if standing.configuration in resampled
        else without_interval(float(standing.score), standing.delivered, "no scene has two clips")
        for standing in results.standings
    }

    def compare(names: Sequence[str]) -> tuple[Compared | None, str]:
        known = [name for name in names if name in resampled]
        chosen = [resampled[name] for name in known]
        if len(chosen) < 2:  # noqa: PLR2004
            return None, "fewer than two ranked configurations have replicates"
        scores = np.array([one.value for one in chosen])
        difference = resampled_difference(chosen)
        return Compared(tuple(known), scores, difference, probability_ahead(chosen)), ""

    return estimates, compare


def _resampled(results: RoundResults, rows: Rows, names: Sequence[str]) -> dict[str, Resampled]:
    """Resample configurations on the scale of the score; those without two clips of a scene are
    left out.
    """
    draws = DRAWS if len(results.record.cells) <= MANY_CLIPS else FEWER_DRAWS
    found = {}
    for name in names:
        scenes = [scene for scene in rows[name] if scene]
        seed = derived_seed(results.record.seed, "score", name)
        resampled = resample_within_scenes(scenes, seed=seed, draws=draws)
        if isinstance(resampled, Resampled):
            is_total = not results.protocol.scoring.is_weighted
            found[name] = _scaled(resampled, len(scenes)) if is_total else resampled
    return found


def _scaled(resampled: Resampled, scenes: int) -> Resampled:
    """Return a mean over scenes as their total."""
    return replace(
        resampled,
        value=resampled.value * scenes,
        error=resampled.error * scenes,
        draws=resampled.draws * scenes,
        draw_errors=resampled.draw_errors * scenes,
        noise=resampled.noise * scenes,
        noise_errors=resampled.noise_errors * scenes,
    )
