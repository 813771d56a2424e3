"""What the stimuli of a release are: whole clips, or windows of rollouts. No Django here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

from scoring.records import CellRecord, WindowRecord


@dataclass(frozen=True)
class Shown:
    """By the opaque id of each stimulus: the place of its cell, of its window if it is one, and the key of its form."""

    cell: Mapping[str, int]
    window: Mapping[str, int]
    form: Mapping[str, str]

    @classmethod
    def of(cls, cells: Sequence[CellRecord], windows: Sequence[WindowRecord]) -> Self:
        """Return the stimuli of a round."""
        whole = {cell.stimulus: place for place, cell in enumerate(cells) if cell.stimulus}
        return cls(
            cell=whole | {window.stimulus: window.cell for window in windows},
            window={window.stimulus: place for place, window in enumerate(windows)},
            form={stimulus: cells[place].scene for stimulus, place in whole.items()}
            | {window.stimulus: window.form for window in windows},
        )
