"""The Creaking Chair: a reader with a book on an old ladder-back chair, by a lamp. No Django
here.
"""

from __future__ import annotations

from math import pi, sin

import numpy as np

from simulation.local.acting import Ensemble, Place, held, ramp, stepped
from simulation.local.bodies import draw_hand
from simulation.local.canvas import Drawing
from simulation.local.faces import Face, Look, draw_head
from simulation.local.outlines import Point, ellipse, limb, polygon, rounded, smooth, stroke
from simulation.local.pen import Pen, shaded
from simulation.local.scenes.study import draw_study
from simulation.local.script import CREAK, Script
from simulation.local.stage import Part

LOOKS = {
    "reader": Look(
        (226, 182, 150),
        (150, 146, 142),
        "bun",
        (132, 58, 66),
        (62, 66, 84),
        (96, 64, 44),
        extras=frozenset({"glasses", "lips"}),
    )
}
SPARE = Look((128, 88, 64), (30, 24, 24), "curly", (60, 104, 142), (96, 84, 62))
PLACES = {"reader": Place(590, 650, 88)}
WOOD, WOOD_DARK = (148, 92, 48), (84, 48, 24)
FAR = np.array([-0.36, -0.16])  # how the far side of the chair is set off from the near one


class ChairPicture:
    """The room, the chair and its reader."""

    def __init__(self, script: Script) -> None:
        """Cast the scene for one script."""
        self.script = script
        self.people = Ensemble(script, PLACES, LOOKS, SPARE)

    def background(self) -> Drawing:
        """Return the study."""
        return draw_study()

    def parts(self, time: float, scale: float) -> list[Part]:
        """Return the chair, the reader, the book, and the chair's near post in front."""
        people, place = self.people, PLACES["reader"]
        look, shift = people.look("reader", time), people.shift("reader", time, scale)
        own, mood = look is LOOKS["reader"], people.mood("reader", time)
        # Shifting on the seat at the creak, tilting onto one side at the event.
        sway = held(time, CREAK[0] - 0.05, CREAK[1] - 0.1, 0.3) * sin(
            2 * pi * (time - CREAK[0]) / 0.9
        )
        lean = stepped(0.055 * sway + 0.12 * mood.squirm + 0.012 * sin(2 * pi * time / 3.4), 0.012)
        rock = stepped(0.012 * sway + 0.02 * mood.squirm, 0.006)
        page = stepped(held(time, 6.75, 7.1, 0.2), 0.25)
        face = self._face(time)

        def pen(drawing: Drawing) -> Pen:
            return Pen(drawing, (place.x, place.y), place.unit)

        def upper(drawing: Drawing) -> Pen:
            return pen(drawing).moved(0, -2.1, angle=lean).moved(0, 2.1)

        return [
            Part(
                ("chair", rock),
                lambda drawing: _chair(pen(drawing).moved(0.9, 0, angle=rock).moved(-0.9, 0)),
                (0, 0),
            ),
            Part((own, "legs"), lambda drawing: _legs(pen(drawing), look), shift),
            Part((own, "trunk", lean), lambda drawing: _trunk(upper(drawing), look), shift),
            Part(
                (own, "head", lean, face),
                lambda drawing: draw_head(upper(drawing).moved(0.13, -4.56), look, face),
                shift,
            ),
            Part(
                (own, "book", lean, page), lambda drawing: _book(upper(drawing), look, page), shift
            ),
        ]

    def _face(self, time: float) -> Face:
        """Return a face that reads, and looks up after the event."""
        face = self.people.face("reader", time)
        beats = self.script.beats
        if beats:
            up = held(time, beats[0].onset + 0.3, beats[-1].end + 1.6)
        else:
            up = 0.0
        reading = 0.06 * sin(2 * pi * time / 2.3)
        return Face(
            turn=stepped(0.78 * (1 - up) + 0.2 * up + reading * (1 - up), 0.13),
            tilt=stepped(0.2 * (1 - up), 0.04),
            nod=stepped(0.05 * (1 - up), 0.025),
            smile=face.smile,
            brow=face.brow,
            blink=face.blink or ramp(time, 1.0, 0.1) - ramp(time, 1.12, 0.1) > 0.5,
            blush=face.blush,
            lowered=stepped(1 - up, 0.25),
        )


