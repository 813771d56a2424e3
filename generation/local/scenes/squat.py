"""The Squat: a lifter with a loaded bar before a rack and a mirror, and somebody on a bench. No Django here."""

from __future__ import annotations

from generation.local.acting import Ensemble, Place, stepped
from generation.local.bodies import Posture, draw_arm, draw_torso, neck_of
from generation.local.canvas import Drawing
from generation.local.faces import Face, Look, draw_head
from generation.local.outlines import ellipse, elbow, limb, polygon, rectangle, rounded, smooth, stroke
from generation.local.pen import Pen, shaded
from generation.local.script import ASCENT, Script
from generation.local.stage import Part

LOOKS = {
    "lifter": Look((196, 142, 108), (40, 28, 24), "short", (196, 58, 52), (40, 44, 58), (236, 236, 232), "tank", extras=frozenset({"beard"}), broad=1.1),
    "bystander": Look((236, 194, 164), (150, 92, 44), "bun", (52, 128, 140), (36, 40, 52), (240, 200, 70), "tee", extras=frozenset({"lips"}), broad=0.9),
}
SPARE = Look((120, 80, 58), (24, 20, 22), "buzz", (226, 190, 60), outfit="tank", legs=(84, 90, 98))
PLACES = {"lifter": Place(600, 668, 84), "bystander": Place(1072, 622, 62)}
FEET = 0.76  # head heights from the middle to each foot
DROP = 1.42  # head heights that the hips sink
THIGH, SHIN = 1.43, 1.37
BAR_Y = -4.72
PLATES = ((3.3, 1.0, (190, 44, 42)), (3.52, 0.94, (46, 84, 160)), (3.72, 0.66, (64, 66, 72)))  # at, radius, colour


class SquatPicture:
    """The gym, the lifter under the bar, and a bystander."""

    def __init__(self, script: Script) -> None:
        """Cast the scene for one script."""
        self.script = script
        self.people = Ensemble(script, PLACES, LOOKS, SPARE)

    def background(self) -> Drawing:
        """Return the gym: mirror, rack, dumbbells, a bench and the lights."""
        drawing = Drawing()
        _hall(drawing)
        _mirror(drawing)
        _dumbbells(drawing)
        _rack(drawing)
        _bench(drawing)
        return drawing

    def parts(self, time: float, scale: float) -> list[Part]:
        """Return the bystander, then the lifter from the legs to the bar and hands."""
        return [*self._bystander(time, scale), *self._lifter(time, scale)]

    def _lifter(self, time: float, scale: float) -> list[Part]:
        people, place, look = self.people, PLACES["lifter"], self.people.look("lifter", time)
        own, shift = look is LOOKS["lifter"], people.shift("lifter", time, scale)
        depth = stepped(self.script.depth(time), 1 / 32)
        squirm = stepped(people.mood("lifter", time).squirm, 0.5)
        face = _strained(people.face("lifter", time), ASCENT[0] - 0.4 <= time < ASCENT[1], depth)
        down = 2 * round(DROP * depth * place.unit * scale / 2)
        carried = (shift[0], shift[1] + down)
        breath = stepped(people.posture("lifter", time).breath, 0.02)

        def pen(drawing: Drawing) -> Pen:
            return Pen(drawing, (place.x, place.y), place.unit)

        def trunk(drawing: Drawing) -> None:
            _bar(pen(drawing))
            draw_torso(pen(drawing), look, Posture(breath=breath, hips=0.12 * squirm))
            for side in (-1, 1):
                draw_arm(pen(drawing), look, Posture(breath=breath), side, (side * 1.36, BAR_Y + 0.05), (side * 1.3, -3.85))

        return [
            Part((own, "legs", depth, squirm), lambda drawing: _legs(pen(drawing), look, depth, squirm), shift),
            Part((own, "trunk", breath, squirm), trunk, carried),
            Part((own, "head", face), lambda drawing: draw_head(pen(drawing).moved(0, neck_of(Posture())[1] + 0.05), look, face), carried),
        ]

    def _bystander(self, time: float, scale: float) -> list[Part]:
        people, place, look = self.people, PLACES["bystander"], self.people.look("bystander", time)
        own, shift = look is LOOKS["bystander"], people.shift("bystander", time, scale)
        posture = people.posture("bystander", time)
        covers = stepped(people.mood("bystander", time).disgust, 0.25)

        def pen(drawing: Drawing) -> Pen:
            return Pen(drawing, (place.x, place.y + 92), place.unit)

        def body(drawing: Drawing) -> None:
            _sitting_legs(pen(drawing), look)
            draw_arm(pen(drawing), look, posture, -1, (-0.55, -2.5), (-1.0, -3.3))
            draw_torso(pen(drawing), look, posture)

        def arm(drawing: Drawing) -> None:
            x, y = neck_of(posture)
            hand = (0.55 * (1 - covers) + (x + 0.12) * covers, -2.5 * (1 - covers) + (y - 0.08) * covers)
            draw_arm(pen(drawing), look, posture, 1, hand, (0.98, -3.3 - 0.6 * covers))

        head = people.head("bystander", time, scale, people.face("bystander", time, rest=-0.4), posture)
        return [
            Part((own, "sits", posture), body, shift),
            Part((head.pose, "sits"), head.paint, (head.shift[0], head.shift[1] + 2 * round(46 * scale))),
            Part((own, "sits-arm", posture, covers), arm, shift),
        ]


