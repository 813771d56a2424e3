"""Whether people prefer the systems that each metric ranks higher, from blind pairs of a round. No
Django here.

Each question about pairs names the metric that it is held against, and the published range is shown
beside it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from fartbench.protocol.pairs import PairQuestion
from scoring.metrics.alignment import (
    Judged,
    Match,
    Vote,
    alignment,
    ceiling,
    majority,
    win_estimates,
)
from scoring.reports.preference import Battle, battles_of
from scoring.reports.shape import estimate_document
from scoring.rollouts.results import EVERY_TRACK, RolloutResults, System
from scoring.stats.estimate import Undefined

Document = dict[str, Any]


def alignment_report(results: RolloutResults) -> Document:
    """Return for each question that names a metric: win rates, ties, the ceiling, the correlation
    with each source.

    ``published`` is the range that the paper gives; no figure of this installation.
    """
    pairs, published = results.protocol.pairs, results.table.published
    return {
        "published": {"source": published.source, **dict(sorted(published.spearman.items()))},
        "questions": [
            _question(results, question)
            for question in (pairs.questions if pairs else ())
            if question.metric
        ],
    }


def _question(results: RolloutResults, question: PairQuestion) -> Document:
    metric = results.table.metric(question.metric or "")
    judged = judged_pairs(battles_of(results.record, question.key))
    labels = [majority(list(one.votes.values())) for one in judged]
    matches = [one.match for one in judged]
    annotators, split, votes = set[str](), 0, 0
    for one, label in zip(judged, labels, strict=True):
        annotators |= one.votes.keys()
        votes += len(one.votes)
        votes_for_tie = list(one.votes.values()).count("tie")
        split += label == "tie" and votes_for_tie * 2 <= len(one.votes)
    rates = win_estimates(matches, labels)
    readings = {
        reading.source: _correlation(judged, reading.systems, metric.code, metric.better)
        for reading in results.readings
    }
    return {
        "question": question.key,
        "label": question.label,
        "wording": question.wording,
        "metric": metric.code,
        "better": metric.better,
        "pairs": len(judged),
        "votes": votes,
        "annotators": len(annotators),
        "ties": labels.count("tie"),
        "split": split,
        "ceiling": estimate_document(ceiling(judged)),
        "systems": {name: {"win_rate": estimate_document(rates[name])} for name in sorted(rates)},
        "readings": readings,
    }


def _correlation(
    judged: Sequence[Judged], systems: Sequence[System], code: str, better: Any
) -> Document:
    if not judged:
        return estimate_document(Undefined("no pair was voted on", 0))
    return estimate_document(alignment(judged, _scores(systems, code), better=better))


def _scores(systems: Sequence[System], code: str) -> Mapping[str, float]:
    """Return a metric of each system over whole rollouts; a system without a value is left out."""
    found = {}
    for system in systems:
        horizon = max(one for case in system.cases for one in case.scenario.horizons_s)
        columns = {one.code: one.estimate for one in system.columns(horizon, EVERY_TRACK)}
        if not isinstance(estimate := columns[code], Undefined):
            found[system.name] = estimate.value
    return found


def judged_pairs(battles: Sequence[Battle]) -> list[Judged]:
    """Return each pair once with every vote on it, whichever side its systems had for each
    reviewer.

    Two answers that both clips are bad count as a tie.
    """
    by_pair: dict[str, list[Battle]] = defaultdict(list)
    for battle in battles:
        by_pair[battle.pair].append(battle)
    return [_judged(found) for _, found in sorted(by_pair.items())]


def _judged(battles: Sequence[Battle]) -> Judged:
    left, right = sorted((battles[0].a, battles[0].b))
    sides: dict[str, Vote] = {left: "left", right: "right"}
    votes: dict[str, Vote] = {
        one.reviewer: {"a": sides[one.a], "b": sides[one.b]}.get(one.outcome, "tie")
        for one in battles
    }
    return Judged(Match(battles[0].scene, left, right), votes)