def _tube(pen: Pen, start: Point, end: Point, radius: float, far: bool = False) -> None:
    """Draw a turned piece of wood."""
    light = 0.72 if far else 1.0
    pen.fill(
        limb((*start, radius), (*end, radius)),
        shaded(WOOD, 1.2 * light),
        shaded(WOOD_DARK, light),
        along=(1, 0.3),
    )


def _chair(pen: Pen) -> None:
    _back_of_chair(pen)
    for y in (-0.55, -0.95):
        _tube(pen, (-0.64, y), (0.98, y), 0.045)
    _tube(pen, (0.99, -0.75), (0.99 + FAR[0], -0.75 + FAR[1]), 0.045, far=True)
    seat = polygon(
        (-0.72, -1.72),
        (1.06, -1.72),
        (1.06 + FAR[0], -1.72 + FAR[1]),
        (-0.72 + FAR[0], -1.72 + FAR[1]),
    )
    pen.fill(seat, shaded(WOOD, 1.35), WOOD, along=(1, 0.4))
    pen.fill(rounded(-0.76, -1.76, 1.1, -1.56, 0.08), shaded(WOOD, 1.1), WOOD_DARK)
    for start, end in (
        ((-0.62, -1.7), (-0.9, -4.85)),
        ((-0.6, -1.6), (-0.74, 0.04)),
        ((0.95, -1.6), (1.02, 0.04)),
    ):
        _tube(pen, start, end, 0.09)
    pen.fill(ellipse((-0.91, -4.95), 0.13), shaded(WOOD, 1.3), WOOD_DARK, along=(0.7, 0.7))


def _back_of_chair(pen: Pen) -> None:
    far: list[tuple[Point, Point]] = [
        ((-0.62, -1.7), (-0.9, -4.75)),
        ((-0.58, -1.7), (-0.72, 0)),
        ((0.95, -1.7), (1.02, 0)),
    ]
    for start, end in far:
        _tube(
            pen,
            (start[0] + FAR[0], start[1] + FAR[1]),
            (end[0] + FAR[0], end[1] + FAR[1]),
            0.075,
            far=True,
        )
    for y in (-4.6, -3.95, -3.3, -2.65):
        x = -0.62 - 0.28 * (-y - 1.7) / 3.05
        slat = smooth(
            [
                (x, y - 0.12),
                (x + FAR[0] / 2, y + FAR[1] / 2 - 0.2),
                (x + FAR[0], y + FAR[1] - 0.12),
                (x + FAR[0], y + FAR[1] + 0.16),
                (x + FAR[0] / 2, y + FAR[1] / 2 + 0.08),
                (x, y + 0.16),
            ],
            4,
        )
        pen.fill(slat, shaded(WOOD, 1.12), WOOD_DARK, along=(0.3, 1))


def _legs(pen: Pen, look: Look) -> None:
    for x, light in ((0.16, 0.62), (0.0, 1.0)):
        cloth = shaded(look.legs, light)
        pen.fill(
            limb((1.42 + x, -1.95, 0.28), (1.34 + 1.6 * x, -0.35, 0.19)),
            shaded(cloth, 1.15),
            shaded(cloth, 0.7),
            along=(1, 0.2),
        )
        pen.fill(
            limb((0.0 + x, -2.08, 0.4), (1.42 + x, -2.02, 0.3)),
            shaded(cloth, 1.3),
            shaded(cloth, 0.75),
        )
        foot = 1.34 + 1.6 * x
        pen.fill(
            smooth(
                [
                    (foot - 0.2, -0.34),
                    (foot + 0.18, -0.34),
                    (foot + 0.5, -0.1),
                    (foot + 0.5, 0.03),
                    (foot - 0.22, 0.03),
                ]
            ),
            shaded(look.shoes, 1.3 * light),
            shaded(look.shoes, 0.6 * light),
        )


