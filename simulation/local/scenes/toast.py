"""The Toast: a speaker with a raised glass behind a laid table, and four guests. No Django here."""

from __future__ import annotations

from math import pi, sin

from simulation.local.acting import Ensemble, Place, held, stepped
from simulation.local.bodies import draw_arm
from simulation.local.canvas import Drawing
from simulation.local.faces import Look
from simulation.local.outlines import ellipse, limb, polygon, rectangle, rounded, smooth, stroke
from simulation.local.pen import Pen, shaded
from simulation.local.script import Script
from simulation.local.soundtrack import spoken_by
from simulation.local.speech import opening
from simulation.local.stage import Part

LOOKS = {
    "speaker": Look(
        (218, 168, 134),
        (58, 38, 28),
        "short",
        (38, 44, 74),
        (34, 38, 60),
        outfit="suit",
        accent=(178, 132, 52),
    ),
    "beard": Look(
        (168, 116, 82),
        (34, 26, 24),
        "curly",
        (92, 116, 92),
        outfit="shirt",
        accent=(236, 232, 220),
        extras=frozenset({"beard"}),
    ),
    "bun": Look(
        (240, 202, 176),
        (196, 148, 74),
        "bun",
        (158, 52, 74),
        outfit="dress",
        extras=frozenset({"lips"}),
        broad=0.88,
    ),
    "glasses": Look(
        (226, 180, 150),
        (164, 164, 166),
        "short",
        (92, 80, 112),
        outfit="shirt",
        accent=(230, 226, 236),
        extras=frozenset({"glasses"}),
    ),
    "bob": Look(
        (134, 90, 66),
        (24, 20, 22),
        "bob",
        (214, 148, 56),
        outfit="dress",
        extras=frozenset({"lips"}),
        broad=0.88,
    ),
}
SPARE = Look(
    (232, 190, 160),
    (126, 60, 34),
    "long",
    (62, 124, 140),
    outfit="shirt",
    extras=frozenset({"lips"}),
)
PLACES = {
    "speaker": Place(640, 674, 78),
    "beard": Place(150, 716, 70),
    "bun": Place(372, 700, 66),
    "glasses": Place(908, 704, 67),
    "bob": Place(1132, 714, 69),
}
GLASS, WINE, GOLD = (236, 244, 248), (150, 24, 48), (240, 200, 110)


class ToastPicture:
    """The room, the speaker, the guests and the table before them."""

    def __init__(self, script: Script) -> None:
        """Cast the scene for one script."""
        self.people = Ensemble(script, PLACES, LOOKS, SPARE)
        self.spoken = spoken_by(script)

    def background(self) -> Drawing:
        """Return the room: panelled wall, curtains, strings of lights."""
        drawing = Drawing()
        _wall(drawing)
        _lights(drawing)
        return drawing

    def parts(self, time: float, scale: float) -> list[Part]:
        """Return the guests, the speaker with the glass, and the table in front."""
        people = self.people
        guests = []
        for who, rest, side in (
            ("beard", 0.5, -1),
            ("bun", 0.45, -1),
            ("glasses", -0.45, 1),
            ("bob", -0.5, 1),
        ):
            guests += people.standing(who, time, scale, rest=rest, side=side)
        return [*guests, *self._speaker(time, scale), Part("table", _table)]

    def _speaker(self, time: float, scale: float) -> list[Part]:
        people, place, look = self.people, PLACES["speaker"], self.people.look("speaker", time)
        mouth = opening(self.spoken, time)
        talking = any(held(time, one.start - 0.05, one.end + 0.05, 0.05) for one in self.spoken)
        wave = stepped(0.5 + 0.5 * sin(2 * pi * time / 1.7) if talking else 0.0, 0.34)
        posture = people.posture("speaker", time)
        lower = stepped(
            max(people.mood("speaker", time).shame, people.mood("speaker", time).noticing) * 0.5,
            0.125,
        )
        parts = people.standing(
            "speaker",
            time,
            scale,
            mouth=mouth,
            rest=0.1,
            nose=False,
            hand=(-1.22 - 0.3 * wave, -2.75 - 0.5 * wave),
        )

        def arm(drawing: Drawing) -> None:
            pen = Pen(drawing, (place.x, place.y), place.unit)
            hand = (1.34 + 0.3 * posture.lean, -5.2 + lower)
            draw_arm(pen, look, posture, 1, hand, middle=(1.22, -4.1 + 0.4 * lower))
            _wine_glass(pen.moved(hand[0] + 0.02, hand[1] + 0.24), 1 / 74)

        legs, body, head = parts
        return [
            legs,
            body,
            head,
            Part(
                (look is LOOKS["speaker"], "toasts", posture.lean, lower),
                arm,
                people.shift("speaker", time, scale),
            ),
        ]


def _wine_glass(pen: Pen, size: float, full: float = 0.5) -> None:
    """Draw a stemmed glass that stands on the pen's origin; ``size`` is the pen's units per
    pixel.
    """
    at = pen.moved(0, 0, unit=size)
    bowl = smooth(
        [(-17, -86), (-21, -62), (-17, -44), (0, -34), (17, -44), (21, -62), (17, -86)], 6
    )
    at.fill(ellipse((0, -2), 17, 4), GLASS, (170, 186, 196), opacity=0.85)
    at.fill(rectangle(-1.8, -36, 1.8, -2), GLASS, (180, 194, 202), along=(1, 0))
    at.fill(bowl, GLASS, opacity=0.38)
    at.fill(
        rectangle(-24, -86 + 52 * (1 - full), 24, -30),
        (198, 40, 66),
        WINE,
        within=bowl,
        opacity=0.93,
    )
    at.fill(
        smooth([(-15, -80), (-12, -80), (-14, -58), (-11, -46), (-17, -56)]),
        (255, 255, 255),
        opacity=0.65,
    )
    at.fill(ellipse((0, -86), 17, 3.2), (255, 255, 255), opacity=0.5)


