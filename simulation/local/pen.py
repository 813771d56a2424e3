"""Draws in the units of whatever is drawn: a person's head heights, a chair's own corner.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, sin

import numpy as np

from simulation.local.canvas import Colour, Drawing, Points
from simulation.local.outlines import Point


@dataclass(frozen=True, slots=True)
class Pen:
    """Fills outlines given in local units: scaled by ``unit``, turned by ``angle`` radians, moved
    to ``origin``.
    """

    drawing: Drawing
    origin: Point = (0.0, 0.0)
    unit: float = 1.0
    angle: float = 0.0

    def at(self, outline: Points) -> Points:
        """Return local points (n, 2) in scene units."""
        x, y = outline.T * self.unit
        c, s = cos(self.angle), sin(self.angle)
        return np.stack([x * c - y * s, x * s + y * c], 1) + self.origin

    def moved(self, right: float, down: float, *, angle: float = 0.0, unit: float = 1.0) -> Pen:
        """Return a pen whose origin lies at a local point, turned and scaled further."""
        x, y = self.at(np.array([[right, down]]))[0]
        return Pen(self.drawing, (float(x), float(y)), self.unit * unit, self.angle + angle)

    def fill(
        self,
        outline: Points,
        colour: Colour,
        fades_to: Colour | None = None,
        *,
        along: tuple[float, float] = (0.0, 1.0),
        opacity: float = 1.0,
        within: Points | None = None,
    ) -> None:
        """Fill a local outline, as ``Drawing.fill``."""
        cut = None if within is None else self.at(within)
        self.drawing.fill(
            self.at(outline), colour, fades_to, along=along, opacity=opacity, within=cut
        )

    def glow(
        self,
        centre: Point,
        radii: tuple[float, float],
        colour: Colour,
        opacity: float,
        within: Points | None = None,
    ) -> None:
        """Add a soft ellipse, as ``Drawing.glow``; its axes stay upright."""
        x, y = self.at(np.array([centre]))[0]
        cut = None if within is None else self.at(within)
        self.drawing.glow(
            (float(x), float(y)), (radii[0] * self.unit, radii[1] * self.unit), colour, opacity, cut
        )


def shaded(colour: Colour, by: float) -> Colour:
    """Return the colour darker (below 1) or lighter (above 1)."""
    red, green, blue = (min(255, max(0, round(part * by))) for part in colour)
    return red, green, blue


def mixed(colour: Colour, other: Colour, part: float) -> Colour:
    """Return the colour with ``part`` of another in it."""
    red, green, blue = (
        round(one * (1 - part) + two * part) for one, two in zip(colour, other, strict=True)
    )
    return red, green, blue
