"""What a rollout will hold: chunks, defects, how updates are followed. No Django here."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any, Literal

from generation.rollouts.geometry import Geometry
from simulation.local.errors import TakeImpossible
from simulation.local.takes import Span

STREAM = Geometry(25, 24, 24)
"""One of the geometries that the public evaluation code of StreamAV-Bench knows: 24 pictures a
second, 25 and 24.
"""


class DefectKind(StrEnum):
    """What can go wrong where two chunks meet; the words say how long from the boundary on."""

    BLACK = "black"  # half a second of black
    REPEATED = "repeated"  # for one second each picture is held for a quarter of it
    FROZEN = "frozen"  # one picture for three quarters of a second
    FLASH = "flash"  # two white pictures, an eighth of a second apart


SECONDS = {
    DefectKind.BLACK: 0.5,
    DefectKind.REPEATED: 1.0,
    DefectKind.FROZEN: 0.75,
    DefectKind.FLASH: 0.25,
}


@dataclass(frozen=True, slots=True)
class Defect:
    """A defect at one boundary; ``boundary`` counts from 0, the first place where two chunks
    meet.
    """

    kind: DefectKind
    boundary: int


class Fate(StrEnum):
    """How an update is followed: soon and for good, late, never, or for a while and then no
    more.
    """

    FOLLOWED = "followed"
    LATE = "late"
    IGNORED = "ignored"
    FORGOTTEN = "forgotten"


AFTER_S = {Fate.FOLLOWED: 2.0, Fate.LATE: 20.0, Fate.FORGOTTEN: 2.0}
FORGOTTEN_AFTER_S = 12.0


@dataclass(frozen=True, slots=True)
class Response:
    """What the rollout makes of one update that arrives at ``at_s`` seconds of media time."""

    step: int
    at_s: float
    fate: Fate = Fate.FOLLOWED
    modality: Literal["video", "audio", "joint"] = "joint"

    @property
    def span(self) -> Span | None:
        """When the update's target is seen or heard, in seconds; None when it never is."""
        if self.fate is Fate.IGNORED:
            return None
        start = self.at_s + AFTER_S[self.fate]
        return start, start + FORGOTTEN_AFTER_S if self.fate is Fate.FORGOTTEN else float("inf")

    @property
    def seen(self) -> bool:
        """Say whether it changes the picture."""
        return self.modality != "audio"

    @property
    def heard(self) -> bool:
        """Say whether it changes the sound."""
        return self.modality != "video"


@dataclass(frozen=True, slots=True)
class RolloutPlan:
    """One rollout: equal plans give equal pictures and sound.

    ``drift`` is how much of the contrast is gone at the end (0 none, 1 all); ``dropouts`` are spans
    of dead silence.
    """

    seed: int = 0
    seconds: float = 180.0
    width: int = 320
    height: int = 180
    geometry: Geometry = STREAM
    defects: tuple[Defect, ...] = ()
    responses: tuple[Response, ...] = ()
    dropouts: tuple[Span, ...] = ()
    drift: float = 0.0

    def __post_init__(self) -> None:
        if self.width % 2 or self.height % 2 or not 0 <= self.drift <= 1:
            raise TakeImpossible("A rollout has even sides, and a drift from 0 to 1.")
        last = len(self.boundaries) - 1
        if wrong := [one.boundary for one in self.defects if not 0 <= one.boundary <= last]:
            raise TakeImpossible(
                f"There is no boundary {wrong[0]}; this rollout has boundaries 0 to {last}."
            )

    @property
    def frames(self) -> int:
        """How many pictures it has."""
        return round(self.seconds * self.geometry.frame_rate)

    @property
    def boundaries(self) -> list[int]:
        """The places where its chunks meet."""
        return self.geometry.boundaries(self.frames)

    def span(self, defect: Defect) -> Span:
        """Return when a defect is seen, in seconds."""
        start = self.boundaries[defect.boundary] / self.geometry.frame_rate
        return start, min(start + SECONDS[defect.kind], self.seconds)


@dataclass(frozen=True, slots=True)
class RolloutTruth:
    """The ground truth of a rollout; times in seconds, places in pictures."""

    seconds: float
    frames: int
    boundaries: tuple[int, ...]
    defects: tuple[tuple[str, int, Span], ...]
    responses: tuple[
        tuple[int, str, float | None, float | None], ...
    ]  # step, fate, seen or heard from, until
    dropouts: tuple[Span, ...]
    drift: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


def truth_of(plan: RolloutPlan) -> RolloutTruth:
    """Return what a plan will hold, without rendering it."""
    responses = []
    for one in plan.responses:
        start, end = one.span or (None, None)
        shown = start is not None and start < plan.seconds
        if shown and end is not None and end < plan.seconds:
            until = end
        else:
            until = None
        responses.append((one.step, str(one.fate), start if shown else None, until))
    return RolloutTruth(
        seconds=plan.frames / plan.geometry.frame_rate,
        frames=plan.frames,
        boundaries=tuple(plan.boundaries),
        defects=tuple((str(one.kind), one.boundary, plan.span(one)) for one in plan.defects),
        responses=tuple(responses),
        dropouts=plan.dropouts,
        drift=plan.drift,
    )
