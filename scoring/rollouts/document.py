"""What a round of rollouts says, as plain JSON: its columns, and the reports beside them.

No Django here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from fartbench.numbers import exact_number
from fartbench.protocol.rollouts.metrics import as_columns
from scoring.metrics.cases import CaseValue
from scoring.metrics.summary import Column, Trajectory
from scoring.records import DELIVERED, RoundRecord
from scoring.records.judges import ANSWERED
from scoring.report_classes.people import FormCount, JudgeCount, UnitCount
from scoring.reports.coverage import coverage_of
from scoring.reports.shape import estimate_document, rounded
from scoring.rollouts.alignment import alignment_report
from scoring.rollouts.diagnostics import diagnostics_document
from scoring.rollouts.evidence import Case
from scoring.rollouts.results import (
    EVERY_TRACK,
    Reading,
    RolloutResults,
    System,
    metrics_along,
    trajectory_of,
)
from scoring.stats.estimate import Undefined

Document = dict[str, Any]


def scores_document(results: RolloutResults) -> Document:
    """Return the columns of every system, by horizon and track, as each source answers.

    Nothing is ranked.
    """
    record, protocol, metrics = results.record, results.protocol, results.table.metrics
    categories = dict.fromkeys(metric.category for metric in metrics)
    return {
        "round": record.name,
        "protocol": {
            "name": protocol.name,
            "version": protocol.version,
            "digest": record.protocol_digest,
        },
        "incomplete_reason": record.incomplete_reason,
        "smoke_test": record.is_smoke,
        "maturity": protocol.maturity,
        "categories": {key: results.table.categories[key] for key in categories},
        "metrics": as_columns(results.table),
        "horizons_s": list(map(horizon_key, results.horizons_s)),
        "tracks": results.tracks,
        "readings": [_reading(results, reading) for reading in results.readings],
    }


def _reading(results: RolloutResults, reading: Reading) -> Document:
    return {
        "source": reading.source,
        "systems": [_system(results, system) for system in reading.systems],
    }


def horizon_key(horizon_s: float) -> str:
    """Return a horizon as it is written in documents: seconds without a needless point."""
    return exact_number(horizon_s)


def _system(results: RolloutResults, system: System) -> Document:
    delivered = [case for case in system.cases if not case.evidence.failure]
    columns: dict[str, Document] = {}
    for horizon in results.horizons_s:
        by_track = columns[horizon_key(horizon)] = {}
        for track in results.tracks:
            by_track[track] = {
                one.code: column_document(one) for one in system.columns(horizon, track)
            }
    return {
        "configuration": system.name,
        "cells": len(system.cases),
        "delivered": len(delivered),
        "columns": columns,
    }


def column_document(found: Column) -> Document:
    """Return a column: its estimate, its signed change where it is a drift, coverage, and why cases
    have no value.
    """
    return {
        **estimate_document(found.estimate),
        "bootstrap": None if found.bootstrap is None else [*map(rounded, found.bootstrap)],
        "signed": None if found.signed is None else rounded(found.signed),
        "coverage": None if found.coverage is None else rounded(found.coverage),
        "cases": dict(sorted(found.counts.items())),
        "reasons": dict(sorted(found.reasons.items())),
        "provisional": found.is_provisional,
    }


def reports_document(results: RolloutResults) -> Document:
    """Return every report that the round's protocol names, by key."""
    made: dict[str, Callable[[RolloutResults], Document]] = {
        "trajectories": _trajectories,
        "appendix": diagnostics_document,
        "coverage": _coverage,
        "alignment": alignment_report,
        "published_figures": lambda found: sorted_by_key(
            found.table.published.model_dump(mode="json")
        ),
    }
    return {
        "round": results.record.name,
        "reviewers": len(results.record.primary),
        "reports": {
            report.key: {"label": report.label, **made[report.key](results)}
            for report in results.protocol.reports
            if report.key in made
        },
    }


def sorted_by_key(content: Any) -> Any:
    """Return plain JSON with every key in alphabetical order: databases keep another one than
    files.
    """
    if isinstance(content, dict):
        return {key: sorted_by_key(content[key]) for key in sorted(content)}
    return content


