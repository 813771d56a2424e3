"""The Lift: four adults before steel doors, the woman in the yellow raincoat rear left.

No Django here.
"""

from __future__ import annotations

from simulation.local.acting import Ensemble, Place, stepped
from simulation.local.canvas import Drawing
from simulation.local.faces import Look
from simulation.local.outlines import ellipse, polygon, rectangle, rounded, stroke
from simulation.local.pen import Pen
from simulation.local.script import Script
from simulation.local.stage import Part

STEEL, STEEL_DARK = (176, 182, 188), (104, 110, 118)
LED = (255, 122, 40)
FLOOR_SECONDS = 1.9

LOOKS = {
    "raincoat": Look(
        (232, 190, 160),
        (98, 52, 30),
        "bob",
        (246, 196, 34),
        (52, 60, 82),
        (58, 92, 70),
        "raincoat",
        extras=frozenset({"lips"}),
        broad=0.92,
    ),
    "suit": Look(
        (150, 102, 74),
        (28, 22, 22),
        "buzz",
        (52, 60, 84),
        (44, 50, 70),
        (28, 24, 24),
        "suit",
        (150, 40, 48),
        frozenset({"glasses"}),
    ),
    "hoodie": Look(
        (222, 176, 146),
        (68, 48, 34),
        "short",
        (74, 112, 104),
        (44, 50, 64),
        outfit="hoodie",
        extras=frozenset({"beard"}),
        broad=1.02,
    ),
    "scarf": Look(
        (186, 132, 100),
        (30, 22, 24),
        "long",
        (112, 62, 84),
        (50, 44, 56),
        outfit="coat",
        accent=(226, 212, 190),
        extras=frozenset({"lips", "scarf"}),
        broad=0.92,
    ),
}
SPARE = Look((240, 204, 178), (190, 150, 84), "bun", (88, 128, 178), outfit="shirt")
PLACES = {
    "raincoat": Place(452, 668, 71),
    "suit": Place(800, 672, 74),
    "hoodie": Place(196, 836, 98),
    "scarf": Place(1084, 826, 95),
}
# Seven-segment digits: top, upper left, upper right, middle, lower left, lower right, bottom.
SEGMENTS = {2: "1011101", 3: "1011011", 4: "0111010", 5: "1101011", 6: "1101111", 7: "1010010"}


class LiftPicture:
    """The cabin and its four passengers."""

    def __init__(self, script: Script) -> None:
        """Cast the scene for one script."""
        self.people = Ensemble(script, PLACES, LOOKS, SPARE)

    def background(self) -> Drawing:
        """Return the cabin: ceiling lights, steel doors, side walls with handrails, the panel with
        its buttons.
        """
        drawing = Drawing()
        _shell(drawing)
        _doors(drawing)
        for side in (-1, 1):
            _rail(drawing, side)
        _panel(drawing)
        return drawing

    def parts(self, time: float, scale: float) -> list[Part]:
        """Return the indicator and the people, rear to front."""
        floor = 2 + min(5, int(time / FLOOR_SECONDS))
        tick = stepped(time % FLOOR_SECONDS / FLOOR_SECONDS, 0.25)
        people = self.people
        return [
            Part(("indicator", floor, tick), lambda drawing: _indicator(drawing, floor, tick)),
            *people.standing("raincoat", time, scale, rest=0.1, side=1),
            *people.standing("suit", time, scale, rest=-0.1, side=1),
            *people.standing("hoodie", time, scale, rest=0.15, side=-1),
            *people.standing("scarf", time, scale, rest=-0.15, side=1),
        ]


def _shell(drawing: Drawing) -> None:
    drawing.fill(rectangle(0, 0, 1280, 720), (126, 132, 140), (84, 90, 98))
    drawing.fill(
        polygon((0, 0), (1280, 0), (1010, 84), (270, 84)), (214, 216, 214), (176, 180, 182)
    )
    for left, right in ((330, 560), (720, 950)):
        middle = (left + right) / 2
        near = [640 + (x - 640) * 1.28 for x in (left, right)]
        drawing.fill(
            polygon((near[0], 14), (near[1], 14), (right, 66), (left, 66)), (255, 253, 244)
        )
        drawing.glow((middle, 44), (260, 130), (255, 250, 232), 0.5)
    drawing.fill(
        polygon((0, 720), (1280, 720), (1010, 622), (270, 622)), (74, 66, 62), (48, 44, 44)
    )
    for x in range(-400, 1700, 105):
        top = 640 + (x - 640) * 0.56
        drawing.fill(stroke([(top, 622), (x, 720)], 2), (38, 34, 34), opacity=0.6)
    drawing.fill(
        polygon((0, 0), (270, 84), (270, 622), (0, 720)),
        (120, 126, 134),
        (170, 176, 182),
        along=(1, 0.1),
    )
    drawing.fill(
        polygon((1280, 0), (1010, 84), (1010, 622), (1280, 720)),
        (170, 176, 182),
        (120, 126, 134),
        along=(1, 0.1),
    )
    for x, y in ((92, 29), (184, 57)):
        for left in (x, 1280 - x):
            drawing.fill(stroke([(left, y), (left, 720 - y * 1.15)], 3), (78, 84, 92), opacity=0.7)
    drawing.fill(rectangle(270, 84, 1010, 622), STEEL, STEEL_DARK)


