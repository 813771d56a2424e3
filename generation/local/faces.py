"""Heads and faces. Local unit: one head height; the chin is at (0, 0), the crown at (0, -1). No Django here."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from generation.local.canvas import Colour, Points
from generation.local.outlines import Point, curve, ellipse, limb, mirrored, smooth, stroke
from generation.local.pen import Pen, mixed, shaded

DARK = (38, 26, 26)
LIP = (150, 72, 66)


@dataclass(frozen=True, slots=True)
class Look:
    """What a person looks like and wears."""

    skin: Colour
    hair: Colour
    style: str  # of the hair: short, bob, bun, long, curly, buzz, hood
    top: Colour
    legs: Colour = (46, 48, 60)
    shoes: Colour = (30, 28, 30)
    outfit: str = "tee"  # raincoat, suit, hoodie, coat, tee, tank, dress, shirt
    accent: Colour = (230, 230, 226)
    extras: frozenset[str] = field(default_factory=frozenset)  # beard, glasses, tash, lips
    broad: float = 1.0  # how wide the body is


@dataclass(frozen=True, slots=True)
class Face:
    """An expression; turn and gaze run from -1 (to the left of the picture) to 1."""

    turn: float = 0.0
    tilt: float = 0.0  # radians
    nod: float = 0.0  # head heights that the features sink by
    mouth: float = 0.0  # 0 closed to 1 wide open
    smile: float = 0.3
    brow: float = 0.0  # -1 frowning to 1 raised
    blink: bool = False
    blush: float = 0.0
    gaze: float = 0.0
    lowered: float = 0.0  # eyes cast down, 0 to 1


def draw_head(pen: Pen, look: Look, face: Face) -> None:
    """Draw a head with its neck joint at the pen's origin."""
    pen = pen.moved(0, 0.06, angle=face.tilt).moved(0, -0.06)
    _back_hair(pen, look, face)
    outline = _outline(face)
    for side in (-1, 1):
        ear_x = side * 0.385 - 0.1 * face.turn
        if side * face.turn < 0.5:  # noqa: PLR2004
            pen.fill(ellipse((ear_x, -0.47 + face.nod), 0.06, 0.1), shaded(look.skin, 0.86))
            pen.fill(ellipse((ear_x, -0.47 + face.nod), 0.03, 0.06), shaded(look.skin, 0.72))
    pen.fill(outline, shaded(look.skin, 1.05), shaded(look.skin, 0.82), along=(0.9, 0.5))
    pen.glow((-0.16 + 0.2 * face.turn, -0.62), (0.3, 0.36), (255, 244, 226), 0.22, outline)
    if face.blush:
        for side in (-1, 1):
            pen.glow((side * 0.21 + 0.18 * face.turn, -0.31), (0.17, 0.13), (226, 84, 78), 0.6 * face.blush, outline)
    _beard(pen, look, face, outline)
    _features(pen.moved(0.19 * face.turn, face.nod), look, face)
    _front_hair(pen, look, face, outline)


def _outline(face: Face) -> Points:
    half: list[Point] = [(0, -1), (0.22, -0.96), (0.36, -0.78), (0.392, -0.55), (0.365, -0.3), (0.27, -0.1), (0.13, -0.005), (0, 0.012)]
    points = mirrored(half, steps=6)
    points[:, 0] += 0.07 * face.turn * (points[:, 1] + 1)
    points[:, 1] += 0.04 * face.mouth * np.clip(1 + points[:, 1] * 3, 0, 1)
    return points


def _features(pen: Pen, look: Look, face: Face) -> None:
    turn = face.turn
    for side in (-1, 1):
        narrow = 1 - 0.42 * max(0.0, side * turn)
        x = side * 0.165 * (1 - 0.12 * abs(turn))
        _eye(pen.moved(x, -0.5), look, face, narrow)
        lift = -0.135 - 0.045 * face.brow
        inner, outer = x - side * 0.075 * narrow, x + side * 0.09 * narrow
        pen.fill(
            stroke([(inner, -0.5 + lift - 0.03 * min(face.brow, 0)), (x, -0.515 + lift), (outer, -0.485 + lift)], 0.036),
            shaded(look.hair, 0.8),
        )
        if "glasses" in look.extras:
            rim = ellipse((x, -0.49), 0.115 * narrow, 0.095)
            pen.fill(rim, (240, 246, 250), opacity=0.22)
            ring = np.concatenate([rim, rim[:1]])
            pen.fill(limb(*[(float(px), float(py), 0.011) for px, py in ring[::2]]), DARK)
    if "glasses" in look.extras:
        pen.fill(stroke([(-0.06, -0.5), (0.06, -0.5)], 0.02), DARK)
    tip = 0.075 * turn
    pen.fill(smooth([(-0.02 + 0.4 * tip, -0.46), (0.055 + tip, -0.3), (0.03 + tip, -0.245), (-0.06 + tip, -0.25), (-0.065 + tip, -0.29)]),
             shaded(look.skin, 0.84), opacity=0.75)
    pen.fill(ellipse((tip - 0.01, -0.31), 0.028, 0.03), shaded(look.skin, 1.14), opacity=0.7)
    _mouth(pen.moved(0.01 * turn, -0.135), look, face)


