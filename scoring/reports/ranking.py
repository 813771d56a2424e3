"""Overall Ranking V1 with its ties, and how sure it is. No Django here."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from scoring.reports.shape import estimate_document, rounded
from scoring.scores.document import line_without_scenes
from scoring.scores.factual_score import Standing
from scoring.scores.standings import RoundResults
from scoring.stats.estimate import Estimate, Undefined, derived_seed, without_interval
from scoring.stats.intervals import pooled_two_way
from scoring.stats.ranksets import probability_ahead, rank_sets
from scoring.stats.replicates import DRAWS, Resampled, resample_within_scenes, studentised_interval

# Beyond this many clips, or configurations, resampling would take minutes and change no digit that
# is shown.
MANY_CLIPS = 10_000
FEWER_DRAWS = 1_000
MOST_COMPARED = 1_000
MOST_PAIRS_SHOWN = 50


def ranking_report(results: RoundResults) -> dict[str, Any]:
    """Return the ranking: a line for each configuration with the interval of its score, ties, and
    rank sets.

    Rank sets and chances of being ahead are those of the main ranking and need replicates; without
    them they are null, with the reason.
    """
    resampled = _resampled(results)
    estimates = _replicated(results, resampled) if resampled else _single(results)
    ranked = [standing for standing in results.standings if standing.rank is not None]
    return {
        "total": results.total,
        "rank_by": list(results.protocol.scoring.rank_by),
        "leaderboard": [
            {
                **line_without_scenes(results.protocol, standing),
                "score_interval": estimate_document(estimates[standing.configuration]),
            }
            for standing in results.standings
        ],
        "ties": _ties(ranked),
        "one_point": one_point(estimates),
        **_sureness([standing for standing in ranked if not standing.apart], resampled),
    }


def one_point(estimates: dict[str, Estimate | Undefined]) -> dict[str, Any]:
    """Return what a difference of one point means here: how large one must be to be beyond chance.

    Two scores whose intervals reach h to both sides differ by sqrt(2) h or less by chance in 95 of
    100 comparisons made before looking; the median h of the round is taken.
    """
    halves = [
        max(
            found.high - found.value, found.value - found.low
        )  # a limit at 0 or at the total is cut
        for found in estimates.values()
        if isinstance(found, Estimate) and found.high is not None and found.low is not None
    ]
    if not halves:
        return {"difference_beyond_chance": None, "n": 0, "note": "no interval could be estimated"}
    return {
        "difference_beyond_chance": rounded(float(np.median(halves)) * 2**0.5),
        "n": len(halves),
        "note": "",
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


def _points(results: RoundResults, standing: Standing) -> list[list[float]]:
    """Return the score of each clip that counts, scene by scene; empty for a missing scene."""
    return [
        [float(score) for score in results.counted_scores(standing, scene)]
        for scene in results.record.scenes
    ]


def _single(results: RoundResults) -> dict[str, Estimate | Undefined]:
    """Estimate at one clip per scene. A scene that could not be reviewed is missing, never 0."""
    is_total = not results.protocol.scoring.is_weighted
    scenes = len(results.record.scenes)
    # Where points add up, the total is the mean over scenes times their number.
    scale = scenes if is_total else 1
    missing = 0.0 if is_total and results.record.format == 1 else np.nan
    table = np.array(
        [
            [float(np.mean(scene)) * scale if scene else missing for scene in _points(results, s)]
            for s in results.standings
        ]
    ).reshape(len(results.standings), scenes)
    found = pooled_two_way(table, bounds=(0, results.total))
    estimates: dict[str, Estimate | Undefined] = {}
    for standing, row, estimate in zip(results.standings, table, found, strict=True):
        without = int(np.isnan(row).sum())
        if not standing.delivered:
            estimates[standing.configuration] = without_interval(
                0.0, scenes - without, "no clip was delivered"
            )
        elif is_total and without:
            estimates[standing.configuration] = _without_total(standing, scenes, without)
        else:
            estimates[standing.configuration] = estimate
    return estimates


def _without_total(standing: Standing, scenes: int, without: int) -> Estimate:
    reason = f"{without} of {scenes} scenes could not be reviewed: a total of all is not estimable"
    return without_interval(float(standing.score), scenes - without, reason)


def _resampled(results: RoundResults) -> dict[str, Resampled]:
    """Resample each configuration's points on the scale of the score; empty unless the round has
    replicates.
    """
    if results.record.replicates < 2:  # noqa: PLR2004
        return {}
    draws = DRAWS if len(results.record.cells) <= MANY_CLIPS else FEWER_DRAWS
    found = {}
    for standing in results.standings:
        every = _points(results, standing)
        scenes = [scene for scene in every if scene]
        is_total = not results.protocol.scoring.is_weighted
        if is_total and results.record.format > 1 and len(scenes) < len(every):
            continue
        seed = derived_seed(results.record.seed, "score", standing.configuration)
        resampled = resample_within_scenes(scenes, seed=seed, draws=draws)
        if isinstance(resampled, Resampled):
            found[standing.configuration] = (
                _scaled(resampled, len(scenes)) if is_total else resampled
            )
    return found


def _scaled(resampled: Resampled, scenes: int) -> Resampled:
    """Return a mean over delivered scenes as a total, in which the other scenes are 0."""
    return replace(
        resampled,
        value=resampled.value * scenes,
        error=resampled.error * scenes,
        draws=resampled.draws * scenes,
        draw_errors=resampled.draw_errors * scenes,
        spread=resampled.spread * scenes,
        noise=resampled.noise * scenes,
        noise_errors=resampled.noise_errors * scenes,
    )


def _replicated(
    results: RoundResults, resampled: dict[str, Resampled]
) -> dict[str, Estimate | Undefined]:
    found: dict[str, Estimate | Undefined] = {}
    for standing in results.standings:
        if standing.configuration in resampled:
            bounds = (0.0, float(results.total))
            found[standing.configuration] = studentised_interval(
                resampled[standing.configuration], bounds=bounds
            )
        else:
            found[standing.configuration] = _without_resamples(results, standing)
    return found


def _without_resamples(results: RoundResults, standing: Standing) -> Estimate:
    scenes = _points(results, standing)
    missing = sum(not scene for scene in scenes)
    if missing and not results.protocol.scoring.is_weighted and results.record.format > 1:
        return _without_total(standing, len(scenes), missing)
    return without_interval(float(standing.score), standing.delivered, "no scene has two clips")


def _sureness(ranked: list[Standing], resampled: dict[str, Resampled]) -> dict[str, Any]:
    names = [standing.configuration for standing in ranked if standing.configuration in resampled]
    if reason := _why_not_compared(names, ranked, resampled):
        return {"rank_sets": None, "ahead": None, "sureness_note": reason}
    compared = [resampled[name] for name in names]
    sets = rank_sets(compared)
    return {
        "rank_sets": {
            name: {"low": found.low, "high": found.high, "n": found.n, "method": found.method}
            for name, found in zip(names, sets, strict=True)
        },
        "ahead": _ahead(names, compared),
        "sureness_note": "",
    }


def _why_not_compared(
    names: list[str], ranked: list[Standing], resampled: dict[str, Resampled]
) -> str:
    if not resampled:
        return "one clip per scene: chance cannot be told from difference"
    if len(names) < 2:  # noqa: PLR2004
        return "fewer than two ranked configurations have replicates"
    if len(names) < len(ranked):
        return "a ranked configuration has no scene with two clips"
    return f"more than {MOST_COMPARED} configurations are not compared pair by pair" * (
        len(names) > MOST_COMPARED
    )


def _ahead(names: list[str], compared: list[Resampled]) -> dict[str, Any] | None:
    """Return the chance that a configuration (row) is ahead of another (column); not for a
    crowd.
    """
    if len(names) > MOST_PAIRS_SHOWN:
        return None
    chances = probability_ahead(compared)
    draws = len(compared[0].spread)
    return {
        "configurations": names,
        "draws": draws,
        "chance": [[rounded(float(c)) for c in row] for row in chances],
    }
