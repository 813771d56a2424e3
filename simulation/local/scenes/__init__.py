"""The pictures of the four scenes. No Django here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from simulation.local.canvas import Drawing
from simulation.local.stage import Part


class Picture(Protocol):
    """A scene to look at: a background that never changes, and parts that do, back to front and
    always as many.
    """

    def background(self) -> Drawing:
        """Return what is painted once."""
        ...

    def parts(self, time: float, scale: float) -> Sequence[Part]:
        """Return the moving parts at a time in seconds; ``scale`` is device pixels per scene
        unit.
        """
        ...
