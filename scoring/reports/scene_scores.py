"""The weighted score of each configuration in each scene, and every clip that a ceiling held down.

No Django here.
"""

from __future__ import annotations

from typing import Any

from scoring.reports.shape import estimate_document, rounded
from scoring.scores.factual_score import Standing, clip_scores
from scoring.scores.fartscore import HUNDRED
from scoring.scores.standings import RoundResults
from scoring.stats.replicates import means_of_replicates


def scene_scores_report(results: RoundResults) -> dict[str, Any]:
    """Return an estimate for each configuration and scene, from replicates; and the clips under
    a ceiling.
    """
    return {
        "by_configuration": _by_configuration(results),
        "capped": [clip for standing in results.standings for clip in _capped(results, standing)],
    }


def _by_configuration(results: RoundResults) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {one.configuration: {} for one in results.standings}
    for scene in results.record.scenes:
        scores = [
            [float(score) for score in clip_scores(results.protocol, standing, scene)]
            for standing in results.standings
        ]
        estimates = means_of_replicates(scores, bounds=(0.0, float(HUNDRED)))
        for standing, estimate in zip(results.standings, estimates, strict=True):
            found[standing.configuration][scene] = estimate_document(estimate)
    return found


def _capped(results: RoundResults, standing: Standing) -> list[dict[str, Any]]:
    caps = {cap.key: cap for cap in results.protocol.scoring.caps}
    return [
        {
            "configuration": standing.configuration,
            "scene": cell.scene,
            "replicate": cell.replicate,
            "cap": cell.rated.cap,
            "because": caps[cell.rated.cap].label,
            "score": rounded(float(cell.rated.score)),
            "uncapped": rounded(float(cell.rated.uncapped)),
        }
        for cell in standing.cells
        if cell.rated is not None and cell.rated.cap
    ]
