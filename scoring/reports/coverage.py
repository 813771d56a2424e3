"""What was delivered and what was not, with the reasons: coverage, never a quality score.

No Django here.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

from scoring.records import DELIVERED, CellRecord, RoundRecord, Tally
from scoring.report_classes.people import CoverageReport, NotScored, Outcomes

INCOMPLETE = "incomplete"


def coverage_report(votes: Tally) -> CoverageReport:
    """Return the outcomes of all cells, by scene and by configuration, and every cell that is not
    scored.
    """
    places = zip(votes.record.cells, votes.complete, strict=True)
    return coverage_of(votes.record, [_outcome(cell, bool(complete)) for cell, complete in places])


def coverage_of(record: RoundRecord, outcomes: Sequence[str]) -> CoverageReport:
    """Return the report from the outcome of each cell, in the order of the record."""
    pairs = list(zip(record.cells, outcomes, strict=True))
    by_scene: dict[str, list[str]] = {scene: [] for scene in record.scenes}
    by_configuration: dict[str, list[str]] = defaultdict(list)
    for cell, outcome in pairs:
        by_scene[cell.scene].append(outcome)
        by_configuration[cell.configuration].append(outcome)
    return CoverageReport(
        overall=_counted(outcomes),
        by_scene={scene: _counted(there) for scene, there in by_scene.items()},
        by_configuration={
            name: _counted(there) for name, there in sorted(by_configuration.items())
        },
        reasons=_reasons(record.cells),
        not_scored=[
            NotScored(
                configuration=cell.configuration,
                scene=cell.scene,
                replicate=cell.replicate,
                outcome=outcome,
                reason=cell.reason,
            )
            for cell, outcome in pairs
            if outcome != DELIVERED
        ],
    )


def _outcome(cell: CellRecord, complete: bool) -> str:
    return INCOMPLETE if cell.outcome == DELIVERED and not complete else cell.outcome


def _counted(outcomes: Iterable[str]) -> Outcomes:
    counts = Counter(outcomes)
    return Outcomes(cells=counts.total(), outcomes=dict(sorted(counts.items())))


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