def _strained(face: Face, pushing: bool, depth: float) -> Face:  # noqa: FBT001
    """Return the lifter's face: set while the bar moves, teeth shown while pushing."""
    effort = pushing and depth > 0.05  # noqa: PLR2004
    return Face(turn=face.turn * 0.5, smile=-0.5 if effort or depth > 0.1 else 0.0, brow=-0.8 if effort else face.brow,  # noqa: PLR2004
                mouth=0.25 if effort else 0.0, blink=face.blink, blush=max(face.blush, 0.25 if effort else 0.0))


def _legs(pen: Pen, look: Look, depth: float, squirm: float) -> None:
    hips = -2.95 + DROP * depth
    skin, cloth = look.skin, look.legs
    for side in (-1, 1):
        hip = (side * (0.36 + 0.05 * squirm), hips)
        foot = (side * FEET, -0.24)
        knee = elbow(hip, foot, THIGH * (1 - 0.14 * depth), SHIN * (1 - 0.06 * depth), side)
        pen.fill(smooth([(foot[0] - 0.19, -0.2), (foot[0] + 0.19, -0.2), (foot[0] + 0.2 + 0.12 * side, 0.03), (foot[0] + 0.02 * side, 0.12), (foot[0] - 0.2 + 0.12 * side, 0.03)]),
                 look.shoes, shaded(look.shoes, 0.6))
        pen.fill(limb((*knee, 0.25), ((knee[0] + foot[0]) / 2 + 0.03 * side, (knee[1] + foot[1]) / 2, 0.24), (*foot, 0.15)), shaded(skin, 1.05), shaded(skin, 0.7), along=(1, 0.2))
        pen.fill(rounded(foot[0] - 0.17, -0.42, foot[0] + 0.17, -0.18, 0.06), (236, 236, 232), (190, 190, 190))
        hem = (hip[0] + 0.74 * (knee[0] - hip[0]), hip[1] + 0.74 * (knee[1] - hip[1]))
        pen.fill(limb((*hip, 0.4), (*knee, 0.26)), shaded(skin, 1.02), shaded(skin, 0.78), along=(1, 0.3))
        pen.fill(limb((*hip, 0.46), (*hem, 0.35)), shaded(cloth, 1.5), shaded(cloth, 0.8), along=(1, 0.3))
    pen.fill(limb((-0.34, hips, 0.46), (0.34, hips, 0.46)), shaded(cloth, 1.3), shaded(cloth, 0.75))
    pen.fill(rounded(-0.76, hips - 0.42, 0.76, hips - 0.2, 0.1), (92, 60, 38), (60, 38, 24))


def _bar(pen: Pen) -> None:
    pen.fill(stroke([(-4.3, BAR_Y + 0.1), (0, BAR_Y), (4.3, BAR_Y + 0.1)], 0.11), (238, 240, 242), (110, 114, 120))
    for side in (-1, 1):
        for at, radius, colour in PLATES:
            x = side * at
            pen.fill(rounded(x - 0.105, BAR_Y - radius, x + 0.105, BAR_Y + radius, 0.07), shaded(colour, 1.25), shaded(colour, 0.55), along=(1, 0.25))
            pen.fill(rounded(x - 0.08, BAR_Y - radius * 0.9, x - 0.03, BAR_Y + radius * 0.9, 0.02), (255, 255, 255), opacity=0.18)
        pen.fill(rounded(side * 3.92 - 0.07, BAR_Y - 0.14, side * 3.92 + 0.07, BAR_Y + 0.18, 0.04), (210, 212, 214), (120, 122, 126))


def _sitting_legs(pen: Pen, look: Look) -> None:
    for side in (-1, 1):
        pen.fill(limb((side * 0.5, -1.75, 0.24), (side * 0.55, -0.4, 0.17)), shaded(look.legs, 1.2), shaded(look.legs, 0.7), along=(1, 0.2))
        pen.fill(limb((side * 0.3, -2.6, 0.36), (side * 0.5, -1.9, 0.31)), shaded(look.legs, 1.6), shaded(look.legs, 0.9))
        pen.fill(smooth([(side * 0.56 - 0.19, -0.35), (side * 0.56 + 0.19, -0.35), (side * 0.6 + 0.22, -0.08), (side * 0.6 - 0.22, -0.08)]), look.shoes, shaded(look.shoes, 0.6))


