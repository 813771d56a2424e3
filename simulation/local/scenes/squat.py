"""The Squat: a lifter with a loaded bar before a rack and a mirror, and somebody on a bench.

No Django here.
"""

from __future__ import annotations

from dataclasses import replace

from simulation.local.acting import Ensemble, Place, stepped
from simulation.local.bodies import Posture, draw_arm, draw_torso, neck_of
from simulation.local.canvas import Drawing
from simulation.local.faces import Face, Look, draw_head
from simulation.local.outlines import elbow, limb, rounded, smooth, stroke
from simulation.local.pen import Pen, shaded
from simulation.local.scenes.gym import draw_gym
from simulation.local.script import ASCENT, Script
from simulation.local.stage import Part

LOOKS = {
    "lifter": Look(
        (196, 142, 108),
        (40, 28, 24),
        "short",
        (196, 58, 52),
        (40, 44, 58),
        (236, 236, 232),
        "tank",
        extras=frozenset({"beard"}),
        broad=1.1,
    ),
    "bystander": Look(
        (236, 194, 164),
        (150, 92, 44),
        "bun",
        (52, 128, 140),
        (36, 40, 52),
        (240, 200, 70),
        "tee",
        extras=frozenset({"lips"}),
        broad=0.9,
    ),
}
SPARE = Look((120, 80, 58), (24, 20, 22), "buzz", (226, 190, 60), outfit="tank", legs=(84, 90, 98))
PLACES = {"lifter": Place(600, 668, 84), "bystander": Place(1072, 622, 62)}
FEET = 0.76  # head heights from the middle to each foot
DROP = 1.42  # head heights that the hips sink
THIGH, SHIN = 1.43, 1.37
BAR_Y = -4.72
PLATES = (
    (3.3, 1.0, (190, 44, 42)),
    (3.52, 0.94, (46, 84, 160)),
    (3.72, 0.66, (64, 66, 72)),
)  # at, radius, colour