def _eye(pen: Pen, look: Look, face: Face, narrow: float) -> None:
    if face.blink:
        pen.fill(stroke([(-0.085 * narrow, 0.0), (0, 0.025), (0.085 * narrow, 0.0)], 0.024), shaded(look.skin, 0.45))
        return
    wide = (0.062 + 0.014 * max(0.0, face.brow)) * (1 - 0.35 * face.lowered)
    white = smooth([(-0.09 * narrow, 0.008), (0, -wide), (0.09 * narrow, 0.0), (0, wide * 0.8)])
    pen.fill(white, (250, 248, 244), (222, 218, 214))
    iris = (0.035 * (face.turn + face.gaze) * narrow, 0.002 + 0.035 * face.lowered)
    pen.fill(ellipse(iris, 0.05, 0.054), (74, 52, 40), within=white)
    pen.fill(ellipse(iris, 0.026, 0.028), (16, 12, 12), within=white)
    pen.fill(ellipse((iris[0] - 0.016, iris[1] - 0.02), 0.014), (255, 255, 255))
    pen.fill(stroke([(-0.094 * narrow, 0.004), (0, -wide - 0.004), (0.094 * narrow, -0.004)], 0.022), DARK)


def _mouth(pen: Pen, look: Look, face: Face) -> None:
    lip = mixed(look.skin, LIP, 0.95 if "lips" in look.extras else 0.55)
    width, bow = 0.135 - 0.03 * face.mouth, 0.075 * face.smile
    if face.mouth < 0.08:  # noqa: PLR2004
        pen.fill(stroke([(-width, -bow), (0, 0.4 * bow), (width, -bow)], 0.034), shaded(lip, 0.78))
        pen.fill(smooth([(-width * 0.7, -0.2 * bow), (0, 0.8 * bow), (width * 0.7, -0.2 * bow), (0, 0.05)]), lip, opacity=0.6)
        return
    gap = 0.03 + 0.1 * face.mouth
    shape = smooth([(-width, -0.4 * bow), (0, -0.4 * gap), (width, -0.4 * bow), (0.7 * width, 0.6 * gap), (0, gap), (-0.7 * width, 0.6 * gap)])
    pen.fill(shape, lip)
    inner = shape * 0.8
    pen.fill(inner, (70, 22, 26))
    pen.fill(ellipse((0, -0.42 * gap), width * 0.72, 0.3 * gap), (246, 242, 236), within=inner)
    pen.fill(ellipse((0, 0.8 * gap), width * 0.5, 0.35 * gap), (186, 86, 84), within=inner)


def _beard(pen: Pen, look: Look, face: Face, outline: Points) -> None:
    if "beard" in look.extras:
        shift = 0.1 * face.turn
        shape = smooth([(-0.42 + shift, -0.42), (-0.26 + shift, -0.27), (shift, -0.225), (0.26 + shift, -0.27), (0.42 + shift, -0.42),
                        (0.4 + shift, -0.1), (0.18 + shift, 0.07), (-0.18 + shift, 0.07), (-0.4 + shift, -0.1)])
        pen.fill(shape, look.hair, shaded(look.hair, 0.7), within=outline)
        pen.fill(smooth([(-0.24 + shift, -0.08), (shift, -0.03), (0.24 + shift, -0.08), (0.12 + shift, 0.08), (-0.12 + shift, 0.08)]),
                 look.hair, shaded(look.hair, 0.7))