def _hall(drawing: Drawing) -> None:
    drawing.fill(rectangle(0, 0, 1280, 560), (88, 96, 106), (126, 132, 138))
    for y in range(30, 560, 44):
        drawing.fill(rectangle(0, y, 1280, y + 2), (60, 66, 74), opacity=0.35)
    drawing.fill(rectangle(0, 548, 1280, 720), (52, 54, 60), (28, 29, 33))
    drawing.fill(rectangle(0, 542, 1280, 552), (34, 36, 40))
    for x in range(-900, 2300, 160):
        drawing.fill(stroke([(640 + (x - 640) * 0.62, 552), (x, 720)], 2), (20, 20, 24), opacity=0.7)
    for y in (588, 640):
        drawing.fill(rectangle(0, y, 1280, y + 2), (20, 20, 24), opacity=0.6)
    drawing.fill(polygon((250, 600), (950, 600), (1040, 704), (160, 704)), (108, 78, 54), (76, 54, 38))
    drawing.fill(polygon((250, 600), (950, 600), (1040, 704), (160, 704)), (255, 240, 210), opacity=0.06)
    for left in (140, 540, 940):
        drawing.fill(rounded(left, 14, left + 200, 30, 6), (255, 255, 246))
        drawing.glow((left + 100, 24), (240, 120), (240, 246, 255), 0.4)
    drawing.glow((600, 690), (330, 40), (10, 10, 12), 0.5)


def _mirror(drawing: Drawing) -> None:
    drawing.fill(rectangle(26, 84, 412, 506), (48, 52, 58))
    for left, right in ((34, 218), (222, 404)):
        drawing.fill(rectangle(left, 92, right, 498), (178, 196, 208), (120, 136, 148), along=(0.4, 1))
        drawing.fill(rectangle(left, 420, right, 498), (84, 92, 102), (66, 72, 80))
        drawing.fill(rectangle(left + 20, 104, right - 30, 112), (255, 255, 250), opacity=0.8)
        for shift, width in ((30, 46), (100, 16)):
            drawing.fill(polygon((left + shift + 70, 92), (left + shift + 70 + width, 92), (left + shift + width - 60, 498), (left + shift - 60, 498)),
                         (255, 255, 255), opacity=0.16, within=rectangle(left, 92, right, 498))


def _dumbbells(drawing: Drawing) -> None:
    for y in (436, 506):
        drawing.fill(rounded(48, y + 18, 388, y + 30, 4), (62, 64, 70), (34, 36, 40))
        for i in range(6):
            x = 78 + i * 54
            size = 12 + 1.4 * i
            drawing.fill(rectangle(x - 14, y + 2, x + 14, y + 8), (170, 174, 178), (110, 114, 118))
            for side in (-1, 1):
                drawing.fill(rounded(x + side * 15 - 6, y + 5 - size, x + side * 15 + 6, y + 5 + size, 4), (74, 76, 82), (26, 27, 30))
    for x in (58, 378):
        drawing.fill(rectangle(x - 5, 430, x + 5, 572), (46, 48, 54))


def _rack(drawing: Drawing) -> None:
    steel, dark = (204, 58, 48), (132, 34, 30)
    drawing.fill(rounded(410, 78, 790, 98, 4), steel, dark)
    for x in (428, 772):
        drawing.fill(rounded(x - 15, 66, x + 15, 600, 4), steel, dark, along=(1, 0.1))
        for y in range(100, 560, 27):
            drawing.fill(ellipse((x, y), 4), (40, 20, 20))
        drawing.fill(rounded(x - 46, 588, x + 46, 606, 5), dark, (80, 22, 20))
        drawing.fill(polygon((x - 18, 262), (x + 18, 262), (x + 18, 292), (x + 30, 292), (x + 30, 272), (x + 40, 272), (x + 40, 304), (x - 18, 304)), (60, 62, 68), (34, 36, 40))


def _bench(drawing: Drawing) -> None:
    drawing.glow((1072, 690), (190, 26), (0, 0, 0), 0.5)
    for x in (974, 1170):
        drawing.fill(rectangle(x - 8, 560, x + 8, 690), (80, 84, 90), (40, 42, 48), along=(1, 0))
    drawing.fill(rounded(944, 540, 1200, 572, 12), (44, 46, 54), (22, 23, 28))
    drawing.fill(rounded(952, 542, 1192, 550, 4), (255, 255, 255), opacity=0.12)
    drawing.fill(rounded(1206, 606, 1232, 690, 8), (72, 160, 190), (36, 96, 124), along=(1, 0))
    drawing.fill(rounded(1212, 592, 1226, 610, 3), (30, 32, 38))


