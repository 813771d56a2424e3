"""The tables of a release of rollouts, and their rows. No Django here.

Numbers are written so that they are read back to the last bit; an empty cell is a value that there
is not.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import astuple, replace
from typing import Any

from fartbench.numbers import number_text
from scoring.release.columns import ANSWERS, CELL, CELL_FACTS, EVERY_ROW, Column, Table
from scoring.release.judge_columns import JUDGE_ANSWERS
from scoring.release.rows import RowOfCells, every_row
from scoring.rollouts.document import case_documents
from scoring.rollouts.results import RolloutResults

_WINDOW = (
    Column("form", "What was asked about it, by the key of its form in the protocol."),
    Column("unit", "The kind of unit that it shows, by its key in the protocol."),
    Column("place", "Which one: the number of an interval, the name of a prompt."),
    Column("end_s", "The last moment of the rollout that it shows, in seconds."),
)
_SOURCE = Column(
    "source",
    "Who answered: people, or a judge model by its name. What machines measured is the same.",
)
_HORIZON = (
    Column("horizon_s", "How far the rollouts were looked at, in seconds."),
    Column("track", "all, or the track whose cases alone were counted."),
)
_METRIC = Column("metric", "The metric, by its code in the protocol.")

CLIPS = Table(
    "clips", "Every cell of the round, with its outcome.", (*EVERY_ROW, *CELL, *CELL_FACTS)
)
WINDOWS = Table(
    "windows",
    "Every part of a rollout that was shown on its own.",
    (
        *EVERY_ROW,
        *CELL,
        Column("stimulus", "The opaque id under which reviewers saw it."),
        *_WINDOW,
        Column("blind_sha256", "SHA-256 of the blind copy that reviewers saw."),
    ),
)
MEASUREMENTS = Table(
    "measurements",
    "What machines measured of each rollout; of the whole where the place is empty.",
    (
        *EVERY_ROW,
        *CELL,
        _METRIC,
        Column("unit", "The kind of unit."),
        Column("place", "Which one; empty for the whole rollout."),
        Column("value", "The value; empty when there is none."),
        Column("value_unit", "What it is counted in."),
        Column("status", "computed, not_applicable, unavailable or evaluator_failure."),
        Column("reason", "Why there is no value."),
        Column("tool", "What measured it."),
        Column("version", "Its version; of a model with the hash of its weights."),
        Column("evidence", "What the value came from, as JSON."),
    ),
)
COLUMNS = Table(
    "columns",
    "Every metric of every system: the mean over cases with its interval. Nothing is ranked.",
    (
        *EVERY_ROW,
        _SOURCE,
        *_HORIZON,
        Column("configuration", "The configuration."),
        _METRIC,
        Column("value", "The mean over the cases with a value; empty when there is none."),
        Column("low", "Lower limit of the 95% interval; empty if not estimable."),
        Column("high", "Upper limit of the 95% interval; empty if not estimable."),
        Column("n", "How many cases have a value.", "integer"),
        Column("method", "The interval's method, or why it is not estimable."),
        Column(
            "bootstrap_low",
            "Lower limit of the paper's interval, a bootstrap over cases; empty below 30 cases.",
            since=3,
        ),
        Column("bootstrap_high", "Upper limit of it.", since=3),
        Column("signed", "Mean change with its direction, of drifts."),
        Column("coverage", "Share of the cases with a value, of those that the metric applies to."),
        Column("cases", "How many cases have each status, as JSON."),
        Column("provisional", "yes when an evaluator failed somewhere, else no."),
    ),
)
CASES = Table(
    "cases",
    "Every metric of every rollout, over its whole length.",
    (
        *EVERY_ROW,
        _SOURCE,
        *CELL,
        _METRIC,
        Column("value", "The value; empty when there is none."),
        Column("signed", "The change with its direction, of drifts."),
        Column(
            "status",
            "computed, not_applicable, unavailable, generation_failure or evaluator_failure.",
        ),
        Column("reason", "Why there is no value."),
    ),
)

ALIGNMENT = Table(
    "alignment",
    "How far people prefer what each metric ranks higher: a row per question about pairs and "
    "source of the metric.",
    (
        *EVERY_ROW,
        Column("question", "The question about pairs, by its key in the protocol."),
        _METRIC,
        _SOURCE,
        Column("pairs", "How many pairs were voted on.", "integer"),
        Column("votes", "How many votes there are.", "integer"),
        Column("annotators", "How many people voted.", "integer"),
        Column(
            "ties", "How many pairs are ties, with those where nobody had a majority.", "integer"
        ),
        Column(
            "value",
            "Spearman's correlation over systems of win rates with scores; higher is better "
            "agreement.",
        ),
        Column("low", "Lower limit of the 95% interval; empty if not estimable."),
        Column("high", "Upper limit of the 95% interval; empty if not estimable."),
        Column("n", "How many systems were correlated.", "integer"),
        Column("method", "The interval's method, or why it is not estimable."),
        Column(
            "ceiling",
            "The correlation to expect of a metric that ranked systems exactly as people in "
            "general prefer them.",
        ),
        Column("ceiling_low", "Lower limit of its 95% interval; empty if not estimable.", since=3),
        Column("ceiling_high", "Upper limit of its 95% interval; empty if not estimable.", since=3),
        Column(
            "published_lowest",
            "The lowest correlation that was published; a reference, no figure of this round.",
        ),
        Column("published_highest", "The highest one."),
    ),
)


def with_windows(table: Table) -> Table:
    """Return a table of answers with the columns that say which part of a rollout each is about."""
    place = [column.name for column in table.columns].index("stimulus") + 1
    return replace(table, columns=(*table.columns[:place], *_WINDOW, *table.columns[place:]))


WINDOW_ANSWERS, WINDOW_JUDGE_ANSWERS = with_windows(ANSWERS), with_windows(JUDGE_ANSWERS)


def clip_rows(results: RolloutResults) -> Iterator[RowOfCells]:
    """Yield a row per cell."""
    for cell in results.record.cells:
        yield (*every_row(results.record), *astuple(cell))


def window_rows(results: RolloutResults) -> Iterator[RowOfCells]:
    """Yield a row per window, in the order of the record."""
    record = results.record
    for one in record.windows:
        cell = record.cells[one.cell]
        about = (one.stimulus, one.form, one.unit, one.place, number(one.end_s), one.blind_sha256)
        yield (*every_row(record), cell.configuration, cell.scene, cell.replicate, *about)


def measurement_rows(results: RolloutResults) -> Iterator[RowOfCells]:
    """Yield a row per measurement, in the order of the record."""
    record = results.record
    for one in record.measurements:
        cell, found = record.cells[one.cell], one.found
        yield (
            *every_row(record), cell.configuration, cell.scene, cell.replicate,
            found.metric, one.unit, one.place, number(found.value), found.unit, found.status,
            found.reason, found.tool,
            found.version, in_json(found.evidence) if found.evidence else "",
        )  # fmt: skip


def column_rows(results: RolloutResults, scores: dict[str, Any]) -> Iterator[RowOfCells]:
    """Yield a row per source, system, horizon, track and metric, from the scores document."""
    for reading in scores["readings"]:
        for system in reading["systems"]:
            for horizon, tracks in system["columns"].items():
                for track, columns in tracks.items():
                    for code, found in columns.items():
                        yield (
                            *every_row(results.record), reading["source"], horizon, track,
                            system["configuration"],
                            code, *_column(found),
                        )  # fmt: skip


def _column(found: dict[str, Any]) -> RowOfCells:
    note = found["note"] if found["low"] is None else found["method"]
    bootstrap = found["bootstrap"] or (None, None)
    return (
        *(number(found[name]) for name in ("value", "low", "high")),
        found["n"],
        note,
        *map(number, bootstrap),
        number(found["signed"]),
        number(found["coverage"]),
        in_json(found["cases"]),
        "yes" if found["provisional"] else "no",
    )


def case_rows(results: RolloutResults) -> Iterator[RowOfCells]:
    """Yield a row per source, rollout and metric that applies to it."""
    for reading in results.readings:
        for case, code, found in case_documents(results, reading):
            cell = case.cell
            yield (
                *every_row(results.record), reading.source, cell.configuration, cell.scene,
                cell.replicate, code,
                number(found.value), number(found.signed), found.status, found.reason,
            )  # fmt: skip


def alignment_rows(results: RolloutResults, report: dict[str, Any]) -> Iterator[RowOfCells]:
    """Yield a row per question about pairs and source, from the report on human alignment."""
    published = report["published"]
    for one in report["questions"]:
        counts = (one["pairs"], one["votes"], one["annotators"], one["ties"])
        for source, found in one["readings"].items():
            yield (
                *every_row(results.record), one["question"], one["metric"], source, *counts,
                *(number(found[name]) for name in ("value", "low", "high")), found["n"],
                found["method"] if found["low"] is not None else found["note"],
                *(number(one["ceiling"][name]) for name in ("value", "low", "high")),
                number(published["lowest"]), number(published["highest"]),
            )  # fmt: skip


def number(value: float | None) -> str:
    """Write a number so that it is read back to the last bit; nothing for none."""
    return "" if value is None else number_text(value, "")


def in_json(value: Any) -> str:
    """Write plain values as JSON in one line."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, sort_keys=True)
