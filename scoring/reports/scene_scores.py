"""The weighted score of each configuration in each scene, and every clip that a ceiling held down.

No Django here.
"""

from __future__ import annotations

from scoring.report_classes.base import ReportedEstimate
from scoring.report_classes.weighted import CappedClip, SceneScoresReport
from scoring.reports.shape import reported, rounded
from scoring.scores.factual_score import Standing, clip_scores
from scoring.scores.fartscore import HUNDRED
from scoring.scores.standings import RoundResults
from scoring.stats.replicates import means_of_replicates


def scene_scores_report(results: RoundResults) -> SceneScoresReport:
    """Return an estimate for each configuration and scene, from its replicates; and the clips under
    a ceiling.
    """
    return SceneScoresReport(
        by_configuration=_by_configuration(results),
        capped=[clip for standing in results.standings for clip in _capped(results, standing)],
    )


def _by_configuration(results: RoundResults) -> dict[str, dict[str, ReportedEstimate]]:
    by_name: dict[str, dict[str, ReportedEstimate]] = {
        standing.configuration: {} for standing in results.standings
    }
    for scene in results.record.scenes:
        scores = [
            [float(score) for score in clip_scores(results.protocol, standing, scene)]
            for standing in results.standings
        ]
        estimates = means_of_replicates(scores, bounds=(0.0, float(HUNDRED)))
        for standing, estimate in zip(results.standings, estimates, strict=True):
            by_name[standing.configuration][scene] = reported(estimate)
    return by_name


def _capped(results: RoundResults, standing: Standing) -> list[CappedClip]:
    caps = {cap.key: cap for cap in results.protocol.scoring.caps}
    return [
        CappedClip(
            configuration=standing.configuration,
            scene=cell.scene,
            replicate=cell.replicate,
            cap=cell.rated.cap,
            because=caps[cell.rated.cap].label,
            score=rounded(float(cell.rated.score)),
            uncapped=rounded(float(cell.rated.uncapped)),
        )
        for cell in standing.cells
        if cell.rated is not None and cell.rated.cap
    ]