def _doors(drawing: Drawing) -> None:
    drawing.fill(rectangle(340, 140, 940, 622), (60, 64, 70))
    for left, right in ((348, 638), (642, 932)):
        drawing.fill(
            rectangle(left, 148, right, 622), (202, 208, 214), (138, 144, 152), along=(0.8, 0.5)
        )
        for i in range(24):
            x = left + (right - left) * (i * 0.618 % 1)
            drawing.fill(rectangle(x, 150, x + 2 + i % 4, 622), (255, 255, 255), opacity=0.06)
        drawing.fill(
            polygon(
                (left + 60, 148), (left + 130, 148), (left + 40, 622), (left, 622), (left, 440)
            ),
            (255, 255, 255),
            opacity=0.1,
        )
    drawing.fill(rectangle(637, 148, 643, 622), (34, 36, 40))
    drawing.fill(rectangle(340, 612, 940, 622), (52, 54, 58))
    drawing.glow((640, 640), (460, 60), (20, 18, 18), 0.55)
    drawing.fill(rounded(566, 90, 714, 136, 8), (24, 24, 28), (44, 44, 50))


def _rail(drawing: Drawing, side: int) -> None:
    def at(x: float) -> float:
        return 640 + side * (x - 640)

    drawing.fill(stroke([(at(1280), 500), (at(1016), 446)], 20), (60, 64, 70), opacity=0.35)
    drawing.fill(stroke([(at(1290), 486), (at(1014), 434)], 15), (236, 238, 240), (120, 124, 130))
    for x, y in ((1250, 480), (1130, 457), (1024, 436)):
        drawing.fill(stroke([(at(x), y), (at(x) + side * 8, y + 16)], 8), (96, 100, 106))


def _panel(drawing: Drawing) -> None:
    drawing.fill(
        rounded(950, 232, 1004, 470, 6), (222, 226, 228), (160, 166, 172), along=(0.6, 0.8)
    )
    drawing.fill(rounded(958, 242, 996, 272, 4), (26, 26, 30))
    for row in range(6):
        for column in (966, 988):
            lit = (row, column) == (1, 988)
            y = 294 + row * 26
            drawing.fill(ellipse((column, y), 9), (92, 96, 102), (60, 62, 68))
            drawing.fill(
                ellipse((column, y), 7),
                (255, 190, 92) if lit else (240, 240, 236),
                (255, 140, 40) if lit else (200, 202, 204),
            )
            if lit:
                drawing.glow((column, y), (22, 22), (255, 170, 70), 0.7)
    drawing.fill(ellipse((977, 454), 8), (206, 58, 50), (150, 30, 28))
    drawing.fill(polygon((971, 262), (977, 250), (983, 262)), LED)


def _indicator(drawing: Drawing, floor: int, tick: float) -> None:
    drawing.fill(rounded(572, 95, 708, 131, 5), (16, 14, 16))
    drawing.glow((640, 113), (70, 24), LED, 0.16)
    rise = 4 * tick - 2
    drawing.fill(polygon((598, 122 - rise), (612, 102 - rise), (626, 122 - rise)), LED)
    pen = Pen(drawing, (652, 99), 13)
    bars = [
        ((0.15, 0), (0.85, 0)),
        ((0, 0.12), (0, 0.88)),
        ((1, 0.12), (1, 0.88)),
        ((0.15, 1), (0.85, 1)),
        ((0, 1.12), (0, 1.88)),
        ((1, 1.12), (1, 1.88)),
        ((0.15, 2), (0.85, 2)),
    ]
    for on, bar in zip(SEGMENTS[floor], bars, strict=True):
        pen.fill(stroke(bar, 0.26), LED if on == "1" else (48, 26, 18))
