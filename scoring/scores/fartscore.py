"""FARTScore: a weighted mean of dimensions out of 100, and the ceilings that facts put on it. No
Django here.

Source of the formula: Core v0.1 document, section 11. A sheet's score is 100 / top x sum(w s) /
sum(w) over the dimensions that it rates, s from 0 to the top of the scale; the weights of the
others fall away. Numbers are exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median

import numpy as np

from fartbench.numbers import exact_number
from fartbench.protocol import Protocol
from fartbench.protocol.scoring import Cap
from scoring.records import Tally
from scoring.scores.consensus import INCOMPLETE, NA, SPLIT, Consensus, consensus_of

HUNDRED = 100


@dataclass(frozen=True, slots=True)
class ClipScore:
    """A clip's score out of 100; ``uncapped`` is what it would be without its ceiling, ``cap`` the
    ceiling's key.
    """

    score: Fraction
    uncapped: Fraction
    cap: str = ""


def sheet_score(protocol: Protocol, ratings: Mapping[str, int]) -> Fraction | None:
    """Return one sheet's score from its ratings by question; a dimension without one is left out.

    None when no dimension is rated.
    """
    rated = [
        dimension for dimension in protocol.scoring.dimensions if dimension.question in ratings
    ]
    if not rated:
        return None
    top = int(protocol.options(protocol.question(rated[0].question))[-1].value)
    weighted = sum(dimension.weight * ratings[dimension.question] for dimension in rated)
    return Fraction(HUNDRED * weighted, top * sum(dimension.weight for dimension in rated))


def lowest_cap(protocol: Protocol, scene: str, facts: Mapping[str, str]) -> Cap | None:
    """Return the lowest ceiling whose every condition is a fact of the clip; of equal ones the
    first.
    """
    in_force = [cap for cap in protocol.scoring.caps if _applies(cap, scene, facts)]
    return min(in_force, key=lambda cap: cap.ceiling, default=None)


def _applies(cap: Cap, scene: str, facts: Mapping[str, str]) -> bool:
    if cap.scenes is not None and scene not in cap.scenes:
        return False
    return all(facts.get(condition.question) == condition.value for condition in cap.when)


def clip_score(
    protocol: Protocol, scene: str, sheets: Sequence[Mapping[str, int]], facts: Mapping[str, str]
) -> ClipScore | None:
    """Return a clip's score: the mean of its sheets' scores (ours), under the lowest ceiling that
    holds.
    """
    scores = [score for ratings in sheets if (score := sheet_score(protocol, ratings)) is not None]
    if not scores:
        return None
    uncapped = sum(scores, Fraction(0)) / len(scores)
    cap = lowest_cap(protocol, scene, facts)
    if cap is None or uncapped <= cap.ceiling:
        return ClipScore(uncapped, uncapped)
    return ClipScore(Fraction(cap.ceiling), uncapped, cap.key)


def facts_of(votes: Tally) -> dict[str, list[Consensus]]:
    """Return for each fact of the protocol what every cell's reviewers agree on.

    A number is the median of those who gave one, when they are more than half of the cohort (ours);
    every other fact holds when enough of the cohort said the same.
    """
    record, protocol = votes.record, votes.record.protocol
    found = {}
    for key in protocol.facts:
        values = record.book.values(key)
        if protocol.answer_set(protocol.question(key)).is_number:
            found[key] = [_number(row, values, record.cohort) for row in votes.counts(key).tolist()]
        else:
            found[key] = consensus_of(
                votes.counts(key), values, cohort=record.cohort, quorum=record.quorum
            )
    return found


def _number(counts: Sequence[int], values: Sequence[str], cohort: int) -> Consensus:
    given = {value: count for value, count in zip((*values, NA), counts, strict=True) if count}
    numbers = [float(value) for value, count in given.items() if value != NA for _ in range(count)]
    if sum(given.values()) < cohort:
        return Consensus(INCOMPLETE, given)
    if 2 * len(numbers) > cohort:
        return Consensus(exact_number(median(numbers)), given)
    return Consensus(NA if 2 * given.get(NA, 0) > cohort else SPLIT, given)


def ratings_of(votes: Tally, cell: int) -> list[dict[str, int]]:
    """Return what each reviewer of a cell rated each dimension, without N/A."""
    numbers = {
        dimension.question: votes.numbers(dimension.question)[cell]
        for dimension in votes.record.protocol.scoring.dimensions
    }
    return [
        {question: int(row[seat]) for question, row in numbers.items() if not np.isnan(row[seat])}
        for seat in range(votes.record.cohort)
    ]


def complies(protocol: Protocol, scene: str, facts: Mapping[str, Consensus]) -> bool:
    """Say whether a clip meets every hard check of its scene."""
    return all(
        facts[question].outcome == value
        for question, value in protocol.scene(scene).expects.items()
    )
