"""What people wear over the trunk. Local unit: one head height, the feet at (0, 0). No Django
here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from simulation.local.canvas import Colour, Points
from simulation.local.faces import Look
from simulation.local.outlines import ellipse, polygon, rounded, smooth, stroke, traced
from simulation.local.pen import shaded

SIDES = (-1, 1)


class Put(Protocol):
    """Lays a shape of a straight body on a trunk that may lean, cut to its outline."""

    def __call__(self, shape: Points, colour: Colour, fades_to: Colour | None = None) -> None:
        """Lay it."""
        ...


def draw_clothes(put: Put, look: Look) -> None:
    """Draw the details of an outfit on a trunk that already has its colour."""
    OUTFITS.get(look.outfit, _neckline)(put, look)
    if "scarf" in look.extras:
        loop = smooth(traced("-40,-500 0,-470 40,-500 44,-466 0,-442 -44,-466"))
        put(loop, look.accent, shaded(look.accent, 0.65))
        put(rounded(0.1, -4.6, 0.38, -3.5, 0.06), look.accent, shaded(look.accent, 0.7))


def _suit(put: Put, look: Look) -> None:
    top = look.top
    put(polygon((-0.26, -4.95), (0.26, -4.95), (0, -3.7)), (240, 240, 238), (205, 208, 216))
    tie = traced("-7,-482 7,-482 10,-410 0,-378 -10,-410")
    put(polygon(*tie), look.accent, shaded(look.accent, 0.6))
    for side in SIDES:
        lapel = [(side * x, y) for x, y in traced("22,-497 52,-460 42,-440 48,-428 0,-360")]
        put(polygon(*lapel), shaded(top, 1.28), shaded(top, 0.85))
    put(stroke([(0, -3.62), (0.05, -2.6)], 0.035), shaded(top, 0.55))
    put(ellipse((-0.06, -3.35), 0.045), shaded(top, 1.7))


def _coat(put: Put, look: Look) -> None:
    top = look.top
    put(stroke([(0.0, -4.85), (0.02, -3.4), (0.0, -1.3)], 0.04), shaded(top, 0.55))
    for y in (-4.35, -3.8, -3.25, -2.7, -2.15):
        put(ellipse((0.12, y), 0.06), shaded(top, 0.5), shaded(top, 0.75))
    for side in SIDES:
        x = side * 0.46
        put(rounded(x - 0.2, -2.85, x + 0.2, -2.4, 0.07), shaded(top, 0.82))
        put(stroke([(x - 0.2, -2.82), (x + 0.2, -2.82)], 0.09), shaded(top, 0.62))
        collar = [(side * x, y) for x, y in traced("4,-490 40,-498 50,-470 20,-450")]
        put(smooth(collar), shaded(top, 1.2), shaded(top, 0.85))


def _hoodie(put: Put, look: Look) -> None:
    hood = smooth(traced("-42,-495 0,-462 42,-495 50,-462 0,-438 -50,-462"))
    put(hood, shaded(look.top, 1.15), shaded(look.top, 0.6))
    put(polygon((-0.36, -3.45), (0.36, -3.45), (0.52, -2.9), (-0.52, -2.9)), shaded(look.top, 0.82))
    for side in SIDES:
        put(stroke([(side * 0.14, -4.5), (side * 0.17, -3.95)], 0.045), (236, 234, 228))


def _shirt(put: Put, look: Look) -> None:
    for side in SIDES:
        collar = [(side * x, y) for x, y in traced("0,-478 20,-500 36,-474 14,-450")]
        put(polygon(*collar), shaded(look.top, 1.2), shaded(look.top, 0.9))
    put(stroke([(0, -4.7), (0, -2.6)], 0.03), shaded(look.top, 0.55))
    for y in (-4.3, -3.85, -3.4, -2.95):
        put(ellipse((0.0, y), 0.035), look.accent)


def _tank(put: Put, look: Look) -> None:
    put(smooth(traced("-30,-500 0,-442 30,-500")), look.skin, shaded(look.skin, 0.86))
    for side in SIDES:
        shoulder = [(side * x, y) for x, y in traced("60,-500 58,-450 70,-410 110,-430 110,-500")]
        put(smooth(shoulder), look.skin, shaded(look.skin, 0.8))


def _neckline(put: Put, look: Look) -> None:
    put(smooth(traced("-30,-502 0,-462 30,-502")), look.skin, shaded(look.skin, 0.85))


OUTFITS: dict[str, Callable[[Put, Look], None]] = {
    "suit": _suit,
    "raincoat": _coat,
    "coat": _coat,
    "hoodie": _hoodie,
    "shirt": _shirt,
    "tank": _tank,
}
