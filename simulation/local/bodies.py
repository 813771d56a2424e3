"""Bodies seen from the front. Local unit: one head height; the feet are at (0, 0). No Django
here.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simulation.local.canvas import Colour, Points
from simulation.local.clothes import draw_clothes
from simulation.local.faces import Look
from simulation.local.outlines import Point, elbow, ellipse, limb, mirrored, smooth, stroke, traced
from simulation.local.pen import Pen, mixed, shaded

HEAD_AT = -5.12  # the chin
SHOULDER: Point = (0.68, -4.5)
HIP = -2.95
UPPER_ARM, FOREARM = 1.16, 1.08


@dataclass(frozen=True, slots=True)
class Posture:
    """How a standing body is held; lengths in head heights."""

    lean: float = 0.0  # of the shoulders, to the right
    breath: float = 0.0  # of the chest, upwards
    hips: float = 0.0  # a small shove of the hips to the right


def bent(outline: Points, posture: Posture) -> Points:
    """Return points of a straight body where a posture puts them: leaning grows from the hips
    up.
    """
    up = np.clip((HIP - outline[:, 1]) / (HIP - SHOULDER[1]), 0, 1.4)
    low = np.clip(1 + (outline[:, 1] - HIP) / -HIP, 0, 1) * np.clip(outline[:, 1] / HIP, 0, 1)
    moved = outline.copy()
    moved[:, 0] += posture.lean * up + posture.hips * low
    moved[:, 1] += 0.12 * abs(posture.lean) * up - posture.breath * up
    return moved


def neck_of(posture: Posture) -> Point:
    """Return where the chin of a body in this posture is."""
    x, y = bent(np.array([[0.0, HEAD_AT]]), posture)[0]
    return float(x), float(y)


def draw_legs(pen: Pen, look: Look) -> None:
    """Draw straight legs and shoes."""
    for side in (-1, 1):
        x = side * 0.36 * look.broad
        pen.fill(
            limb((x * 0.95, HIP, 0.4), (x, -1.5, 0.27), (x * 1.05, -0.22, 0.19)),
            shaded(look.legs, 1.15),
            shaded(look.legs, 0.7),
            along=(1, 0.15),
        )
        pen.fill(
            smooth(
                [
                    (x - 0.2, -0.2),
                    (x + 0.2, -0.2),
                    (x + 0.26 + 0.06 * side, 0.02),
                    (x, 0.1),
                    (x - 0.26 + 0.06 * side, 0.02),
                ]
            ),
            shaded(look.shoes, 1.3),
            shaded(look.shoes, 0.7),
        )


def draw_torso(pen: Pen, look: Look, posture: Posture) -> None:
    """Draw the trunk with its clothes and a neck, without head and arms."""
    neck = bent(limb((0, -5.25, 0.2), (0, -4.8, 0.24)), posture)
    pen.fill(neck, shaded(look.skin, 0.74), shaded(look.skin, 0.92))
    b = look.broad
    long = {"raincoat": -1.35, "coat": -1.7, "dress": -1.5}.get(look.outfit)
    half = traced("0,-486 20,-492 50,-484 82,-464 86,-430 72,-375 64,-335")
    half += (
        traced("66,-290 60,-266 0,-260")
        if long is None
        else [(0.74, -2.9), (0.92, long), (0, long + 0.1)]
    )
    outline = bent(mirrored([(x * b, y) for x, y in half]), posture)
    pen.fill(outline, shaded(look.top, 1.14), shaded(look.top, 0.68), along=(1, 0.35))
    pen.glow((-0.35 + posture.lean, -4.3), (0.8, 1.0), shaded(look.top, 1.45), 0.3, outline)
    for side in (-1, 1):
        fold = bent(
            stroke(
                [(side * 0.62 * b, -4.1), (side * 0.5 * b, -3.4), (side * 0.56 * b, -2.8)], 0.06
            ),
            posture,
        )
        pen.fill(fold, shaded(look.top, 0.55), opacity=0.4, within=outline)

    def put(shape: Points, colour: Colour, fades_to: Colour | None = None) -> None:
        pen.fill(bent(shape, posture), colour, fades_to, within=outline)

    draw_clothes(put, look)


def draw_arm(
    pen: Pen,
    look: Look,
    posture: Posture,
    side: int,
    hand: Point | None = None,
    *,
    middle: Point | None = None,
) -> None:
    """Draw one arm (side -1: left in the picture). It hangs unless ``hand`` says where the hand
    goes.

    ``middle`` places the elbow of an arm that is foreshortened; otherwise the bones keep their
    length.
    """
    b = look.broad
    root = (side * SHOULDER[0] * b, SHOULDER[1])
    if hand is None:
        hand = (side * 0.92 * b, -2.36)
    x, y = bent(np.array([root]), posture)[0]
    root = (float(x), float(y))
    middle = middle or elbow(root, hand, UPPER_ARM, FOREARM, side)
    sleeves = {"tank": 0.0, "tee": 0.55, "dress": 0.55}.get(
        look.outfit, 2.0
    )  # how far down, in bones
    along = (1.0, 0.3)
    upper = look.top if sleeves > 1 else look.skin
    pen.fill(
        limb((*root, 0.235), (*middle, 0.19)), shaded(upper, 1.08), shaded(upper, 0.68), along=along
    )
    if 0 < sleeves < 1:
        _short_sleeve(pen, look, root, middle, sleeves)
    pen.fill(
        limb((*middle, 0.185), (*hand, 0.135)), shaded(upper, 1.1), shaded(upper, 0.72), along=along
    )
    draw_hand(pen, look, middle, hand)


def _short_sleeve(pen: Pen, look: Look, root: Point, middle: Point, share: float) -> None:
    end = (root[0] + share * (middle[0] - root[0]), root[1] + share * (middle[1] - root[1]))
    light, dark = shaded(look.top, 1.08), shaded(look.top, 0.7)
    pen.fill(limb((*root, 0.26), (*end, 0.25)), light, dark, along=(1.0, 0.3))


def draw_hand(pen: Pen, look: Look, middle: Point, hand: Point) -> None:
    """Draw a closed hand at the end of a forearm that comes from ``middle``."""
    away = np.array(hand) - middle
    away = away / (float(np.hypot(*away)) + 1e-9)
    palm = (float(hand[0] + 0.12 * away[0]), float(hand[1] + 0.12 * away[1]))
    turned = float(np.arctan2(away[1], away[0]))
    pen.fill(
        ellipse(palm, 0.2, 0.145, turned),
        shaded(look.skin, 1.04),
        shaded(look.skin, 0.78),
        along=(0.7, 0.7),
    )
    for spread in (-0.05, 0.01, 0.07):
        across = (-away[1] * spread, away[0] * spread)
        start = (palm[0] + 0.05 * away[0] + across[0], palm[1] + 0.05 * away[1] + across[1])
        end = (palm[0] + 0.17 * away[0] + across[0], palm[1] + 0.17 * away[1] + across[1])
        pen.fill(
            stroke([(float(start[0]), float(start[1])), (float(end[0]), float(end[1]))], 0.018),
            mixed(look.skin, (90, 40, 30), 0.4),
            opacity=0.6,
        )