def _trajectories(results: RolloutResults) -> Document:
    return {
        "readings": {
            reading.source: {
                metric.code: {
                    system.name: _trajectory(trajectory_of(results.table, metric, system.cases))
                    for system in reading.systems
                }
                for metric in metrics_along(results.table)
            }
            for reading in results.readings
        }
    }


def _trajectory(found: Trajectory | Undefined) -> Document:
    if isinstance(found, Undefined):
        return {
            "at_s": [],
            "values": [],
            "means": [],
            "degradation": estimate_document(found),
            "variation": estimate_document(found),
            "note": found.reason,
        }
    return {
        "at_s": list(found.at_s),
        "values": [rounded(one.value) for one in found.means],
        "means": [estimate_document(one) for one in found.means],
        "degradation": estimate_document(found.degradation),
        "variation": estimate_document(found.variation),
        "note": "",
    }


def _coverage(results: RolloutResults) -> Document:
    """Return what was delivered, and how much of what was shown was answered, by kind of unit and
    by form.
    """
    record = results.record
    asked = Counter(window.unit for window in record.windows)
    answered = Counter(record.windows[place].unit for place in set(record.sheets.window))
    units = {
        unit: UnitCount(shown=count, answered=answered[unit])
        for unit, count in sorted(asked.items())
    }
    judges = [judge.name for judge in record.judges if judge.is_frozen_run]
    of_cells = coverage_of(record, [cell.outcome for cell in record.cells])
    more = {"units": units, "judges": judges, "forms": _by_form(record)}
    return of_cells.model_copy(update=more).document()


def _by_form(record: RoundRecord) -> dict[str, FormCount]:
    """Return of each form its windows, the sheets that people locked, and what each judge was asked
    and answered.

    Checklists that scenarios word are one form here. Judges stand in the order of the record.
    """
    names = [window.form.partition(".")[0] for window in record.windows]
    people = Counter(names[place] for place in record.sheets.window)
    runs = [judge.runs for judge in record.judges if judge.is_frozen_run]
    asked = [Counter(names[run.window] for run in of) for of in runs]
    answered = [Counter(names[run.window] for run in of if run.state == ANSWERED) for of in runs]
    return {
        form: FormCount(
            shown=count,
            sheets=people[form],
            judges=[
                JudgeCount(asked=every[form], answered=some[form])
                for every, some in zip(asked, answered, strict=True)
            ],
        )
        for form, count in sorted(Counter(names).items())
    }


def case_documents(
    results: RolloutResults, reading: Reading
) -> Iterator[tuple[Case, str, CaseValue]]:
    """Yield every value of every rollout over its whole length that a metric is about, with the
    metric's code.
    """
    for system in reading.systems:
        for case, values in zip(system.cases, system.values(results.horizons_s[-1]), strict=True):
            for metric in results.table.metrics:
                if metric.applies_to(case.scenario):
                    yield case, metric.code, values[metric.code]


def provisional_columns(scores: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """Yield (configuration, metric, why) for each column of the first reading in which an evaluator
    failed.
    """
    whole = scores["horizons_s"][-1]
    for system in scores["readings"][0]["systems"]:
        for code, found in system["columns"][whole][EVERY_TRACK].items():
            if found["provisional"]:
                yield system["configuration"], code, found["reasons"]["evaluator_failure"]


def release_faults(results: RolloutResults, scores: Mapping[str, Any]) -> Iterator[str]:
    """Yield a sentence for each reason why the results may still change, so that no release may
    carry them.
    """
    record = results.record
    measured = {one.cell for one in record.measurements}
    for place, cell in enumerate(record.cells):
        if cell.outcome == DELIVERED and place not in measured:
            yield f"{cell}: it was not measured; run “measure {record.name}”"
    for name, code, why in provisional_columns(scores):
        yield (
            f"{name}, {code}: provisional, an evaluator failed ({why}); fix that and run “measure "
            f"{record.name}”"
        )
