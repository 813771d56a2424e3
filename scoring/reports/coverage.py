"""What was delivered and what was not, with the reasons: coverage, never a quality score. No Django here."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from scoring.records import DELIVERED, CellRecord, Tally
from scoring.reports.groups import every_row, rows_by_configuration, rows_by_scene

INCOMPLETE = "incomplete"


def coverage_report(votes: Tally) -> dict[str, Any]:
    """Return the outcomes of all cells, by scene and by configuration, and every cell that is not scored."""
    outcomes = [_outcome(cell, complete) for cell, complete in zip(votes.record.cells, votes.complete, strict=True)]
    return {
        "overall": _counted(outcomes, every_row(votes)),
        "by_scene": {scene: _counted(outcomes, rows) for scene, rows in rows_by_scene(votes)},
        "by_configuration": {name: _counted(outcomes, rows) for name, rows in rows_by_configuration(votes)},
        "reasons": _reasons(votes.record.cells),
        "not_scored": [
            {
                "configuration": cell.configuration,
                "scene": cell.scene,
                "replicate": cell.replicate,
                "outcome": outcome,
                "reason": cell.reason,
            }
            for cell, outcome in zip(votes.record.cells, outcomes, strict=True)
            if outcome != DELIVERED
        ],
    }


def _outcome(cell: CellRecord, complete: bool) -> str:
    return INCOMPLETE if cell.outcome == DELIVERED and not complete else cell.outcome


def _counted(outcomes: list[str], rows: Iterable[int]) -> dict[str, Any]:
    counts = Counter(outcomes[row] for row in rows)
    return {"cells": counts.total(), "outcomes": dict(sorted(counts.items()))}


def _reasons(cells: Iterable[CellRecord]) -> dict[str, dict[str, int]]:
    """Return how often each reason was given, by outcome, the most frequent first."""
    found: dict[str, Counter[str]] = {}
    for cell in cells:
        if cell.reason:
            found.setdefault(cell.outcome, Counter())[cell.reason] += 1
    return {
        outcome: dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))
        for outcome, counts in sorted(found.items())
    }
