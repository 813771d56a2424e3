"""The weighted score of each configuration in each scene, and every clip that a ceiling held down.

No Django here.
"""

from __future__ import annotations

from scoring.report_classes.weighted import CappedClip, SceneScoresReport
from scoring.reports.shape import reported, rounded
from scoring.scores.factual_score import Standing, clip_scores
from scoring.scores.fartscore import HUNDRED
from scoring.scores.standings import RoundResults
from scoring.stats.estimate import Estimate, Undefined, derived_seed, without_interval
from scoring.stats.replicates import Resampled, resample_within_scenes, studentised_interval


def scene_scores_report(results: RoundResults) -> SceneScoresReport:
    """Return an estimate for each configuration and scene, from its replicates; and the clips under
    a ceiling.
    """
    scores, capped = {}, []
    for standing in results.standings:
        scores[standing.configuration] = {
            scene: reported(_estimate(results, standing, scene)) for scene in results.record.scenes
        }
        capped += _capped(results, standing)
    return SceneScoresReport(by_configuration=scores, capped=capped)


def _estimate(results: RoundResults, standing: Standing, scene: str) -> Estimate | Undefined:
    scores = [float(score) for score in clip_scores(results.protocol, standing, scene)]
    if not scores:
        return Undefined("no clip is scored")
    seed = derived_seed(results.record.seed, "score", standing.configuration, scene)
    resampled = resample_within_scenes([scores], seed=seed)
    if isinstance(resampled, Resampled):
        return studentised_interval(resampled, bounds=(0.0, float(HUNDRED)))
    return without_interval(scores[0], 1, "one clip")


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
