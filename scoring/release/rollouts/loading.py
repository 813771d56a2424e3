"""Reads windows and measurements back from a release of rollouts. No Django here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import cast

from fartbench.protocol import Protocol, form_for
from measuring.measurement import Measurement, Status
from scoring.errors import ReleaseRefused
from scoring.records import CellRecord, MeasuredRecord, WindowRecord
from scoring.release.rollouts.tables import MEASUREMENTS, WINDOWS
from scoring.release.writers import read_csv

Places = Mapping[tuple[str, str, str], int]


def load_windows(
    folder: Path, protocol: Protocol, cells: tuple[CellRecord, ...]
) -> tuple[WindowRecord, ...]:
    """Return the windows of a release; none where clips are shown whole.

    Raises ReleaseRefused, naming file and row, for a window of a cell or with a form that there is
    not.
    """
    if protocol.rollouts is None:
        return ()
    places, found = _places(cells), []
    for line, row in enumerate(read_csv(folder / f"{WINDOWS.name}.csv"), start=2):
        place = _place(folder, WINDOWS.name, line, row, places)
        try:
            form_for(protocol, row["form"])
        except KeyError as error:
            fault = f"{WINDOWS.name}.csv, row {line}: the protocol has no form {row['form']!r}"
            raise ReleaseRefused(folder, [fault]) from error
        about = (
            row["stimulus"],
            row["form"],
            row["unit"],
            row["place"],
            float(row["end_s"]),
            row["blind_sha256"],
        )
        found.append(WindowRecord(place, *about))
    return tuple(found)


def load_measurements(
    folder: Path, protocol: Protocol, cells: tuple[CellRecord, ...]
) -> tuple[MeasuredRecord, ...]:
    """Return the measurements of a release; none where clips are shown whole.

    Raises ReleaseRefused, naming file and row, for one that says two things at once or is of no
    cell.
    """
    if protocol.rollouts is None:
        return ()
    places, found = _places(cells), []
    for line, row in enumerate(read_csv(folder / f"{MEASUREMENTS.name}.csv"), start=2):
        place = _place(folder, MEASUREMENTS.name, line, row, places)
        try:
            found.append(MeasuredRecord(place, row["unit"], row["place"], _measurement(row)))
        except ValueError as error:
            raise ReleaseRefused(
                folder, [f"{MEASUREMENTS.name}.csv, row {line}: {error}"]
            ) from error
    return tuple(found)


def _measurement(row: Mapping[str, str]) -> Measurement:
    return Measurement(
        metric=row["metric"],
        value=float(row["value"]) if row["value"] else None,
        unit=row["value_unit"],
        tool=row["tool"],
        version=row["version"],
        status=cast("Status", row["status"]),
        reason=row["reason"],
        evidence=json.loads(row["evidence"]) if row["evidence"] else {},
    )


def _places(cells: tuple[CellRecord, ...]) -> Places:
    return {
        (cell.configuration, cell.scene, str(cell.replicate)): place
        for place, cell in enumerate(cells)
    }


def _place(folder: Path, table: str, line: int, row: Mapping[str, str], places: Places) -> int:
    cell = (row["configuration"], row["scene"], row["replicate"])
    if cell not in places:
        raise ReleaseRefused(
            folder, [f"{table}.csv, row {line}: clips.csv has no cell {'/'.join(cell)}"]
        )
    return places[cell]
