"""Hair, behind a head and over its brow. Local unit: one head height, the chin at (0, 0).

No Django here.
"""

from __future__ import annotations

import numpy as np

from simulation.local.canvas import Colour
from simulation.local.outlines import Point, curve, ellipse, limb, mirrored, smooth, traced
from simulation.local.pen import Pen, shaded

# Right halves, top to bottom, mirrored.
BACKS: dict[str, list[Point]] = {
    "long": traced("0,-108 34,-100 48,-66 50,-20 56,30 40,48 0,42"),
    "bob": traced("0,-108 36,-100 50,-66 53,-24 47,4 30,6 0,0"),
    "bun": traced("0,-105 32,-97 43,-66 40,-34 0,-20"),
    "curly": traced("0,-120 22,-116 40,-106 54,-88 58,-66 56,-44 46,-26 0,-20"),
    "short": traced("0,-106 32,-98 42,-72 40,-46 0,-30"),
    "buzz": traced("0,-102 30,-94 40,-72 38,-50 0,-30"),
}

# Along the brow from left to right, and back over the crown.
FRINGES: dict[str, list[Point]] = {
    "long": traced(
        "-44,-42 -36,-62 -16,-80 -2,-90 20,-80 37,-62 44,-42 47,-80 30,-102 0,-109 -30,-102 -47,-80"
    ),
    "bob": traced(
        "-48,-30 -38,-56 -30,-70 2,-72 30,-69 38,-56 48,-30 49,-80 30,-104 0,-110 -30,-104 -49,-80"
    ),
    "bun": traced(
        "-40,-50 -34,-70 -12,-86 12,-86 34,-70 40,-50 43,-78 28,-100 0,-106 -28,-100 -43,-78"
    ),
    "curly": traced(
        "-40,-52 -34,-68 -20,-77 -6,-74 10,-79 24,-73 35,-66 40,-52 46,-80 30,-106 0,-113 -30,-106 "
        "-46,-80"
    ),
    "short": traced(
        "-40,-52 -35,-68 -27,-78 5,-75 25,-82 35,-69 40,-52 43,-82 29,-103 0,-109 -29,-102 -43,-80"
    ),
    "buzz": traced(
        "-39,-56 -33,-74 -18,-83 18,-83 33,-74 39,-56 40,-78 27,-98 0,-103 -27,-98 -40,-78"
    ),
}


def draw_back_hair(pen: Pen, hair: Colour, style: str, turn: float) -> None:
    """Draw what lies behind the head."""
    shift = -0.08 * turn
    if style == "bun":
        pen.fill(
            ellipse((shift * 1.5, -1.13), 0.19, 0.17),
            shaded(hair, 1.15),
            shaded(hair, 0.75),
            along=(0.7, 0.7),
        )
    points = mirrored(BACKS[style])
    points[:, 0] += shift
    pen.fill(points, shaded(hair, 0.92), shaded(hair, 0.62), along=(0.5, 0.8))
    if style == "curly":
        for angle in np.linspace(-2.9, -0.25, 11):
            at = (float(0.5 * np.cos(angle)) + shift, -0.68 + float(0.48 * np.sin(angle)))
            pen.fill(ellipse(at, 0.125), shaded(hair, 1.12), shaded(hair, 0.7), along=(0.6, 0.8))


def draw_front_hair(pen: Pen, hair: Colour, style: str, turn: float) -> None:
    """Draw what falls over the brow, with its shine."""
    s = 0.1 * turn
    shape = smooth([(x + s, y) for x, y in FRINGES[style]])
    pen.fill(shape, shaded(hair, 1.2), shaded(hair, 0.72), along=(0.7, 0.6))
    shine = curve([(-0.28 + s, -0.86), (-0.12 + s, -0.96), (0.08 + s, -0.98)])
    pen.fill(
        limb(*[(float(x), float(y), 0.018) for x, y in shine[::3]]), shaded(hair, 1.6), opacity=0.35
    )
