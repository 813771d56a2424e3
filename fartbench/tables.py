"""Tables that people open in a spreadsheet: CSV read strictly, with every fault named, and cells that run nothing.

No Django here.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from fartbench.errors import BadInput

MAX_BYTES = 50_000_000
_DELIMITERS = ",;\t"
# A spreadsheet runs a text that begins so as a formula; a plain number is none.
_RUNS = re.compile(r"'*[=+\-@\t\r]")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?\Z")
_MAY_RUN = frozenset("'=+-@\t\r")


def guarded(text: str) -> str:
    """Return a cell that no spreadsheet runs: what begins like a formula gets an apostrophe; `plain` takes it off."""
    if text[:1] in _MAY_RUN and _RUNS.match(text) and not _NUMBER.match(text):
        return f"'{text}"
    return text


def plain(cell: str) -> str:
    """Return the text that `guarded` wrote as this cell."""
    return cell[1:] if cell[:1] == "'" and _RUNS.match(cell[1:]) else cell


@dataclass(frozen=True)
class Row:
    """A row with the number a spreadsheet shows (the header is row 1); it holds the cells that are not empty.

    A table of rollouts has a column for each question of any form, and most of them are empty in a row.
    """

    number: int
    cells: dict[str, str]

    def __getitem__(self, column: str) -> str:
        return self.cells.get(column, "")

    def fault(self, column: str, rule: str) -> str:
        """Name a fault of this row as people look for it."""
        return f"row {self.number}, {column}: {rule}"


def row_number(fault: str) -> int:
    """Return the row that a fault names, so that a report can list faults from the top of the table down."""
    match = re.match(r"row (\d+)", fault)
    return int(match[1]) if match else 0


def read_table(path: Path, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> list[Row]:
    """Read a CSV file: UTF-8 with or without byte-order mark, commas, semicolons or tabs, quotes, any line ends.

    Empty rows are passed over, cells are stripped. Raises BadInput that names the file when it is missing, no text,
    too large or empty, when a column is missing, unknown or doubled, or a row has too many or too few cells.
    """
    text = _text(path)
    rows = _parse(text, path)
    if not rows:
        raise BadInput(str(path), ["the file is empty"])
    header = [name.strip() for name in rows[0][1]]
    if faults := _header_faults(header, required, optional):
        raise BadInput(str(path), faults)
    found, faults = [], []
    for number, cells in rows[1:]:
        if not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(header):
            faults.append(f"row {number}: {len(cells)} cells where the header has {len(header)}")
        else:
            found.append(
                Row(number, {name: cell for name, text in zip(header, cells, strict=True) if (cell := text.strip())})
            )
    if not found and not faults:
        faults.append("there is a header and no row")
    if faults:
        raise BadInput(str(path), faults)
    return found


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(str(path), [f"the file is larger than {MAX_BYTES} bytes"])
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError as error:
        raise BadInput(str(path), ["there is no such file"]) from error
    except OSError as error:
        raise BadInput(str(path), [f"the file cannot be read: {error.strerror}"]) from error
    except UnicodeDecodeError as error:
        raise BadInput(str(path), ["this is no text in UTF-8; save it as “CSV UTF-8”"]) from error


def _parse(text: str, path: Path) -> list[tuple[int, list[str]]]:
    # Spreadsheets count lines by record, and so do we: a quoted line break does not shift the numbers.
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(text), strict=True)
    try:
        return list(enumerate(reader, start=1))
    except csv.Error as error:
        raise BadInput(str(path), [f"line {reader.line_num}: this is not CSV: {error}"]) from error


def _delimiter(text: str) -> str:
    first_line = text.partition("\n")[0]
    return max(_DELIMITERS, key=first_line.count)


def _header_faults(header: list[str], required: tuple[str, ...], optional: tuple[str, ...]) -> list[str]:
    known = {*required, *optional}
    return [
        *(f"header: the column {name!r} is missing" for name in required if name not in header),
        *(
            f"header: there is no column {name!r}; the columns are {', '.join((*required, *optional))}"
            for name in header
            if name not in known
        ),
        *(f"header: the column {name!r} appears {count} times" for name, count in Counter(header).items() if count > 1),
    ]
