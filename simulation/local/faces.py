"""Heads and faces. Local unit: one head height; the chin is at (0, 0), the crown at (0, -1).

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from simulation.local.canvas import Colour, Points
from simulation.local.hair import draw_back_hair, draw_front_hair
from simulation.local.outlines import ellipse, limb, mirrored, smooth, stroke, traced
from simulation.local.pen import Pen, mixed, shaded

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
    draw_back_hair(pen, look.hair, look.style, face.turn)
    outline = _outline(face)
    for side in (-1, 1):
        ear_x = side * 0.385 - 0.1 * face.turn
        if side * face.turn < 0.5:
            pen.fill(ellipse((ear_x, -0.47 + face.nod), 0.06, 0.1), shaded(look.skin, 0.86))
            pen.fill(ellipse((ear_x, -0.47 + face.nod), 0.03, 0.06), shaded(look.skin, 0.72))
    pen.fill(outline, shaded(look.skin, 1.05), shaded(look.skin, 0.82), along=(0.9, 0.5))
    pen.glow((-0.16 + 0.2 * face.turn, -0.62), (0.3, 0.36), (255, 244, 226), 0.22, outline)
    if face.blush:
        for side in (-1, 1):
            pen.glow(
                (side * 0.21 + 0.18 * face.turn, -0.31),
                (0.17, 0.13),
                (226, 84, 78),
                0.6 * face.blush,
                outline,
            )
    _beard(pen, look, face, outline)
    _features(pen.moved(0.19 * face.turn, face.nod), look, face)
    draw_front_hair(pen, look.hair, look.style, face.turn)


def _outline(face: Face) -> Points:
    points = mirrored(traced("0,-100 22,-96 36,-78 39,-55 36.5,-30 27,-10 13,-0.5 0,1"), steps=6)
    points[:, 0] += 0.07 * face.turn * (points[:, 1] + 1)
    points[:, 1] += 0.04 * face.mouth * np.clip(1 + points[:, 1] * 3, 0, 1)
    return points


def _features(pen: Pen, look: Look, face: Face) -> None:
    turn = face.turn
    for side in (-1, 1):
        narrow = 1 - 0.42 * max(0.0, side * turn)
        at = pen.moved(side * 0.165 * (1 - 0.12 * abs(turn)), -0.5)
        _eye(at, look, face, narrow)
        lift = -0.135 - 0.045 * face.brow
        inner, outer = -side * 0.075 * narrow, side * 0.09 * narrow
        brow = stroke(
            [(inner, lift - 0.03 * min(face.brow, 0)), (0, lift - 0.015), (outer, lift + 0.015)],
            0.036,
        )
        at.fill(brow, shaded(look.hair, 0.8))
        if "glasses" in look.extras:
            rim = ellipse((0, 0.01), 0.115 * narrow, 0.095)
            at.fill(rim, (240, 246, 250), opacity=0.22)
            at.fill(
                limb(
                    *[(float(x), float(y), 0.011) for x, y in np.concatenate([rim, rim[:1]])[::2]]
                ),
                DARK,
            )
    if "glasses" in look.extras:
        pen.fill(stroke([(-0.06, -0.5), (0.06, -0.5)], 0.02), DARK)
    _nose(pen, look, 0.075 * turn)
    _mouth(pen.moved(0.01 * turn, -0.135), look, face)


def _nose(pen: Pen, look: Look, tip: float) -> None:
    bridge, low = (
        (-0.02 + 0.4 * tip, -0.46),
        [(0.055, -0.3), (0.03, -0.245), (-0.06, -0.25), (-0.065, -0.29)],
    )
    pen.fill(
        smooth([bridge, *((x + tip, y) for x, y in low)]), shaded(look.skin, 0.84), opacity=0.75
    )
    pen.fill(ellipse((tip - 0.01, -0.31), 0.028, 0.03), shaded(look.skin, 1.14), opacity=0.7)


def _eye(pen: Pen, look: Look, face: Face, narrow: float) -> None:
    if face.blink:
        pen.fill(
            stroke([(-0.085 * narrow, 0.0), (0, 0.025), (0.085 * narrow, 0.0)], 0.024),
            shaded(look.skin, 0.45),
        )
        return
    wide = (0.062 + 0.014 * max(0.0, face.brow)) * (1 - 0.35 * face.lowered)
    white = smooth([(-0.09 * narrow, 0.008), (0, -wide), (0.09 * narrow, 0.0), (0, wide * 0.8)])
    pen.fill(white, (250, 248, 244), (222, 218, 214))
    iris = (0.035 * (face.turn + face.gaze) * narrow, 0.002 + 0.035 * face.lowered)
    pen.fill(ellipse(iris, 0.05, 0.054), (74, 52, 40), within=white)
    pen.fill(ellipse(iris, 0.026, 0.028), (16, 12, 12), within=white)
    pen.fill(ellipse((iris[0] - 0.016, iris[1] - 0.02), 0.014), (255, 255, 255))
    pen.fill(
        stroke([(-0.094 * narrow, 0.004), (0, -wide - 0.004), (0.094 * narrow, -0.004)], 0.022),
        DARK,
    )


def _mouth(pen: Pen, look: Look, face: Face) -> None:
    lip = mixed(look.skin, LIP, 0.95 if "lips" in look.extras else 0.55)
    width, bow = 0.135 - 0.03 * face.mouth, 0.075 * face.smile
    if face.mouth < 0.08:
        pen.fill(stroke([(-width, -bow), (0, 0.4 * bow), (width, -bow)], 0.034), shaded(lip, 0.78))
        pen.fill(
            smooth(
                [(-width * 0.7, -0.2 * bow), (0, 0.8 * bow), (width * 0.7, -0.2 * bow), (0, 0.05)]
            ),
            lip,
            opacity=0.6,
        )
        return
    gap = 0.03 + 0.1 * face.mouth
    shape = smooth(
        [
            (-width, -0.4 * bow),
            (0, -0.4 * gap),
            (width, -0.4 * bow),
            (0.7 * width, 0.6 * gap),
            (0, gap),
            (-0.7 * width, 0.6 * gap),
        ]
    )
    pen.fill(shape, lip)
    inner = shape * 0.8
    pen.fill(inner, (70, 22, 26))
    pen.fill(ellipse((0, -0.42 * gap), width * 0.72, 0.3 * gap), (246, 242, 236), within=inner)
    pen.fill(ellipse((0, 0.8 * gap), width * 0.5, 0.35 * gap), (186, 86, 84), within=inner)


def _beard(pen: Pen, look: Look, face: Face, outline: Points) -> None:
    if "beard" not in look.extras:
        return
    shift, dark = 0.1 * face.turn, shaded(look.hair, 0.7)
    jaw = [
        (x + shift, y)
        for x, y in traced("-42,-42 -26,-27 0,-22.5 26,-27 42,-42 40,-10 18,7 -18,7 -40,-10")
    ]
    chin = [(x + shift, y) for x, y in traced("-24,-8 0,-3 24,-8 12,8 -12,8")]
    pen.fill(smooth(jaw), look.hair, dark, within=outline)
    pen.fill(smooth(chin), look.hair, dark)
