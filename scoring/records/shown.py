"""What the stimuli of a release are: whole clips, or windows of rollouts. No Django here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Self

from scoring.records import CellRecord, WindowRecord


@dataclass(frozen=True)
class Shown:
    """By the opaque id of each stimulus: the place of its cell, of its window if it is one, and the
    key of its form.
    """

    cell: dict[str, int] = field(default_factory=dict)
    window: dict[str, int] = field(default_factory=dict)
    form: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, cells: Sequence[CellRecord], windows: Sequence[WindowRecord]) -> Self:
        """Return the stimuli of a round."""
        stimuli = cls()
        for place, cell in enumerate(cells):
            if cell.stimulus:
                stimuli.cell[cell.stimulus] = place
                stimuli.form[cell.stimulus] = cell.scene
        for place, window in enumerate(windows):
            stimuli.cell[window.stimulus] = window.cell
            stimuli.form[window.stimulus] = window.form
            stimuli.window[window.stimulus] = place
        return stimuli
