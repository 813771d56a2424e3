"""Outlines to fill: every function returns a closed polygon (n, 2) in scene units. No Django
here.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from math import ceil, cos, hypot, pi, sin

import numpy as np

from simulation.local.canvas import Points

Point = tuple[float, float]


def traced(points: str) -> list[Point]:
    """Return points written as ``"x,y x,y"`` in hundredths of a unit."""
    return [
        (float(x) / 100, float(y) / 100) for x, y in (pair.split(",") for pair in points.split())
    ]


def polygon(*corners: Point) -> Points:
    """Return straight edges through the corners."""
    return np.array(corners, float)


def rectangle(left: float, top: float, right: float, bottom: float) -> Points:
    """Return an upright rectangle."""
    return polygon((left, top), (right, top), (right, bottom), (left, bottom))


def ellipse(centre: Point, across: float, down: float | None = None, turned: float = 0.0) -> Points:
    """Return an ellipse by its half axes, turned by radians; a circle when ``down`` is left out."""
    down = across if down is None else down
    angle = np.linspace(0, 2 * pi, max(24, ceil(across + down)), endpoint=False)
    x, y = across * np.cos(angle), down * np.sin(angle)
    return (
        np.stack([x * cos(turned) - y * sin(turned), x * sin(turned) + y * cos(turned)], 1) + centre
    )


def rounded(left: float, top: float, right: float, bottom: float, radius: float) -> Points:
    """Return a rectangle with round corners."""
    quarter = np.linspace(0, pi / 2, 7)
    corners = [
        (right - radius, bottom - radius),
        (left + radius, bottom - radius),
        (left + radius, top + radius),
        (right - radius, top + radius),
    ]
    arcs = []
    for i, (x, y) in enumerate(corners):
        arcs.append(
            np.stack(
                [
                    x + radius * np.cos(quarter + i * pi / 2),
                    y + radius * np.sin(quarter + i * pi / 2),
                ],
                1,
            )
        )
    return np.concatenate(arcs)


@cache
def _weights(steps: int) -> Points:
    """Return the Catmull-Rom weights (steps, 4) of four neighbouring points for even steps between
    the middle two.
    """
    t = np.linspace(0, 1, steps, endpoint=False)
    return 0.5 * np.stack(
        [-t + 2 * t**2 - t**3, 2 - 5 * t**2 + 3 * t**3, t + 4 * t**2 - 3 * t**3, t**3 - t**2], 1
    )


def _spline(points: Points, steps: int) -> Points:
    """Return Catmull-Rom pieces (m, 2) from the second to the last but one of ``points`` (n, 2),
    without the end.
    """
    weights, count = _weights(steps), len(points) - 3
    pieces = sum(weights[None, :, i, None] * points[i : count + i, None, :] for i in range(4))
    return np.asarray(pieces).reshape(-1, 2)


def smooth(corners: Sequence[Point], steps: int = 8) -> Points:
    """Return a closed Catmull-Rom curve through the corners."""
    points = np.array(corners, float)
    return _spline(np.concatenate([points[-1:], points, points[:2]]), steps)


def curve(corners: Sequence[Point], steps: int = 8) -> Points:
    """Return an open Catmull-Rom curve through the corners, ends included."""
    points = np.array(corners, float)
    return np.concatenate(
        [_spline(np.concatenate([points[:1], points, points[-1:]]), steps), points[-1:]]
    )


def mirrored(half: Sequence[Point], about: float = 0.0, steps: int = 8) -> Points:
    """Return a smooth closed shape from its right half, top to bottom, mirrored at ``x =
    about``.
    """
    other = [(2 * about - x, y) for x, y in reversed(half) if x != about]
    return smooth([*half, *other], steps)


def limb(*joints: tuple[float, float, float]) -> Points:
    """Return a limb around two or more joints ``(x, y, radius)``: round ends, tapering sides,
    smooth bends.
    """
    steps = 6 if len(joints) > 2 else 1  # two joints make a straight limb
    spine = curve([(x, y) for x, y, _ in joints], steps)
    radius = np.interp(
        np.arange(len(spine)) / steps, np.arange(len(joints)), [r for _, _, r in joints]
    )
    way = np.concatenate([spine[1:2], spine[2:], spine[-1:]]) - np.concatenate(
        [spine[:1], spine[:-2], spine[-2:-1]]
    )
    way /= np.hypot(*way.T)[:, None] + 1e-9
    side = np.stack([-way[:, 1], way[:, 0]], 1) * radius[:, None]
    return np.concatenate(
        [
            spine - side,
            _half_turn(spine[-1], -side[-1]),
            (spine + side)[::-1],
            _half_turn(spine[0], side[0]),
        ]
    )


def stroke(corners: Sequence[Point], width: float) -> Points:
    """Return a line of even width through the corners, with round ends."""
    return limb(*[(x, y, width / 2) for x, y in corners])


_ARC = np.linspace(0, pi, 8)[1:-1]
_ARC_COS, _ARC_SIN = np.cos(_ARC), np.sin(_ARC)


def _half_turn(centre: Points, spoke: Points) -> Points:
    """Return the half circle from ``centre + spoke`` round to ``centre - spoke``."""
    x, y = spoke
    return np.asarray(
        centre + np.stack([x * _ARC_COS - y * _ARC_SIN, x * _ARC_SIN + y * _ARC_COS], 1)
    )


def elbow(root: Point, tip: Point, upper: float, lower: float, side: float) -> Point:
    """Return the middle joint of a limb of two bones from ``root`` towards ``tip``.

    ``side`` +1 or -1 says to which side the joint bends (+1: to the left of the way root to tip, as
    drawn with y down). A tip out of reach straightens the limb (law of cosines, cut to what the
    bones allow).
    """
    dx, dy = tip[0] - root[0], tip[1] - root[1]
    reach = min(max(hypot(dx, dy), abs(upper - lower) + 1e-6), upper + lower - 1e-6)
    along = (upper**2 - lower**2 + reach**2) / (2 * reach)
    off = side * max(upper**2 - along**2, 0.0) ** 0.5
    span = hypot(dx, dy) or 1.0
    ux, uy = dx / span, dy / span
    return (root[0] + ux * along + uy * off, root[1] + uy * along - ux * off)
