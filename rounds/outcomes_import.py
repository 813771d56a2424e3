"""Outcomes that were made by hand: a table of cells that brought no clip, all of it or nothing."""

from __future__ import annotations

from typing import Any

from django.db import transaction

from fartbench.models import Round
from fartbench.storable import whole_number
from fartbench.tables import Row, read_table
from fartbench.uploads import on_disk
from generation.cells import mark_cell
from generation.errors import CellRefused, ManifestRefused
from generation.manifest import CellKey
from generation.models import SampleState

REQUIRED = ("configuration", "scene", "replicate", "outcome", "reason")
MAX_BYTES = 1_000_000


@transaction.atomic
def take_outcomes(round_: Round, upload: Any, actor: str) -> str:
    """Mark the cells of an uploaded table. Raises ManifestRefused, naming every bad row; then
    nothing was changed.
    """
    if upload is None or upload.size > MAX_BYTES:
        raise ManifestRefused("the upload", ["choose a CSV file of at most one megabyte"])
    with on_disk(upload) as path:
        rows = read_table(path, required=REQUIRED, name=str(upload.name))
    faults = [fault for row in rows if (fault := _mark(round_, row, actor))]
    if faults:
        raise ManifestRefused(str(upload.name), faults)
    return f"{len(rows)} outcomes taken in."


def _mark(round_: Round, row: Row, actor: str) -> str | None:
    allowed = [state.value for state in SampleState.without_clip()]
    if row["outcome"] not in allowed:
        return row.fault("outcome", f"{row['outcome']!r} is not one of: {', '.join(allowed)}")
    replicate = whole_number(row["replicate"])
    if replicate is None:
        return row.fault("replicate", f"{row['replicate']!r} is not a number")
    cell = CellKey(row["configuration"], row["scene"], replicate)
    try:
        mark_cell(
            round_=round_,
            cell=cell,
            state=SampleState(row["outcome"]),
            reason=row["reason"],
            actor=actor,
        )
    except CellRefused as refusal:
        return f"row {row.number}: {refusal}"
    return None
