"""Tables that people open in a spreadsheet: CSV read strictly, with every fault named, and cells
that run nothing.

No Django here.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fartbench.csv_text import Record, read_records
from fartbench.errors import BadInput

# A spreadsheet runs a text that begins so as a formula; a plain number is none.
# Spreadsheets pass over white space before it, and take full-width signs for the plain ones.
_RUNS = re.compile(r"'*(?:[\t\r]|\s*[=+\-@＝＋－＠])")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z")
_MAY_RUN = frozenset("'=+-@＝＋－＠")


def guarded(text: str) -> str:
    """Return a cell that no spreadsheet runs: what begins like a formula gets an apostrophe;
    `plain` takes it off.
    """
    if (
        (text[:1] in _MAY_RUN or text[:1].isspace())
        and _RUNS.match(text)
        and not _NUMBER.match(text)
    ):
        return f"'{text}"
    return text


def plain(cell: str) -> str:
    """Return the text that `guarded` wrote as this cell."""
    if cell[:1] == "'" and _RUNS.match(cell[1:]):
        return cell[1:]
    return cell


@dataclass(frozen=True)
class Row:
    """A row with the number a spreadsheet shows (the header is row 1); it holds the cells that are
    not empty.

    A table of rollouts has a column for each question of any form, and most of them are empty in a
    row.
    """

    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def fault(self, column: str, rule: str) -> str:
        """Name a fault of this row as people look for it."""
        return f"row {self.number}, {column}: {rule}"


def row_number(fault: str) -> int:
    """Return the row that a fault names, so that a report can list faults from the top of the table
    down.
    """
    match = re.match(r"row (\d+)", fault)
    if match:
        return int(match[1])
    return 0


def read_table(
    path: Path, *, required: tuple[str, ...], optional: tuple[str, ...] = (), name: str = ""
) -> list[Row]:
    """Read a table from a CSV file, as `fartbench.csv_text` reads one; the first row that is not
    empty is the header.

    What spreadsheets leave is passed over: empty rows, and empty columns. A row may end early where
    its last cells are empty. Raises BadInput that names the file (as ``name`` where it has another
    one for people) when it is empty or not CSV, when a column is missing, unknown or doubled, or
    when a row holds more than the header names.
    """
    name = name or str(path)
    text = read_records(path, name, {*required, *optional})
    records = [record for record in text.records if not record.is_empty]
    if not records:
        raise BadInput(name, ["the file is empty"])
    columns = {place: column for place, column in enumerate(records[0].cells) if column}
    if faults := _header_faults(list(columns.values()), required, optional):
        raise BadInput(name, faults)
    rows, faults = [], []
    for record in records[1:]:
        fault = _stray_cell(record, columns)
        if fault:
            faults.append(fault)
        else:
            rows.append(_row(record, columns))
    if not rows and not faults:
        faults.append("there is a header and no row")
    if text.is_cut_off and len(records[-1].cells) <= max(columns):
        faults.append(f"row {records[-1].number}: the file ends in the middle of this row")
    if faults:
        raise BadInput(name, faults)
    return rows


def _stray_cell(record: Record, columns: dict[int, str]) -> str:
    """Return what is wrong with a row that holds something in a column without a name; else an
    empty text.
    """
    for place, cell in enumerate(record.cells):
        if cell and place not in columns:
            return (
                f"row {record.number}: {cell[:40]!r} is in column {place + 1}, which has no name "
                "in the header"
            )
    return ""


def _row(record: Record, columns: dict[int, str]) -> Row:
    cells = {
        column: record.cells[place]
        for place, column in columns.items()
        if place < len(record.cells)
    }
    return Row(record.number, {column: cell for column, cell in cells.items() if cell})


def _header_faults(
    header: list[str], required: tuple[str, ...], optional: tuple[str, ...]
) -> list[str]:
    """Return at most one fault for each way in which a header can be wrong; one alone when it is no
    header of this.
    """
    known = (*required, *optional)
    if not set(header) & set(known):
        return [
            f"header: the first row must name the columns ({', '.join(known)}), separated by "
            "commas, semicolons or "
            f"tabs. It is {', '.join(header)[:80]!r}"
        ]
    missing = [name for name in required if name not in header]
    unknown = [name for name in dict.fromkeys(header) if name not in known]
    doubled = [name for name, count in Counter(header).items() if count > 1]
    faults = []
    if missing:
        faults.append(f"header: {_columns(missing)} missing")
    if unknown:
        faults.append(f"header: {_columns(unknown)} not known; the columns are {', '.join(known)}")
    if doubled:
        faults.append(f"header: {_columns(doubled)} there more than once")
    return faults


def _columns(names: list[str]) -> str:
    listed = ", ".join(map(repr, names))
    if len(names) == 1:
        return f"the column {listed} is"
    return f"the columns {listed} are"
