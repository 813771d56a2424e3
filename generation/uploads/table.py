"""The table that is filled in beside the clips, where they come without a CSV file: a row for each
clip, and for each cell that brought none. It becomes a manifest, and is read as any other.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from fartbench.models import Round
from fartbench.tables import guarded
from generation.manifest import OPTIONAL, REQUIRED, CellKey
from generation.models import Configuration
from generation.uploads.folder import Upload
from generation.uploads.guessing import Guess, guess_cell
from generation.uploads.looking import clips_of

MOST_ROWS = 300
"""More clips come with a CSV file: a form has a limit too."""
LEFT_OUT = "leave out"
NAME = "table.csv"


@dataclass(frozen=True)
class TableRow:
    """A row as it was filled in. ``file`` is empty for a cell without a clip."""

    file: str
    configuration: str = ""
    scene: str = ""
    replicate: str = ""
    outcome: str = "ok"
    reason: str = ""

    @property
    def is_used(self) -> bool:
        """Say whether the row becomes one of the manifest."""
        return self.outcome not in {LEFT_OUT, ""}

    @property
    def cell(self) -> str:
        """The cell that it names, as people read it."""
        return f"{self.configuration}/{self.scene}/{self.replicate or 1}"


def guessed_rows(upload: Upload, round_: Round) -> list[TableRow]:
    """Return a row for each clip, filled in as far as its name says."""
    known = Configuration.objects.values_list("name", flat=True)
    guess = {
        file.path: guess_cell(file.path, scenes=round_.scenes, configurations=known)
        for file in clips_of(upload)
    }
    return _numbered([_row_of(path, cell) for path, cell in guess.items()], round_)


def _row_of(path: str, guess: Guess) -> TableRow:
    replicate = "" if guess.replicate is None else str(guess.replicate)
    return TableRow(path, guess.configuration, guess.scene, replicate)


def _numbered(rows: list[TableRow], round_: Round) -> list[TableRow]:
    """Give clips of one cell without a number the next free ones, in the order of their names."""
    taken: dict[tuple[str, str], set[str]] = {}
    for row in rows:
        taken.setdefault((row.configuration, row.scene), set()).add(row.replicate)
    numbered = []
    for row in rows:
        numbers = taken[row.configuration, row.scene]
        if not row.replicate:
            free = (str(n) for n in range(1, round_.replicates + 1) if str(n) not in numbers)
            row = replace(row, replicate=next(free, "1"))  # noqa: PLW2901 - the same row, filled in
            numbers.add(row.replicate)
        numbered.append(row)
    return numbered


def kept_rows(upload: Upload, round_: Round) -> list[TableRow]:
    """Return the rows as they were last filled in, else as guessed."""
    note = upload.note("table")
    return guessed_rows(upload, round_) if note is None else [TableRow(**row) for row in note]


def keep_rows(upload: Upload, rows: Iterable[TableRow]) -> None:
    """Keep what was filled in, so that a reload or a refusal loses nothing."""
    upload.write_note("table", [asdict(row) for row in rows])


def open_cells(rows: list[TableRow], round_: Round, settled: Iterable[CellKey]) -> list[TableRow]:
    """Return a row for each cell of the table's configurations that neither has a clip in it nor an
    outcome in the round.
    """
    filled = {row.cell for row in rows if row.file and row.is_used}
    filled |= {str(cell) for cell in settled}
    answered = {row.cell: row for row in rows if not row.file}
    names = dict.fromkeys(row.configuration for row in rows if row.configuration)
    empty = [
        CellKey(name, scene, replicate)
        for name in names
        for scene in round_.scenes
        for replicate in range(1, round_.replicates + 1)
    ]
    return [answered.get(str(cell), _empty_row(cell)) for cell in empty if str(cell) not in filled]


def _empty_row(cell: CellKey) -> TableRow:
    return TableRow("", cell.configuration, cell.scene, str(cell.replicate), outcome="")


def write_manifest(upload: Upload, rows: Iterable[TableRow]) -> tuple[Path, dict[int, TableRow]]:
    """Write the rows as a manifest; return its path, and the rows by their number in it."""
    path = upload.clips_folder / NAME
    used = [row for row in rows if row.is_used]
    path.write_text(manifest_text(used), encoding="utf-8")
    # The first row of a table is its header.
    return path, dict(enumerate(used, start=2))


def manifest_text(rows: Iterable[TableRow]) -> str:
    """Return the rows as CSV, as a spreadsheet opens it."""
    out = io.StringIO()
    writer = csv.DictWriter(out, (*REQUIRED, *OPTIONAL), restval="", lineterminator="\r\n")
    writer.writeheader()
    writer.writerows(asdict(row) for row in rows)
    return out.getvalue()


def spreadsheet_text(rows: Iterable[TableRow]) -> str:
    """Return the rows as CSV for a person's spreadsheet, which runs no cell of it."""
    safe = [TableRow(**{key: guarded(text) for key, text in asdict(row).items()}) for row in rows]
    return manifest_text(safe)


def rows_from(form: Mapping[str, list[str]], upload: Upload) -> list[TableRow]:
    """Return what a form says: equally long lists, one place in each for a row.

    What the form does not say of a clip leaves it out; a file that the upload does not have is
    passed over.
    """
    columns = ("file", "configuration", "scene", "replicate", "outcome", "reason")
    lists = [form.get(column, []) for column in columns]
    there = {file.path for file in clips_of(upload)} | {""}
    rows = [TableRow(*(text.strip() for text in values)) for values in zip(*lists, strict=False)]
    return [row for row in rows if row.file in there]