def _wall(drawing: Drawing) -> None:
    drawing.fill(rectangle(0, 0, 1280, 720), (92, 46, 54), (58, 28, 38))
    for left in range(20, 1280, 212):
        drawing.fill(rounded(left, 96, left + 180, 400, 4), (110, 58, 64), (74, 38, 46))
        drawing.fill(rounded(left + 8, 104, left + 172, 392, 3), (90, 44, 52), (64, 32, 40))
    drawing.fill(rectangle(0, 424, 1280, 436), (150, 108, 72), (104, 70, 46))
    drawing.fill(rectangle(0, 436, 1280, 720), (70, 40, 36), (48, 26, 26))
    drawing.glow((640, 220), (560, 330), (255, 196, 120), 0.34)
    for side in (-1, 1):

        def at(x: float, side: int = side) -> float:
            return 640 + side * (640 - x)

        drawing.fill(
            polygon((at(0), 0), (at(96), 0), (at(70), 470), (at(0), 520)),
            (120, 92, 60),
            (80, 58, 40),
            along=(side, 0.1),
        )
        for x in (18, 42, 66):
            drawing.fill(stroke([(at(x), 0), (at(x - 4), 480)], 5), (66, 46, 32), opacity=0.5)


def _lights(drawing: Drawing) -> None:
    for left, right in ((0, 430), (430, 850), (850, 1280)):
        points = [
            (left + (right - left) * i / 12, 34 + 76 * (1 - (i / 6 - 1) ** 2)) for i in range(13)
        ]
        drawing.fill(stroke(points, 3), (46, 30, 26))
        for x, y in points[1:-1:2]:
            drawing.glow((x, y + 12), (58, 58), (255, 206, 120), 0.6)
            drawing.fill(ellipse((x, y + 12), 6.5, 9), (255, 250, 222), (255, 214, 130))


def _table(drawing: Drawing) -> None:
    cloth = polygon((0, 546), (1280, 546), (1280, 720), (0, 720))
    drawing.fill(cloth, (250, 246, 238), (206, 198, 190))
    drawing.fill(rectangle(0, 634, 1280, 720), (228, 221, 212), (176, 166, 160))
    drawing.fill(rectangle(0, 630, 1280, 637), (255, 253, 248))
    for x in range(30, 1280, 94):
        drawing.fill(
            polygon((x, 637), (x + 16, 637), (x + 24, 720), (x - 10, 720)),
            (150, 140, 136),
            opacity=0.22,
        )
    for x in (150, 372, 640, 908, 1132):
        drawing.fill(ellipse((x, 598), 66, 17), (198, 190, 182))
        drawing.fill(ellipse((x, 595), 66, 17), (255, 255, 255), (226, 226, 228))
        drawing.fill(ellipse((x, 594), 45, 10.5), (240, 240, 240), (252, 252, 252))
        drawing.fill(stroke([(x + 78, 584), (x + 84, 614)], 4), (190, 194, 200))
        drawing.fill(stroke([(x - 78, 584), (x - 84, 614)], 4), (190, 194, 200))
    for x, y in ((238, 596), (458, 590), (824, 590), (1048, 596), (60, 604)):
        _wine_glass(Pen(drawing, (x, y)), 1.0, 0.45)
    _bottle(drawing, 536, 596)
    _candles(drawing, 744)
    _bottle(drawing, 1236, 612)


def _bottle(drawing: Drawing, x: float, y: float) -> None:
    outline = smooth(
        [
            (x - 8, y - 128),
            (x + 8, y - 128),
            (x + 9, y - 92),
            (x + 21, y - 72),
            (x + 21, y - 6),
            (x + 14, y),
            (x - 14, y),
            (x - 21, y - 6),
            (x - 21, y - 72),
            (x - 9, y - 92),
        ],
        5,
    )
    drawing.glow((x, y), (44, 10), (60, 50, 50), 0.5)
    drawing.fill(outline, (52, 88, 60), (18, 34, 26), along=(1, 0.1))
    drawing.fill(rectangle(x - 20, y - 56, x + 20, y - 20), (240, 230, 206), (206, 192, 160))
    drawing.fill(rounded(x - 9, y - 130, x + 9, y - 104, 3), GOLD, shaded(GOLD, 0.6), along=(1, 0))
    drawing.fill(stroke([(x - 13, y - 66), (x - 13, y - 12)], 4), (255, 255, 255), opacity=0.3)


def _candles(drawing: Drawing, x: float) -> None:
    drawing.fill(limb((x, 594, 5), (x, 560, 4)), GOLD, shaded(GOLD, 0.5), along=(1, 0))
    drawing.fill(ellipse((x, 598), 24, 6), GOLD, shaded(GOLD, 0.5))
    drawing.fill(rectangle(x - 6, 508, x + 6, 562), (250, 244, 228), (216, 206, 184), along=(1, 0))
    drawing.glow((x, 494), (64, 64), (255, 200, 100), 0.6)
    drawing.fill(
        smooth([(x, 476), (x + 6, 496), (x, 507), (x - 6, 496)]), (255, 244, 190), (255, 164, 60)
    )
