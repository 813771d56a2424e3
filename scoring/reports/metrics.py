"""Secondary metrics: figures that stand beside the score and can never enter it. No Django here.

Source of the definitions: Core v0.1 document, section 11. They are read from the protocol; scores
never read them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from fartbench.protocol.scoring import Metric
from scoring.records import CellRecord, Integers
from scoring.reports.costs import cost_of, why_no_costs
from scoring.reports.groups import every_row, rows_by_configuration, share_of
from scoring.reports.observations import numbers_of, row_facts, scored_rows
from scoring.reports.ratings import ratings_report
from scoring.reports.scaling import scaling_by_family
from scoring.reports.shape import estimate_document
from scoring.scores.fartscore import complies, facts_of
from scoring.scores.standings import RoundResults
from scoring.stats.estimate import CONFIDENCE, Estimate, Undefined, without_interval
from scoring.stats.intervals import jackknife_interval

Document = dict[str, Any]
FEWEST_FOR_A_MEDIAN = 6  # with fewer, no two of the values enclose the median with 95%


def metrics_report(results: RoundResults, score_intervals: Mapping[str, Document]) -> Document:
    """Return each metric of the protocol, over the round and by configuration.

    ``score_intervals`` are the documents of each configuration's score, which scaling compares with
    costs.
    """
    return {
        "metrics": {
            metric.key: {
                "label": metric.label,
                "short": metric.short,
                "kind": metric.kind,
                "definition": metric.definition,
                **_figures(results, metric, score_intervals),
            }
            for metric in results.protocol.metrics
        }
    }


def _figures(
    results: RoundResults, metric: Metric, score_intervals: Mapping[str, Document]
) -> Document:
    if metric.kind == "deferred":
        return _everywhere(results, lambda _: Undefined("deferred"))
    if metric.kind == "score_per_cost":
        return {"families": scaling_by_family(results.record, score_intervals)}
    if metric.kind == "mean":
        ratings = ratings_report(results.tally).questions[str(metric.question)]
        return {
            "overall": ratings.overall.mean.model_dump(),
            "by_configuration": {
                name: part.mean.model_dump() for name, part in ratings.by_configuration.items()
            },
        }
    return _everywhere(results, _estimator(results, metric))


def _everywhere(
    results: RoundResults, estimate: Callable[[Integers], Estimate | Undefined]
) -> Document:
    votes = results.tally
    return {
        "overall": estimate_document(estimate(every_row(votes))),
        "by_configuration": {
            name: estimate_document(estimate(rows)) for name, rows in rows_by_configuration(votes)
        },
    }


def _estimator(results: RoundResults, metric: Metric) -> Callable[[Integers], Estimate | Undefined]:
    votes, protocol = results.tally, results.protocol
    facts = facts_of(votes)
    if metric.kind == "compliance_rate":
        complied = np.array(
            [
                complies(protocol, cell.scene, row_facts(facts, row))
                for row, cell in enumerate(votes.record.cells)
            ]
        )

        def rate(rows: Integers) -> Estimate | Undefined:
            scored = scored_rows(votes, rows)
            return share_of(complied[scored], votes.configuration[scored])

        return rate
    found = facts[str(metric.question)]
    if metric.kind == "median":
        return lambda rows: median_estimate(
            numbers_of(found[row] for row in scored_rows(votes, rows))
        )
    why = why_no_costs(votes.record.cells)

    def per_dollar(rows: Integers) -> Estimate | Undefined:
        if why:
            return Undefined(f"not reported: {why}", len(rows))
        scored = set(scored_rows(votes, rows).tolist())
        events = [
            _events(results, row, numbers_of([found[row]])) if row in scored else 0.0
            for row in rows
        ]
        return events_per_dollar(events, [votes.record.cells[row] for row in rows])

    return per_dollar


def _events(results: RoundResults, row: int, given: Sequence[float]) -> float:
    """Return a clip's compliant events: never more than its test requires."""
    required = results.protocol.scene(results.record.cells[row].scene).required_events or 0
    return min(given[0], float(required)) if given else 0.0


def events_per_dollar(events: Sequence[float], cells: Sequence[CellRecord]) -> Estimate | Undefined:
    """Return events by the cost of all cells, also of those that brought nothing; interval by
    leaving out each cell.
    """
    costs = np.array([cost_of(cell) for cell in cells])
    total, counted = float(costs.sum()), np.array(events)
    if not total:
        return Undefined("not reported: nothing was charged", len(cells))
    others = total - costs
    left_out = np.divide(
        counted.sum() - counted, others, out=np.full(others.shape, np.nan), where=others > 0
    )
    found = jackknife_interval(
        float(counted.sum()) / total, left_out, len(cells), bounds=(0.0, np.inf)
    )
    return (
        found if found.low is None else replace(found, method=f"jackknife over {len(cells)} cells")
    )


def median_estimate(values: Sequence[float]) -> Estimate | Undefined:
    """Return the median with the interval between two order statistics (binomial: Thompson 1936,
    Annals 7).
    """
    if not values:
        return Undefined("nothing could be measured")
    ordered, n = sorted(values), len(values)
    middle = float(np.median(ordered))
    if n < FEWEST_FOR_A_MEDIAN:
        return without_interval(
            middle, n, f"{n} clips; an interval of a median needs {FEWEST_FOR_A_MEDIAN}"
        )
    from scipy.stats import binom  # noqa: PLC0415 - a web process shows what was computed before, and starts without

    below = int(binom.ppf((1 - CONFIDENCE) / 2, n, 0.5))
    return Estimate(middle, ordered[below - 1], ordered[n - below], n, "order statistics")
