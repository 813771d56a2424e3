"""Where the prompts of a scenario stand on a drawn line of time. No Django here."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from fartbench.protocol.rollouts.schema import Scenario

WIDTH, MARGIN = 1000, 30
BASE, HIGHEST = 96, 18  # of the line, and how near to the top an arc may come
MODALITIES = {"joint": "picture and sound", "video": "picture alone", "audio": "sound alone"}
RISE = 0.28  # of an arc, for each unit between its ends


@dataclass(frozen=True, slots=True)
class Stretch:
    """From a prompt to the next one, or to the end; places in drawn units."""

    step: str
    modality: str
    at_s: float
    x: float
    width: float

    @property
    def middle(self) -> float:
        """The place of its label."""
        return round(self.x + self.width / 2, 1)


@dataclass(frozen=True, slots=True)
class Arc:
    """From the update that builds on another one back to that: ``path`` is an SVG path."""

    step: str
    source: str
    path: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """A scenario's prompts on a line from 0 s to its end, with a tick at every interval."""

    stretches: tuple[Stretch, ...]
    arcs: tuple[Arc, ...]
    ticks: tuple[tuple[float, float], ...]  # seconds, place

    @property
    def key(self) -> list[tuple[str, str]]:
        """What the colours stand for, those that are there."""
        there = {one.modality for one in self.stretches}
        return [(modality, words) for modality, words in MODALITIES.items() if modality in there]

    @property
    def in_words(self) -> str:
        """What the drawing shows, for those who do not see it."""
        steps = "; ".join(f"{one.step} at {one.at_s:g} s" for one in self.stretches)
        arcs = "".join(f"; {arc.step} builds on {arc.source}" for arc in self.arcs)
        return f"{steps}{arcs}; ends at {self.ticks[-1][0]:g} s"


def timeline(scenario: Scenario) -> Timeline:
    """Return the line of time of a scenario."""

    def place(seconds: float) -> float:
        return round(MARGIN + (WIDTH - 2 * MARGIN) * seconds / scenario.duration_s, 1)

    steps = [("P0", 0.0, "joint"), *((one.id, one.at_s, one.modality) for one in scenario.updates)]
    ends = [*(at for _, at, _ in steps), scenario.duration_s]
    stretches = tuple(
        Stretch(step, modality, at, place(at), round(place(end) - place(at), 1))
        for (step, at, modality), (_, end) in zip(steps, pairwise(ends), strict=True)
    )
    starts = {one.step: one.x for one in stretches}
    arcs = tuple(
        Arc(one.id, one.depends_on, _arc(starts[one.depends_on], starts[one.id]))
        for one in scenario.updates
        if one.depends_on in starts and one.depends_on is not None
    )
    count = int(scenario.duration_s // scenario.interval_s)
    ticks = tuple(
        (turn * scenario.interval_s, place(turn * scenario.interval_s)) for turn in range(count + 1)
    )
    return Timeline(stretches, arcs, ticks)


def _arc(source: float, here: float) -> str:
    top = max(HIGHEST, BASE - RISE * (here - source))
    # A quadratic curve reaches half way to its control point.
    return f"M{here} {BASE} Q{(source + here) / 2:g} {2 * top - BASE:g} {source} {BASE}"
