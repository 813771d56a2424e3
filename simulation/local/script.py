"""When everything in a take happens: the one plan that picture, sound and truth all follow.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from simulation.local.takes import Reaction, Scene, Span, Take, Timing

# The squat's beats in seconds: the bar is held, goes down, rests at the bottom, goes up.
DESCENT: Span = (1.2, 2.5)
ASCENT: Span = (2.9, 5.1)
STUCK_AT = 0.55  # how much of the way up an attempt gets that is not completed
CREAK: Span = (2.0, 2.85)
SPEECH_STARTS, SPEECH_ENDS = 1.15, 7.6
SPEECH_BREAKS = 0.14  # seconds before the event that the speaker falls silent
SECOND_EVENT_AFTER = 1.35
REACTION_AFTER = 0.35


@dataclass(frozen=True, slots=True)
class Beat:
    """One event as it is acted and synthesised, before any fault of the file: seconds."""

    onset: float
    length: float

    @property
    def end(self) -> float:
        """When it is over."""
        return self.onset + self.length


@dataclass(frozen=True)
class Script:
    """The plan of one take, drawn from its scene and seed."""

    take: Take

    def random(self, purpose: int) -> np.random.Generator:
        """Return the generator for one purpose, the same for equal takes."""
        return np.random.default_rng([self.take.seed, list(Scene).index(self.take.scene), purpose])

    @cached_property
    def beats(self) -> tuple[Beat, ...]:
        """The events, in order."""
        draw = self.random(1)
        first = self._onset(float(draw.uniform(0.15, 0.75)))
        lengths = draw.uniform(0.62, 0.95, 2)
        return tuple(
            Beat(first + i * SECOND_EVENT_AFTER, float(lengths[i])) for i in range(self.take.events)
        )

    def _onset(self, part: float) -> float:
        start, end = self.take.scene.window
        if self.take.scene is Scene.SQUAT:
            # The window is 3 to 5 s and the rise takes most of it: keep well inside, or well on the
            # way down.
            return {
                Timing.RIGHT: 3.2 + part,
                Timing.EARLY: 1.5 + part * 0.7,
                Timing.LATE: 5.45 + part * 0.5,
            }[self.take.timing]
        early = 1.25 if self.take.scene is not Scene.CHAIR else 3.1
        return {
            Timing.RIGHT: start + part * (end - start),
            Timing.EARLY: early + part * 0.5,
            Timing.LATE: end + 0.6 + part * 0.6,
        }[self.take.timing]

    @cached_property
    def source(self) -> str | None:
        """Who breaks wind, if anybody does."""
        if not self.beats:
            return None
        return self.take.scene.cast[1 if self.take.wrong_source else 0]

    @cached_property
    def blamed(self) -> str | None:
        """Whom the others turn to; nobody when nothing happens or nobody cares."""
        cast = self.take.scene.cast
        if self.source is None or self.take.reaction is Reaction.NOBODY or len(cast) == 1:
            return None
        if self.take.reaction is Reaction.SOURCE:
            return self.source
        return next(who for who in cast if who != self.source)

    @cached_property
    def reacting(self) -> tuple[str, ...]:
        """Who turns to the blamed: all others but the source, who has reasons not to."""
        if self.blamed is None:
            return ()
        return tuple(who for who in self.take.scene.cast if who not in {self.blamed, self.source})

    @cached_property
    def reaction(self) -> Span | None:
        """When the others react: from, to."""
        if not self.beats or not self.reacting:
            return None
        return self.beats[0].onset + REACTION_AFTER, self.beats[-1].end + 2.0

    @cached_property
    def creak(self) -> Span | None:
        """When the chair creaks by itself."""
        if self.take.scene is Scene.CHAIR and self.take.chair_creaks:
            return CREAK
        return None

    @cached_property
    def speech(self) -> tuple[Span, ...]:
        """When the speaker talks."""
        if self.take.scene is not Scene.TOAST:
            return ()
        if not self.beats:
            return ((SPEECH_STARTS, SPEECH_ENDS),)
        before = (SPEECH_STARTS, max(SPEECH_STARTS + 0.05, self.beats[0].onset - SPEECH_BREAKS))
        after = (self.beats[-1].end + 0.85, max(SPEECH_ENDS, self.beats[-1].end + 1.6))
        if self.take.speech_resumes:
            return (before, after)
        return (before,)

    def depth(self, time: float) -> float:
        """Return how deep the squat is at a time: 0 upright, 1 at the bottom."""
        rise = _ease(time, *ASCENT) * (1.0 if self.take.movement_completed else STUCK_AT)
        if self.take.movement_completed:
            sink = 0.0
        else:
            sink = _ease(time, ASCENT[1] + 0.3, ASCENT[1] + 1.1) * STUCK_AT
        return min(_ease(time, *DESCENT), 1.0) - rise + sink


def pushing_up(time: float) -> bool:
    """Whether the lifter is on the way up at a time."""
    return ASCENT[0] <= time < ASCENT[1]


def going_down(time: float) -> bool:
    """Whether the lifter is on the way down at a time."""
    return DESCENT[0] <= time < DESCENT[1]


def _ease(time: float, start: float, end: float) -> float:
    part = min(max((time - start) / (end - start), 0.0), 1.0)
    return part * part * (3 - 2 * part)
