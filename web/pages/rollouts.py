"""Columns, systems and rollouts as pages show them, in the words of the protocol's table.

Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from fartbench.numbers import shown_number
from fartbench.protocol import Protocol
from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from scoring.release.pages import LEADERBOARD, SUMMARY
from scoring.release.rollouts.pages import columns_document
from scoring.rollouts.results import EVERY_TRACK, why_empty
from web.pages.board import Read
from web.pages.figures import Figure, figure

SMALLEST_FOR_ONE_DIGIT = 10


@dataclass(frozen=True, slots=True)
class Choice:
    """What a visitor asked to see: a category (empty for all), a track, a horizon, a source, and an
    order.
    """

    category: str
    track: str
    horizon: str
    source: str
    sort: str

    @classmethod
    def of(cls, query: Mapping[str, str], summary: Mapping[str, Any], table: MetricTable) -> Choice:
        """Read the query of an address; what there is not is as if nothing had been asked for."""

        def one_of(name: str, known: Sequence[str], otherwise: str) -> str:
            return query[name] if query.get(name) in known else otherwise

        return cls(
            category=one_of("category", list(table.categories), ""),
            track=one_of("track", summary["tracks"], EVERY_TRACK),
            horizon=one_of("horizon", summary["horizons_s"], summary["horizons_s"][-1]),
            source=one_of("source", summary["sources"], summary["sources"][0]),
            sort=one_of("sort", [metric.code for metric in table.metrics], ""),
        )

    def shows(self, metric: Metric) -> bool:
        """Say whether a metric's column is wanted."""
        is_of_track = self.track == EVERY_TRACK or metric.track in {"both", self.track}
        return is_of_track and self.category in {"", metric.category}


@dataclass(frozen=True, slots=True)
class Cell:
    """One column of one system. ``sort`` is empty where there is no value."""

    metric: Metric
    figure: Figure
    sort: str
    provisional: bool
    coverage: str

    @property
    def is_empty(self) -> bool:
        return not self.sort


@dataclass(frozen=True, slots=True)
class Row:
    """A system's columns."""

    name: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """The table: its metrics under their categories, and a row for each system."""

    summary: Mapping[str, Any]
    choice: Choice
    metrics: tuple[Metric, ...]
    groups: tuple[tuple[str, int], ...]
    rows: tuple[Row, ...]
    categories: Mapping[str, str]
    sortable: tuple[Metric, ...]


def table_of(rules: Protocol) -> MetricTable:
    """Return the table of metrics of a protocol of rollouts."""
    assert rules.rollouts is not None  # noqa: S101 - only rounds of such protocols come here
    return rules.rollouts.metrics


def read_columns(read: Read, rules: Protocol, query: Mapping[str, str]) -> Columns:
    """Return the columns that a query asks for."""
    table = table_of(rules)
    summary = read([SUMMARY])[SUMMARY]
    choice = Choice.of(query, summary, table)
    name = columns_document(choice.source, choice.horizon, choice.track)
    found = read([name, LEADERBOARD])[name]["systems"]
    metrics = tuple(metric for metric in table.metrics if choice.shows(metric))
    rows = [
        Row(system, tuple(cell_of(metric, of[metric.code]) for metric in metrics))
        for system, of in found.items()
    ]
    return Columns(
        summary=summary,
        choice=choice,
        metrics=metrics,
        groups=tuple(
            (table.categories[key], len(list(of)))
            for key, of in groupby(metrics, key=lambda one: one.category)
        ),
        rows=tuple(_ordered(rows, metrics, choice.sort)),
        categories={
            key: table.categories[key]
            for key in dict.fromkeys(one.category for one in table.metrics)
        },
        sortable=metrics,
    )


def _ordered(rows: list[Row], metrics: Sequence[Metric], sort: str) -> list[Row]:
    """Return the rows by name, or the best of a metric first; those without a value come last."""
    for place, metric in enumerate(metrics):
        if metric.code == sort:
            sign = -1 if metric.better == "higher" else 1
            return sorted(
                rows,
                key=lambda row: (
                    row.cells[place].is_empty,
                    sign * float(row.cells[place].sort or 0),
                ),
            )
    return sorted(rows, key=lambda row: row.name)


def cell_of(metric: Metric, found: Mapping[str, Any]) -> Cell:
    """Return a column of a system as a page writes it."""
    value = found["value"]
    written = figure(found, digits=digits_of(metric))
    if value is None:
        written = Figure(written.value, "", written.n, why_empty(found), "")
    coverage = (
        "" if found["coverage"] in {None, 0.0, 1.0} else f"{found['coverage']:.0%} of the cases"
    )
    return Cell(
        metric, written, "" if value is None else repr(value), found["provisional"], coverage
    )


def digits_of(metric: Metric) -> int:
    """Return how many decimals a metric is written with: fewer where its scale is long."""
    high = metric.high if metric.high is not None else SMALLEST_FOR_ONE_DIGIT
    return 1 if high > SMALLEST_FOR_ONE_DIGIT else 3 if high <= 1 else 2


@dataclass(frozen=True, slots=True)
class Reference:
    """A published figure: whose, of which metric, over which horizon (empty for all of it)."""

    system: str
    code: str
    value: str
    horizon: str = ""


def references_of(report: Mapping[str, Any] | None, rules: Protocol) -> list[Reference]:
    """Return the figures of the paper.

    They are references, and no measurements of this installation.
    """
    if not report:
        return []
    digits = {metric.code: digits_of(metric) for metric in table_of(rules).metrics}

    def written(code: str, value: float) -> str:
        return f"{value:.{max(3, digits[code])}f}"

    systems = report["systems"].items()
    found = [
        Reference(name, code, written(code, value))
        for name, of in systems
        for code, value in of.items()
    ]
    found += [
        Reference("Mean of 13", code, written(code, value))
        for code, value in report["averages"].items()
    ]
    for code, by_horizon in report["averages_by_horizon_s"].items():
        ordered = sorted(by_horizon.items(), key=lambda item: float(item[0]))
        found += [
            Reference("Mean of 13", code, written(code, value), f"{at} s") for at, value in ordered
        ]
    return found


def case_values(
    table: MetricTable, values: Mapping[str, Mapping[str, Any]]
) -> list[tuple[str, str]]:
    """Return the metrics that have a value in one rollout, written for people."""
    return [
        (metric.code, f"{values[metric.code]['value']:.{digits_of(metric)}f}")
        for metric in table.metrics
        if metric.code in values and values[metric.code]["value"] is not None
    ]


@dataclass(frozen=True, slots=True)
class Beside:
    """Another system's rollout of the same scenario: its boundary continuity, and whether it is
    this one.
    """

    name: str
    value: str
    is_this: bool


def beside(
    documents: Mapping[str, Mapping[str, Any]], code: str, scene: str, replicate: int, this: str
) -> list[Beside]:
    """Return every system's value of a metric for one scenario, from their documents by name."""
    return [
        Beside(name, written(one["values"][code]), name == this)
        for name, document in documents.items()
        for one in document["rollouts"]
        if (one["scene"], one["replicate"]) == (scene, replicate) and code in one["values"]
    ]


def written(found: Mapping[str, Any]) -> str:
    if found["value"] is None:
        return f"{found['status'].replace('_', ' ')}: {found['reason']}"
    return shown_number(found["value"], ".1f")