def _back_hair(pen: Pen, look: Look, face: Face) -> None:
    shift, hair = -0.08 * face.turn, look.hair
    shapes: dict[str, list[Point]] = {
        "long": [(0, -1.08), (0.34, -1.0), (0.48, -0.66), (0.5, -0.2), (0.56, 0.3), (0.4, 0.48), (0, 0.42)],
        "bob": [(0, -1.08), (0.36, -1.0), (0.5, -0.66), (0.53, -0.24), (0.47, 0.04), (0.3, 0.06), (0, 0.0)],
        "bun": [(0, -1.05), (0.32, -0.97), (0.43, -0.66), (0.4, -0.34), (0, -0.2)],
        "curly": [(0, -1.2), (0.22, -1.16), (0.4, -1.06), (0.54, -0.88), (0.58, -0.66), (0.56, -0.44), (0.46, -0.26), (0, -0.2)],
        "short": [(0, -1.06), (0.32, -0.98), (0.42, -0.72), (0.4, -0.46), (0, -0.3)],
        "buzz": [(0, -1.02), (0.3, -0.94), (0.4, -0.72), (0.38, -0.5), (0, -0.3)],
    }
    if look.style == "bun":
        pen.fill(ellipse((shift * 1.5, -1.13), 0.19, 0.17), shaded(hair, 1.15), shaded(hair, 0.75), along=(0.7, 0.7))
    points = mirrored(shapes[look.style])
    points[:, 0] += shift
    pen.fill(points, shaded(hair, 0.92), shaded(hair, 0.62), along=(0.5, 0.8))
    if look.style == "curly":
        for angle in np.linspace(-2.9, -0.25, 11):
            at = (float(0.5 * np.cos(angle)) + shift, -0.68 + float(0.48 * np.sin(angle)))
            pen.fill(ellipse(at, 0.125), shaded(hair, 1.12), shaded(hair, 0.7), along=(0.6, 0.8))


def _front_hair(pen: Pen, look: Look, face: Face, outline: Points) -> None:
    s, hair = 0.1 * face.turn, look.hair
    fringes: dict[str, list[Point]] = {
        "long": [(-0.44, -0.42), (-0.36, -0.62), (-0.16, -0.8), (-0.02, -0.9), (0.2, -0.8), (0.37, -0.62), (0.44, -0.42), (0.47, -0.8), (0.3, -1.02), (0, -1.09), (-0.3, -1.02), (-0.47, -0.8)],
        "bob": [(-0.48, -0.3), (-0.38, -0.56), (-0.3, -0.7), (0.02, -0.72), (0.3, -0.69), (0.38, -0.56), (0.48, -0.3), (0.49, -0.8), (0.3, -1.04), (0, -1.1), (-0.3, -1.04), (-0.49, -0.8)],
        "bun": [(-0.4, -0.5), (-0.34, -0.7), (-0.12, -0.86), (0.12, -0.86), (0.34, -0.7), (0.4, -0.5), (0.43, -0.78), (0.28, -1.0), (0, -1.06), (-0.28, -1.0), (-0.43, -0.78)],
        "curly": [(-0.4, -0.52), (-0.34, -0.68), (-0.2, -0.77), (-0.06, -0.74), (0.1, -0.79), (0.24, -0.73), (0.35, -0.66), (0.4, -0.52), (0.46, -0.8), (0.3, -1.06), (0, -1.13), (-0.3, -1.06), (-0.46, -0.8)],
        "short": [(-0.4, -0.52), (-0.35, -0.68), (-0.27, -0.78), (0.05, -0.75), (0.25, -0.82), (0.35, -0.69), (0.4, -0.52), (0.43, -0.82), (0.29, -1.03), (0, -1.09), (-0.29, -1.02), (-0.43, -0.8)],
        "buzz": [(-0.39, -0.56), (-0.33, -0.74), (-0.18, -0.83), (0.18, -0.83), (0.33, -0.74), (0.39, -0.56), (0.4, -0.78), (0.27, -0.98), (0, -1.03), (-0.27, -0.98), (-0.4, -0.78)],
    }
    shape = smooth([(x + s, y) for x, y in fringes[look.style]])
    pen.fill(shape, shaded(hair, 1.2), shaded(hair, 0.72), along=(0.7, 0.6))
    shine = curve([(-0.28 + s, -0.86), (-0.12 + s, -0.96), (0.08 + s, -0.98)])
    pen.fill(limb(*[(float(x), float(y), 0.018) for x, y in shine[::3]]), shaded(hair, 1.6), opacity=0.35)