def _trunk(pen: Pen, look: Look) -> None:
    pen.fill(
        limb((0.02, -4.2, 0.27), (0.08, -4.62, 0.22)),
        shaded(look.skin, 0.72),
        shaded(look.skin, 0.9),
    )
    trunk = smooth(
        [
            (-0.46, -1.9),
            (-0.52, -2.6),
            (-0.5, -3.4),
            (-0.46, -4.0),
            (-0.22, -4.38),
            (0.16, -4.34),
            (0.4, -3.95),
            (0.46, -3.3),
            (0.4, -2.6),
            (0.46, -1.95),
            (0, -1.78),
        ]
    )
    pen.fill(trunk, shaded(look.top, 0.75), shaded(look.top, 1.2), along=(1, -0.3))
    for x in (-0.2, 0.15):
        pen.fill(
            stroke([(x, -2.0), (x + 0.06, -2.5), (x - 0.05, -2.9)], 0.06),
            shaded(look.top, 0.5),
            opacity=0.4,
            within=trunk,
        )
    pen.fill(
        smooth(
            [(-0.16, -4.4), (0.1, -4.2), (0.34, -4.3), (0.3, -4.08), (0.04, -4.06), (-0.2, -4.22)]
        ),
        (238, 230, 214),
        (206, 196, 178),
    )


def _lines_and_leaf(book: Pen, page: float) -> None:
    for i in range(6):
        y = -0.62 + 0.15 * i
        book.fill(
            stroke([(-0.18 - 0.055 * i, y - 0.08), (0.17 - 0.055 * i, y + 0.06)], 0.028),
            (120, 112, 104),
            opacity=0.7,
        )
    if page:
        book.fill(
            polygon(
                (-0.1, 0.44),
                (-0.62 + 0.6 * page, 0.16 + 0.1 * page),
                (-0.2 + 0.66 * page, -0.98),
                (0.34, -0.7),
            ),
            (255, 252, 242),
            (236, 228, 210),
        )


def _book(pen: Pen, look: Look, page: float) -> None:
    """Draw the book and the arms that hold it; ``page`` 0..1 lifts a leaf."""
    pen.fill(
        limb((0.6, -3.1, 0.18), (1.32, -3.3, 0.13)), shaded(look.top, 0.6), shaded(look.top, 0.8)
    )
    book = pen.moved(1.5, -3.52, angle=0.32)
    book.fill(
        polygon((-0.08, 0.44), (0.12, 0.5), (0.6, -0.62), (0.42, -0.72)), (58, 92, 84), (34, 60, 56)
    )
    book.fill(
        polygon((-0.1, 0.44), (0.05, 0.46), (0.44, -0.64), (0.34, -0.7)),
        (250, 244, 228),
        (214, 204, 182),
        along=(1, 0),
    )
    book.fill(
        polygon((-0.1, 0.44), (-0.62, 0.16), (-0.2, -0.92), (0.34, -0.7)),
        (252, 247, 233),
        (228, 218, 196),
        along=(0.8, 0.5),
    )
    _lines_and_leaf(book, page)
    pen.fill(
        limb((-0.04, -3.98, 0.27), (0.42, -2.98, 0.21)),
        shaded(look.top, 1.15),
        shaded(look.top, 0.68),
        along=(1, 0.4),
    )
    pen.fill(
        limb((0.42, -2.98, 0.2), (1.1, -3.14, 0.14)), shaded(look.top, 1.1), shaded(look.top, 0.7)
    )
    draw_hand(pen, look, (0.42, -2.98), (1.14, -3.16))
