"""What reviewers agree to have observed, and which failure codes hold. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.records import Integers, Tally
from scoring.reports.groups import every_row, rows_by_configuration, rows_by_scene, share_of
from scoring.reports.shape import estimate_document
from scoring.scores.consensus import YES, Consensus
from scoring.scores.fartscore import facts_of


def observations_report(votes: Tally) -> dict[str, Any]:
    """Return how often each outcome of each observation was found, over all, by scene and by
    configuration.

    Of counts and times the outcomes are medians.
    """
    protocol, facts = votes.record.protocol, facts_of(votes)
    flags = protocol.keys_of("flag")
    return {
        "questions": {
            key: _grouped(votes, lambda rows, found=found: _outcomes(votes, found, rows))
            for key, found in facts.items()
            if key not in flags
        }
    }


def failure_codes_report(votes: Tally) -> dict[str, Any]:
    """Return on how many scored clips each failure code holds, over all, by scene and by
    configuration.
    """
    facts = facts_of(votes)
    return {
        "questions": {
            key: _grouped(votes, lambda rows, found=facts[key]: _held(votes, found, rows))
            for key in votes.record.protocol.keys_of("flag")
        }
    }


def scored_rows(votes: Tally, rows: Integers) -> Integers:
    """Return those of the cells that are scored: delivered, and answered by the whole cohort."""
    kept: Integers = rows[votes.complete[rows] & votes.delivered[rows]]
    return kept


def _grouped(votes: Tally, document: Any) -> dict[str, Any]:
    return {
        "overall": document(every_row(votes)),
        "by_scene": {scene: document(rows) for scene, rows in rows_by_scene(votes)},
        "by_configuration": {name: document(rows) for name, rows in rows_by_configuration(votes)},
    }


def _outcomes(votes: Tally, found: Sequence[Consensus], rows: Integers) -> dict[str, Any]:
    counted = Counter(found[row].outcome for row in scored_rows(votes, rows))
    return {"n": counted.total(), "outcomes": dict(sorted(counted.items()))}


def _held(votes: Tally, found: Sequence[Consensus], rows: Integers) -> dict[str, Any]:
    scored = scored_rows(votes, rows)
    held = np.array([found[row].outcome == YES for row in scored], dtype=bool)
    return {
        "held": int(held.sum()),
        "n": len(scored),
        "share": estimate_document(share_of(held, votes.configuration[scored])),
    }


def row_facts(facts: Mapping[str, Sequence[Consensus]], row: int) -> dict[str, Consensus]:
    """Return every fact of one cell."""
    return {question: found[row] for question, found in facts.items()}


def numbers_of(found: Iterable[Consensus]) -> list[float]:
    """Return the medians among the outcomes of a count or a time."""
    return [float(one.outcome) for one in found if one.outcome.replace(".", "", 1).isdigit()]