class SquatPicture:
    """The gym, the lifter under the bar, and a bystander."""

    def __init__(self, script: Script) -> None:
        """Cast the scene for one script."""
        self.script = script
        self.people = Ensemble(script, PLACES, LOOKS, SPARE)

    def background(self) -> Drawing:
        """Return the gym."""
        return draw_gym()

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
                hand, middle = (side * 1.36, BAR_Y + 0.05), (side * 1.3, -3.85)
                draw_arm(pen(drawing), look, Posture(breath=breath), side, hand, middle=middle)

        return [
            Part(
                (own, "legs", depth, squirm),
                lambda drawing: _legs(pen(drawing), look, depth, squirm),
                shift,
            ),
            Part((own, "trunk", breath, squirm), trunk, carried),
            Part(
                (own, "head", face),
                lambda drawing: draw_head(
                    pen(drawing).moved(0, neck_of(Posture())[1] + 0.05), look, face
                ),
                carried,
            ),
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
            draw_arm(pen(drawing), look, posture, -1, (-0.55, -2.5), middle=(-1.0, -3.3))
            draw_torso(pen(drawing), look, posture)

        def arm(drawing: Drawing) -> None:
            x, y = neck_of(posture)
            hand = (
                0.55 * (1 - covers) + (x + 0.12) * covers,
                -2.5 * (1 - covers) + (y - 0.08) * covers,
            )
            draw_arm(pen(drawing), look, posture, 1, hand, middle=(0.98, -3.3 - 0.6 * covers))

        head = people.head(
            "bystander", time, scale, people.face("bystander", time, rest=-0.4), posture
        )
        return [
            Part((own, "sits", posture), body, shift),
            Part(
                (head.pose, "sits"),
                head.paint,
                (head.shift[0], head.shift[1] + 2 * round(46 * scale)),
            ),
            Part((own, "sits-arm", posture, covers), arm, shift),
        ]


def _strained(face: Face, pushing: bool, depth: float) -> Face:
    """Return the lifter's face: set while the bar is down, teeth shown while pushing."""
    rested = Face(
        turn=face.turn * 0.5,
        smile=0.0,
        brow=face.brow,
        mouth=0.0,
        blink=face.blink,
        blush=face.blush,
    )
    if depth <= 0:
        return rested
    if not pushing:
        return replace(rested, smile=-0.5)
    return replace(rested, smile=-0.5, brow=-0.8, mouth=0.25, blush=max(face.blush, 0.25))


def _legs(pen: Pen, look: Look, depth: float, squirm: float) -> None:
    hips = -2.95 + DROP * depth
    skin, cloth = look.skin, look.legs
    for side in (-1, 1):
        hip = (side * (0.36 + 0.05 * squirm), hips)
        foot = (side * FEET, -0.24)
        knee = elbow(hip, foot, THIGH * (1 - 0.14 * depth), SHIN * (1 - 0.06 * depth), side)
        _shoe(pen, look, foot[0], side)
        pen.fill(
            limb(
                (*knee, 0.25),
                ((knee[0] + foot[0]) / 2 + 0.03 * side, (knee[1] + foot[1]) / 2, 0.24),
                (*foot, 0.15),
            ),
            shaded(skin, 1.05),
            shaded(skin, 0.7),
            along=(1, 0.2),
        )
        pen.fill(
            rounded(foot[0] - 0.17, -0.42, foot[0] + 0.17, -0.18, 0.06),
            (236, 236, 232),
            (190, 190, 190),
        )
        hem = (hip[0] + 0.74 * (knee[0] - hip[0]), hip[1] + 0.74 * (knee[1] - hip[1]))
        pen.fill(
            limb((*hip, 0.4), (*knee, 0.26)), shaded(skin, 1.02), shaded(skin, 0.78), along=(1, 0.3)
        )
        pen.fill(
            limb((*hip, 0.46), (*hem, 0.35)), shaded(cloth, 1.5), shaded(cloth, 0.8), along=(1, 0.3)
        )
    pen.fill(limb((-0.34, hips, 0.46), (0.34, hips, 0.46)), shaded(cloth, 1.3), shaded(cloth, 0.75))
    pen.fill(rounded(-0.76, hips - 0.42, 0.76, hips - 0.2, 0.1), (92, 60, 38), (60, 38, 24))


def _shoe(pen: Pen, look: Look, x: float, side: int) -> None:
    outline = [
        (x - 0.19, -0.2),
        (x + 0.19, -0.2),
        (x + 0.2 + 0.12 * side, 0.03),
        (x + 0.02 * side, 0.12),
        (x - 0.2 + 0.12 * side, 0.03),
    ]
    pen.fill(smooth(outline), look.shoes, shaded(look.shoes, 0.6))


def _bar(pen: Pen) -> None:
    pen.fill(
        stroke([(-4.3, BAR_Y + 0.1), (0, BAR_Y), (4.3, BAR_Y + 0.1)], 0.11),
        (238, 240, 242),
        (110, 114, 120),
    )
    for side in (-1, 1):
        for at, radius, colour in PLATES:
            x = side * at
            pen.fill(
                rounded(x - 0.105, BAR_Y - radius, x + 0.105, BAR_Y + radius, 0.07),
                shaded(colour, 1.25),
                shaded(colour, 0.55),
                along=(1, 0.25),
            )
            pen.fill(
                rounded(x - 0.08, BAR_Y - radius * 0.9, x - 0.03, BAR_Y + radius * 0.9, 0.02),
                (255, 255, 255),
                opacity=0.18,
            )
        pen.fill(
            rounded(side * 3.92 - 0.07, BAR_Y - 0.14, side * 3.92 + 0.07, BAR_Y + 0.18, 0.04),
            (210, 212, 214),
            (120, 122, 126),
        )


def _sitting_legs(pen: Pen, look: Look) -> None:
    for side in (-1, 1):
        pen.fill(
            limb((side * 0.5, -1.75, 0.24), (side * 0.55, -0.4, 0.17)),
            shaded(look.legs, 1.2),
            shaded(look.legs, 0.7),
            along=(1, 0.2),
        )
        pen.fill(
            limb((side * 0.3, -2.6, 0.36), (side * 0.5, -1.9, 0.31)),
            shaded(look.legs, 1.6),
            shaded(look.legs, 0.9),
        )
        pen.fill(
            smooth(
                [
                    (side * 0.56 - 0.19, -0.35),
                    (side * 0.56 + 0.19, -0.35),
                    (side * 0.6 + 0.22, -0.08),
                    (side * 0.6 - 0.22, -0.08),
                ]
            ),
            look.shoes,
            shaded(look.shoes, 0.6),
        )
