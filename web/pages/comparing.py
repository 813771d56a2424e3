"""Two releases compared cell by cell, from their tables."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from scoring.models import Release
from scoring.release.columns import CELL_FACTS, EVERY_ROW

KEYS = {
    "leaderboard": ("configuration",),
    "clips": ("configuration", "scene", "replicate"),
    "columns": ("configuration", "source", "horizon_s", "track", "metric"),
    "configurations": ("configuration",),
    "answers": ("stimulus", "reviewer", "question"),
}
"""The tables that are compared, and the columns that name a row of each."""
OF_ONE_ROUND = frozenset({"answers"})
"""Rounds show their clips under ids of their own, so their answers have no rows in common."""
SAME_EVERYWHERE = frozenset(column.name for column in EVERY_ROW)
OF_THE_CLIP = frozenset(column.name for column in CELL_FACTS) - {"outcome", "reason"}
"""What is another in every round: ids, digests, seeds and times of clips."""
MOST_SHOWN = 200
LARGEST = 20_000_000
"""A table of more bytes is not compared on a page."""


@dataclass(frozen=True, slots=True)
class Change:
    """A cell that differs: its row, its column, and what each release says there."""

    row: str
    column: str
    one: str
    other: str


@dataclass(frozen=True, slots=True)
class TableChanges:
    """How a table differs: rows that only one release has, and the first cells that differ, of
    ``count``.
    """

    table: str
    only_one: tuple[str, ...]
    only_other: tuple[str, ...]
    changes: tuple[Change, ...]
    count: int
    rows: int

    @property
    def is_same(self) -> bool:
        return not (self.only_one or self.only_other or self.count)


def compare_releases(one: Release, other: Release) -> list[TableChanges]:
    """Return how each table that both releases have differs; those over `LARGEST` are left out."""
    is_one_round = one.round_id == other.round_id
    return [
        _compared(table, one, other, is_one_round)
        for table in KEYS
        if _has(one, table) and _has(other, table) and (is_one_round or table not in OF_ONE_ROUND)
    ]


def _has(release: Release, table: str) -> bool:
    path = f"{table}.csv"
    file = release.folder / path
    return path in release.manifest["files"] and file.is_file() and file.stat().st_size <= LARGEST


def _compared(table: str, one: Release, other: Release, is_one_round: bool) -> TableChanges:
    ignored = SAME_EVERYWHERE if is_one_round else SAME_EVERYWHERE | OF_THE_CLIP
    first, second = _rows(one, table), _rows(other, table)
    shared = [key for key in first if key in second]
    changes = [
        Change(key, column, before, after)
        for key in shared
        for column, before, after in _cells(first[key], second[key])
        if column not in ignored
    ]
    return TableChanges(
        table=table,
        only_one=tuple(key for key in first if key not in second),
        only_other=tuple(key for key in second if key not in first),
        changes=tuple(changes[:MOST_SHOWN]),
        count=len(changes),
        rows=len(shared),
    )


def _rows(release: Release, table: str) -> dict[str, dict[str, str]]:
    """Return the rows of a table by what names them, in the order of the file."""
    path = Path(release.folder) / f"{table}.csv"
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = [name for name in KEYS[table] if rows and name in rows[0]]
    return {" · ".join(row[name] for name in names): row for row in rows}


def _cells(one: Mapping[str, str], other: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Yield the columns that both rows have and that differ, with both texts."""
    for column, before in one.items():
        after = other.get(column)
        if after is not None and after != before:
            yield column, before, after
