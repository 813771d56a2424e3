"""Tables as CSV and JSON Lines, and documents as JSON: the same content gives the same bytes.

No Django here.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from fartbench.tables import guarded, plain
from scoring.release.columns import Table
from scoring.release.rows import RowOfCells


def write_csv(path: Path, header: Iterable[str], rows: Iterable[RowOfCells]) -> None:
    """Write a table: UTF-8 without byte-order mark, commas, CRLF as RFC 4180 says, and no cell that
    runs.
    """
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(header)
        for row in rows:
            writer.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])


def read_csv(path: Path) -> Iterator[dict[str, str]]:
    """Yield the rows that `write_csv` wrote, each by column."""
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, strict=True):
            yield {name: plain(cell or "") for name, cell in row.items()}


def write_jsonl(path: Path, table: Table, rows: Iterable[RowOfCells]) -> None:
    """Write a table as one JSON object per line; an empty cell of a number is null."""
    names = [column.name for column in table.columns]
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(encode(dict(zip(names, row, strict=True))) + "\n")


def json_bytes(document: Any) -> bytes:
    """Return a document as JSON in one line. ValueError when it holds NaN or an infinity."""
    return (json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n").encode()


def readable_json_bytes(document: Any) -> bytes:
    """Return a small document as JSON for people, indented."""
    return (json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
