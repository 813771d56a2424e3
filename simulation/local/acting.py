"""How each person behaves at each moment of a script: attention, discomfort, disgust.

No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import pi, sin
from typing import NamedTuple

import numpy as np

from simulation.local.bodies import HEAD_AT, Posture, draw_arm, draw_legs, draw_torso, neck_of
from simulation.local.canvas import Drawing
from simulation.local.faces import Face, Look, draw_head
from simulation.local.outlines import Point
from simulation.local.pen import Pen
from simulation.local.script import Script
from simulation.local.stage import Part


def ramp(time: float, start: float, length: float) -> float:
    """Return 0 before ``start`` and 1 after ``start + length`` (seconds), smooth between."""
    part = min(max((time - start) / length, 0.0), 1.0)
    return part * part * (3 - 2 * part)


def held(time: float, start: float, end: float, length: float = 0.35) -> float:
    """Return 1 between start and end, with smooth ways there and back of ``length`` seconds."""
    return ramp(time, start, length) * (1 - ramp(time, end, length))


def stepped(value: float, step: float) -> float:
    """Return the value on a grid, so that poses repeat and are painted once."""
    return round(round(value / step) * step, 4)


class Place(NamedTuple):
    """Where a person is: feet in scene units, and the head's height there."""

    x: float
    y: float
    unit: float


@dataclass(frozen=True, slots=True)
class Mood:
    """What a moment does to a person; everything from 0 to 1 but ``turn`` (-1..1)."""

    turn: float = 0.0
    noticing: float = 0.0
    squirm: float = 0.0
    shame: float = 0.0
    disgust: float = 0.0


