"""What reviewers agree to have observed, and which failure codes hold. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import TypeVar

import numpy as np

from scoring.records import Integers, Tally
from scoring.report_classes.base import Everywhere
from scoring.report_classes.weighted import (
    CodeCounts,
    FailureCodesReport,
    ObservationsReport,
    OutcomeCounts,
)
from scoring.reports.groups import every_row, rows_by_configuration, rows_by_scene, share_of
from scoring.reports.shape import reported
from scoring.scores.consensus import YES, Consensus
from scoring.scores.fartscore import facts_of

CountsT = TypeVar("CountsT", OutcomeCounts, CodeCounts)


def observations_report(votes: Tally) -> ObservationsReport:
    """Return how often each outcome of each observation was found, over all, by scene and by
    configuration.

    Of counts and times the outcomes are medians.
    """
    protocol, facts = votes.record.protocol, facts_of(votes)
    flags = protocol.keys_of("flag")
    questions = {}
    for key, consensus in facts.items():
        if key not in flags:
            questions[key] = _everywhere(votes, partial(_outcomes, votes, consensus))
    return ObservationsReport(questions=questions)


def failure_codes_report(votes: Tally) -> FailureCodesReport:
    """Return on how many scored clips each failure code holds, over all, by scene and by
    configuration.
    """
    facts = facts_of(votes)
    questions = {}
    for key in votes.record.protocol.keys_of("flag"):
        questions[key] = _everywhere(votes, partial(_code_counts, votes, facts[key]))
    return FailureCodesReport(questions=questions)


def scored_rows(votes: Tally, rows: Integers) -> Integers:
    """Return those of the cells that are scored: delivered, and answered by the whole cohort."""
    kept: Integers = rows[votes.complete[rows] & votes.delivered[rows]]
    return kept


def _everywhere(votes: Tally, count: Callable[[Integers], CountsT]) -> Everywhere[CountsT]:
    return Everywhere(
        overall=count(every_row(votes)),
        by_scene={scene: count(rows) for scene, rows in rows_by_scene(votes)},
        by_configuration={name: count(rows) for name, rows in rows_by_configuration(votes)},
    )


def _outcomes(votes: Tally, consensus: Sequence[Consensus], rows: Integers) -> OutcomeCounts:
    counted = Counter(consensus[row].outcome for row in scored_rows(votes, rows))
    return OutcomeCounts(n=counted.total(), outcomes=dict(sorted(counted.items())))


def _code_counts(votes: Tally, consensus: Sequence[Consensus], rows: Integers) -> CodeCounts:
    scored = scored_rows(votes, rows)
    holds = np.array([consensus[row].outcome == YES for row in scored], dtype=bool)
    share = reported(share_of(holds, votes.configuration[scored]))
    return CodeCounts(held=int(holds.sum()), n=len(scored), share=share)


def row_facts(facts: Mapping[str, Sequence[Consensus]], row: int) -> dict[str, Consensus]:
    """Return every fact of one cell."""
    return {question: found[row] for question, found in facts.items()}


def numbers_of(found: Iterable[Consensus]) -> list[float]:
    """Return the medians among the outcomes of a count or a time."""
    return [float(one.outcome) for one in found if one.outcome.replace(".", "", 1).isdigit()]
