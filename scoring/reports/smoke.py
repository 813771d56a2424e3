"""The report that a smoke test ends in: what a small round shows about the instrument, before a
large one. No Django.

Source of the six points: Core v0.1 document, section 8. A configuration need not do well for any of
them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from fartbench.protocol.scoring import Smoke, SmokePoint
from scoring.records import Integers, Tally
from scoring.report_classes.weighted import (
    RedundantScales,
    ScaleToRevise,
    SmokeReport,
    SmokeVerdict,
)
from scoring.reports.agreement import answers_given
from scoring.reports.groups import every_row
from scoring.reports.observations import scored_rows
from scoring.reports.shape import reported, rounded
from scoring.scores.consensus import SPLIT, YES, Consensus
from scoring.scores.fartscore import facts_of
from scoring.stats.estimate import Estimate
from scoring.stats.intervals import Floats, jackknife_interval

MET, NOT_MET, UNKNOWN = "met", "not met", "unknown"
UNSETTLED = {SPLIT, "unclear"}
FEWEST_CLIPS = 3
Verdict = tuple[str, str]


def smoke_report(votes: Tally) -> SmokeReport:
    """Return each point with its verdict and evidence, scales that say the same, and scales to be
    revised.
    """
    smoke = votes.record.protocol.smoke
    if smoke is None:
        return SmokeReport(points=[], redundant=[], revise=[])
    revise = to_be_revised(votes, smoke)
    judged: dict[str, Callable[[SmokePoint], Verdict]] = {
        "prompt_clarity": lambda point: _settled(votes, point, smoke.share),
        "timing_feasibility": lambda point: _feasible(votes, point),
        "source_identifiability": lambda point: _settled(votes, point, smoke.share),
        "rater_agreement": lambda _: _agreement(votes, revise),
        "provenance_completeness": lambda _: _provenance(votes),
        "safety_conflicts": lambda _: _conflicts(votes),
    }
    points = []
    for point in smoke.points:
        verdict, evidence = judged[point.key](point)
        points.append(
            SmokeVerdict(key=point.key, label=point.label, verdict=verdict, evidence=evidence)
        )
    record = votes.record
    return SmokeReport(
        reviewers=record.cohort,
        official_needs=record.protocol.cohort.size,
        is_smoke_test=record.is_smoke,
        points=points,
        redundant=redundant_scales(votes, smoke),
        revise=revise,
    )


def redundant_scales(votes: Tally, smoke: Smoke) -> list[RedundantScales]:
    """Return the pairs of dimensions whose clip means correlate above the protocol's limit
    (Pearson).
    """
    rows = scored_rows(votes, every_row(votes))
    means = {
        one.question: _clip_means(votes, one.question)[rows]
        for one in votes.record.protocol.scoring.dimensions
    }
    found = []
    for one, other in combinations(means, 2):
        both = ~np.isnan(means[one]) & ~np.isnan(means[other])
        first, second = means[one][both], means[other][both]
        correlation = _correlation(first, second)
        if correlation > smoke.redundant_above:
            interval = _interval(first, second, votes.configuration[rows][both])
            found.append(
                RedundantScales(
                    questions=[one, other],
                    correlation=rounded(correlation),
                    n=int(both.sum()),
                    interval=reported(interval),
                )
            )
    return found


def _correlation(first: Floats, second: Floats) -> float:
    if len(first) < FEWEST_CLIPS or not first.std() or not second.std():
        return float("nan")
    return float(np.corrcoef(first, second)[0, 1])


def _interval(first: Floats, second: Floats, configurations: Integers) -> Estimate:
    """Return the correlation with the jackknife over configurations."""
    left_out = []
    for name in np.unique(configurations):
        rest = configurations != name
        left_out.append(_correlation(first[rest], second[rest]))
    value = _correlation(first, second)
    return jackknife_interval(value, left_out, len(first), bounds=(-1.0, 1.0))


def _clip_means(votes: Tally, question: str) -> Any:
    numbers = votes.numbers(question)
    there = ~np.isnan(numbers)
    sums, sizes = np.where(there, numbers, 0.0).sum(axis=1), there.sum(axis=1)
    return np.divide(sums, sizes, out=np.full(sums.shape, np.nan), where=sizes > 0)


def to_be_revised(votes: Tally, smoke: Smoke) -> list[ScaleToRevise]:
    """Return the scales on which reviewers agree less than the protocol's limit."""
    found = []
    for dimension in votes.record.protocol.scoring.dimensions:
        alpha = answers_given(votes, dimension.question, every_row(votes)).alpha
        if alpha.value is not None and alpha.value < smoke.agreement_below:
            found.append(ScaleToRevise(question=dimension.question, alpha=alpha))
    return found


def _scored(votes: Tally, question: str) -> list[Consensus]:
    found = facts_of(votes)[question]
    return [found[row] for row in scored_rows(votes, every_row(votes))]


def _settled(votes: Tally, point: SmokePoint, share: float) -> Verdict:
    parts, verdict = [], MET
    for key in point.questions:
        found = _scored(votes, key)
        settled = sum(one.outcome not in UNSETTLED for one in found)
        parts.append(
            f"{votes.record.protocol.question(key).label}: settled on {settled} of {len(found)} "
            "clips"
        )
        if not found:
            return UNKNOWN, "no clip is scored"
        verdict = verdict if settled >= share * len(found) else NOT_MET
    return verdict, "; ".join(parts)


def _feasible(votes: Tally, point: SmokePoint) -> Verdict:
    found = [_scored(votes, key) for key in point.questions]
    clips = len(found[0]) if found else 0
    if not clips:
        return UNKNOWN, "no clip is scored"
    fine = sum(all(one.outcome != YES for one in clip) for clip in zip(*found, strict=True))
    return MET if fine else NOT_MET, f"{fine} of {clips} clips keep the time window"


def _agreement(votes: Tally, revise: Sequence[ScaleToRevise]) -> Verdict:
    if votes.record.cohort < 2:  # noqa: PLR2004 - nobody to agree with
        return UNKNOWN, "one reviewer has nobody to agree with"
    if revise:
        return (
            NOT_MET,
            f"{len(revise)} scales lie under the limit: "
            f"{', '.join(one.question for one in revise)}",
        )
    return MET, f"no scale lies under the limit, with {votes.record.cohort} reviewers"


def _provenance(votes: Tally) -> Verdict:
    delivered = [cell for cell in votes.record.cells if cell.raw_sha256]
    if not delivered:
        return UNKNOWN, "no clip was delivered"
    whole = sum(bool(cell.model_version and cell.generated_at) for cell in delivered)
    words = f"{whole} of {len(delivered)} clips have a model version, a time and a hash"
    return MET if whole == len(delivered) else NOT_MET, words


def _conflicts(votes: Tally) -> Verdict:
    refused = sum(cell.outcome == "refused" for cell in votes.record.cells)
    limited = sum(bool(cell.limitation) for cell in votes.record.cells)
    words = (
        f"{refused} of {len(votes.record.cells)} cells were refused, {limited} carry a limitation"
    )
    return NOT_MET if refused or limited else MET, words