class Ensemble:
    """The people of a scene and how they feel at a time."""

    def __init__(
        self, script: Script, places: Mapping[str, Place], looks: Mapping[str, Look], spare: Look
    ) -> None:
        """``spare`` is the look that comes in when identities swap."""
        self.script = script
        self.places = places
        self.looks = looks
        names = list(places)
        changed = [*(looks[name] for name in names[1:]), spare]
        self._swapped = dict(zip(names, changed, strict=True))

    def look(self, who: str, time: float) -> Look:
        """Return what somebody looks like at a time; a take with swapped identities changes that
        half way.
        """
        swap = self.script.take.identity_swap and time >= self.script.take.duration / 2
        if swap:
            return self._swapped[who]
        return self.looks[who]

    def mood(self, who: str, time: float) -> Mood:
        """Return what the events so far do to somebody."""
        script, beats = self.script, self.script.beats
        squirm = max((held(time, beat.onset - 0.12, beat.end, 0.16) for beat in beats), default=0.0)
        if who == script.source:
            shame = ramp(time, beats[0].onset + 0.25, 0.7) * (
                1 - 0.5 * ramp(time, beats[-1].end + 2.2, 0.8)
            )
            return Mood(squirm=squirm, shame=shame, turn=0.15 * shame)
        if script.reaction is None or who not in script.reacting:
            return Mood()
        order = script.reacting.index(who)
        start, end = script.reaction[0] + 0.13 * order, script.reaction[1] + 0.2 * order
        noticing = held(time, start, end)
        blamed = self.places[script.blamed or who]
        towards = float(np.clip((blamed.x - self.places[who].x) / 320, -0.85, 0.85))
        return Mood(
            turn=towards * noticing, noticing=noticing, disgust=held(time, start + 0.5, end - 0.3)
        )

    def face(self, who: str, time: float, mouth: float = 0.0, rest: float = 0.0) -> Face:
        """Return somebody's expression; ``rest`` is where they look when nothing happens."""
        mood = self.mood(who, time)
        order = list(self.places).index(who)
        idle = 0.1 * sin(2 * pi * (time / (5.1 + order) + 0.37 * order))
        engaged = max(mood.noticing, mood.squirm)
        return Face(
            turn=stepped(mood.turn + (rest + idle) * (1 - engaged), 1 / 6),
            tilt=stepped(0.09 * mood.disgust * (1 if mood.turn < 0 else -1) + 0.05 * idle, 0.03),
            nod=stepped(0.05 * mood.shame, 0.025),
            mouth=stepped(mouth, 1 / 3),
            smile=stepped(0.35 - 1.1 * max(mood.disgust, 0.8 * mood.shame, mood.squirm), 0.35),
            brow=stepped(
                max(mood.squirm, 0.8 * mood.shame, mood.noticing * (1 - mood.disgust))
                - 0.8 * mood.disgust,
                0.4,
            ),
            blink=(time + 1.3 * order) % (3.1 + 0.4 * order) < 0.13,
            blush=stepped(mood.shame, 0.25),
            gaze=stepped(0.8 * mood.shame, 0.4),
        )

    def posture(self, who: str, time: float) -> Posture:
        """Return how somebody holds the body: breathing, shifting the hips, leaning away."""
        mood = self.mood(who, time)
        order = list(self.places).index(who)
        away = -1 if mood.turn > 0 else 1
        return Posture(
            lean=stepped(
                0.26 * mood.noticing * away * abs(mood.turn) / 0.85 + 0.1 * mood.squirm, 0.08
            ),
            breath=stepped(0.02 * (1 + sin(2 * pi * (time / 3.4 + 0.29 * order))), 0.02),
            hips=stepped(0.2 * mood.squirm, 0.05),
        )

    def shift(self, who: str, time: float, scale: float) -> tuple[int, int]:
        """Return by how many device pixels a take that shakes moves somebody at a time."""
        take = self.script.take
        if not take.jitter:
            return 0, 0
        frame, order = round(time * take.frame_rate), list(self.places).index(who)
        x, y = (
            np.random.default_rng([take.seed, frame, order])
            .normal(0, take.jitter * scale / 2, 2)
            .round()
        )
        return 2 * int(x), 2 * int(y)

    def standing(
        self,
        who: str,
        time: float,
        scale: float,
        *,
        mouth: float = 0.0,
        rest: float = 0.0,
        side: int = 1,
        hand: Point | None = None,
        nose: bool = True,
    ) -> list[Part]:
        """Return the legs, body and head of somebody who stands, then the arm at ``side`` that can
        go to the nose.

        ``hand`` is where the other hand is; without ``nose`` the arm at ``side`` is left to the
        caller.
        """
        look, place = self.look(who, time), self.places[who]
        posture, shift = self.posture(who, time), self.shift(who, time, scale)
        own = look is self.looks[who]

        def pen(drawing: Drawing) -> Pen:
            return Pen(drawing, (place.x, place.y), place.unit)

        def body(drawing: Drawing) -> None:
            draw_arm(pen(drawing), look, posture, -side, hand)
            draw_torso(pen(drawing), look, posture)

        parts = [
            Part((who, own, "legs"), lambda drawing: draw_legs(pen(drawing), look), shift),
            Part((who, own, "body", posture, hand), body, shift),
            self.head(who, time, scale, self.face(who, time, mouth, rest), posture),
        ]
        if not nose:
            return parts
        return [*parts, self._nose_arm(who, time, scale, posture.lean, side)]

    def _nose_arm(self, who: str, time: float, scale: float, lean: float, side: int) -> Part:
        """Return the arm that hangs and, in disgust, covers the nose."""
        look, place, posture = self.look(who, time), self.places[who], Posture(lean=lean)
        covers = stepped(self.mood(who, time).disgust, 0.2)

        def paint(drawing: Drawing) -> None:
            hand, middle = _to_nose(posture, side, covers)
            draw_arm(
                Pen(drawing, (place.x, place.y), place.unit),
                look,
                posture,
                side,
                hand,
                middle=middle,
            )

        return Part(
            (who, look is self.looks[who], "arm", lean, covers), paint, self.shift(who, time, scale)
        )

    def head(self, who: str, time: float, scale: float, face: Face, posture: Posture) -> Part:
        """Return somebody's head. It is painted upright and carried by the body in even pixels:
        fewer to paint.
        """
        look, place = self.look(who, time), self.places[who]
        shift, neck = self.shift(who, time, scale), neck_of(posture)
        right, down = (
            2 * round(part * place.unit * scale / 2) for part in (neck[0], neck[1] - HEAD_AT)
        )

        def paint(drawing: Drawing) -> None:
            draw_head(Pen(drawing, (place.x, place.y), place.unit).moved(0, HEAD_AT), look, face)

        return Part(
            (who, look is self.looks[who], "head", face), paint, (shift[0] + right, shift[1] + down)
        )


def _to_nose(posture: Posture, side: int, covers: float) -> tuple[Point | None, Point | None]:
    """Return hand and elbow of an arm on its way from hanging down to the nose."""
    if not covers:
        return None, None
    neck = neck_of(posture)
    hand = (
        side * (0.92 - 0.78 * covers) + neck[0] * covers,
        -2.36 + (neck[1] - 0.1 + 2.36) * covers,
    )
    middle = (side * 0.86 + 0.6 * posture.lean, -3.42 - 0.6 * covers)
    return hand, middle
