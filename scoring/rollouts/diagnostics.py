"""Diagnostics beside the columns of a round of rollouts (arXiv:2608.26336v1, §D.1-D.4), as plain
JSON: each figure with its interval over cases. No Django here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from scoring.metrics.appendix import (
    DependentUpdates,
    capped_values,
    dependency,
    dependent_updates,
    initial_values,
)
from scoring.metrics.summary import mean_of_cases
from scoring.reports.shape import estimate_document
from scoring.rollouts.results import RolloutResults, System
from scoring.stats.estimate import Undefined
from scoring.stats.intervals import jackknife_interval

Document = dict[str, Any]

_DIAGNOSED = ("criteria", "latency", "if_established")
_OF_DEPENDENCY = {"established": (0.0, 1.0), "following": (1.0, 5.0), "adjusted": (0.0, 1.0)}


def diagnostics_document(results: RolloutResults) -> Document:
    """Return the diagnostics of each system, as each source answers."""
    return {
        "readings": {
            reading.source: {
                system.name: _diagnostics(results.table, system) for system in reading.systems
            }
            for reading in results.readings
        }
    }


def _diagnostics(table: MetricTable, system: System) -> Document:
    evidence = [case.evidence for case in system.cases]
    scenarios = {case.evidence.case: case.scenario for case in system.cases}
    kinds = dict.fromkeys(
        update.dependency for case in system.cases for update in case.scenario.updates
    )
    by_recipe = {
        recipe: [one for one in table.metrics if one.recipe == recipe] for recipe in _DIAGNOSED
    }
    return {
        "initial": {
            one.code: _over_cases(initial_values(table, one.code, evidence), one)
            for one in by_recipe["criteria"]
        },
        "capped": {
            one.code: _over_cases(capped_values(table, one.code, evidence), one)
            for one in by_recipe["latency"]
        },
        "dependencies": {
            kind: found
            for kind in sorted(kinds)
            for metric in by_recipe["if_established"]
            if (
                found := dependency_document(
                    kind, dependent_updates(metric, evidence, scenarios, kind)
                )
            )
        },
    }


def _over_cases(values: Sequence[float | None], metric: Metric) -> Document:
    known = np.array([value for value in values if value is not None], np.float64)
    return estimate_document(mean_of_cases(known, metric.bounds))


def dependency_document(kind: str, cases: Sequence[DependentUpdates]) -> Document:
    """Return how dependent updates went, each figure with the jackknife over cases; empty where
    there was none.
    """
    whole = dependency(kind, cases)
    if whole is None:
        return {}
    without = [
        dependency(kind, [*cases[:place], *cases[place + 1 :]]) for place in range(len(cases))
    ]
    document: Document = {"updates": whole.updates}
    for name, bounds in _OF_DEPENDENCY.items():
        value = getattr(whole, name)
        left_out = [np.nan if one is None else getattr(one, name) for one in without]
        document[name] = estimate_document(
            Undefined("no source came about", whole.updates)
            if value is None
            else jackknife_interval(
                value, np.array(left_out, np.float64), whole.updates, bounds=bounds, of="cases"
            )
        )
    return document
