"""The built-in configurations: how often each commits which fault, and what a take of theirs draws.

No Django here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

import numpy as np

from simulation.local.takes import Reaction, Scene, Sound, Take, Timing, Voice


class Fault(StrEnum):
    """The faults a configuration states a rate for.

    A fault that a scene cannot have is never drawn there.
    """

    NO_EVENT = "no-event"
    TWO_EVENTS = "two-events"
    WRONG_SOURCE = "wrong-source"
    WRONG_TIMING = "wrong-timing"
    WRONG_SOUND = "wrong-sound"
    WRONG_REACTION = "wrong-reaction"
    NO_CREAK = "no-creak"
    NO_RECOVERY = "no-recovery"
    NOT_COMPLETED = "not-completed"
    LATE_SOUND = "late-sound"
    NO_SOUND = "no-sound"
    FROZEN = "frozen"
    BLACK = "black"
    SHAKING = "shaking"
    IDENTITY_SWAP = "identity-swap"
    COARSE_PICTURE = "coarse-picture"
    DAMAGED_SOUND = "damaged-sound"
    OTHER_FORMAT = "other-format"


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalConfiguration:
    """A variant of the built-in renderer with stated fault rates (probability per clip, 0..1)."""

    key: str
    description: str
    realism: tuple[float, float]  # drawn evenly between
    rates: Mapping[Fault, float]
    refuses: Mapping[Scene, float] = field(default_factory=dict)  # scene: probability
    fails: Mapping[Scene, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """The configuration declines the scene."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The configuration tries and breaks down."""

    reason: str


def _rates(facts: float, craft: float, **others: float) -> Mapping[Fault, float]:
    """Return rates for all faults from two figures: for what gates judge and for what ratings
    judge.
    """
    of_facts = {
        Fault.NO_EVENT: 0.5, Fault.TWO_EVENTS: 0.5, Fault.WRONG_SOURCE: 0.8,
        Fault.WRONG_TIMING: 0.8,
        Fault.WRONG_SOUND: 0.5, Fault.WRONG_REACTION: 1.0, Fault.NO_CREAK: 1.0,
        Fault.NO_RECOVERY: 1.0,
        Fault.NOT_COMPLETED: 0.8, Fault.NO_SOUND: 0.15,
    }  # fmt: skip
    of_craft = {
        Fault.LATE_SOUND: 0.8, Fault.FROZEN: 0.4, Fault.BLACK: 0.3, Fault.SHAKING: 1.0,
        Fault.IDENTITY_SWAP: 0.4,
        Fault.COARSE_PICTURE: 1.0, Fault.DAMAGED_SOUND: 0.6, Fault.OTHER_FORMAT: 0.4,
    }  # fmt: skip
    stated = {fault: part * facts for fault, part in of_facts.items()} | {
        f: p * craft for f, p in of_craft.items()
    }
    return stated | {Fault(name.replace("_", "-")): rate for name, rate in others.items()}


CONFIGURATIONS: tuple[LocalConfiguration, ...] = (
    LocalConfiguration(
        key="local-maestro", description="Hardly ever wrong, and sounds like the real thing.",
        realism=(0.92, 1.0), rates=_rates(0.02, 0.02),
    ),
    LocalConfiguration(
        key="local-robot", description="Gets the facts right nearly as often, with a voice that "
                                       "fools nobody.",
        realism=(0.05, 0.25), rates=_rates(0.1, 0.15),
    ),
    LocalConfiguration(
        key="local-journeyman", description="Solid work with a slip now and then.",
        realism=(0.65, 0.9), rates=_rates(0.2, 0.25),
    ),
    LocalConfiguration(
        key="local-modest", description="As a journeyman, a little less sure, and declines to film "
                                        "anyone at the gym.",
        realism=(0.6, 0.85), rates=_rates(0.22, 0.3), refuses={Scene.SQUAT: 1.0},
    ),
    LocalConfiguration(
        key="local-butterfingers", description="Often wrong, shakes, and breaks down on the "
                                               "creaking chair.",
        realism=(0.4, 0.7), rates=_rates(0.4, 0.5), fails={Scene.CHAIR: 1.0},
    ),
    LocalConfiguration(
        key="local-potato", description="Mostly wrong, blurred and out of step.",
        realism=(0.1, 0.4), rates=_rates(0.85, 0.8),
    ),
)  # fmt: skip


def configuration(key: str) -> LocalConfiguration:
    """Return the configuration of that name; raises KeyError when there is none."""
    return {one.key: one for one in CONFIGURATIONS}[key]


def draw_outcome(
    of: LocalConfiguration, scene: Scene, replicate: int, seed: int
) -> Take | Refused | Failed:
    """Return what commissioning one clip comes to: a take, a refusal or a failure; equal arguments,
    equal outcome.
    """
    chance = _generator(of, scene, replicate, seed, "outcome").random(2)
    if chance[0] < of.refuses.get(scene, 0.0):
        return Refused(
            f"{of.key} does not make clips of {scene}: its rules rule out people who exercise."
        )
    if chance[1] < of.fails.get(scene, 0.0):
        return Failed(f"{of.key} broke down while drawing {scene}: no clip was made.")
    return draw_take(of, scene, replicate, seed)


def draw_take(of: LocalConfiguration, scene: Scene, replicate: int, seed: int) -> Take:
    """Return the take with its faults drawn at the configuration's rates; equal arguments, equal
    take.

    Each fault has a generator of its own, so that a changed rate moves no other fault.
    """
    faults = {
        fault for fault in _possible(scene)
        if _generator(of, scene, replicate, seed, fault).random() < of.rates.get(fault, 0.0)
    }  # fmt: skip
    draw = _generator(of, scene, replicate, seed, "traits")
    fields: dict[str, Any] = {}
    for fault in Fault:  # a fixed order: what two faults set, the later one decides
        values = _fields_of(fault, scene, draw)
        fields |= values if fault in faults else {}
    return Take(
        scene=scene, seed=int(draw.integers(2**31)), realism=round(float(draw.uniform(*of.realism)),
                                                                   3),
        title=scene.value, comment=f"rendered by {of.key}", **fields,
    )  # fmt: skip


def _generator(
    of: LocalConfiguration, scene: Scene, replicate: int, seed: int, purpose: str
) -> np.random.Generator:
    """Return a generator from a stable hash of its arguments; Python's own hash changes from run to
    run.
    """
    name = "\n".join([of.key, scene, str(replicate), str(seed), purpose])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big"))


def _possible(scene: Scene) -> set[Fault]:
    """Return the faults that a scene can have."""
    own = {
        Fault.NO_CREAK: Scene.CHAIR,
        Fault.NO_RECOVERY: Scene.TOAST,
        Fault.NOT_COMPLETED: Scene.SQUAT,
    }
    if len(scene.cast) == 1:
        several = {Fault.WRONG_SOURCE, Fault.WRONG_REACTION}
    else:
        several = set()
    return {fault for fault in Fault if own.get(fault, scene) is scene} - several


def _fields_of(fault: Fault, scene: Scene, draw: np.random.Generator) -> dict[str, Any]:
    """Return the take's fields that a fault sets.

    It draws whether or not the fault is used, to keep draws in step.
    """
    part = draw.random(3)
    if part[0] < 0.5 or scene is Scene.SQUAT:
        early = Timing.EARLY
    else:
        early = Timing.LATE
    start, half = round(1.0 + 5.0 * float(part[1]), 2), int(part[0] * 2)
    if scene is Scene.CHAIR:
        voices = (Voice.AMBIGUOUS, Voice.CREAK, Voice.AMBIGUOUS)
    else:
        voices = (Voice.BEEP, Voice.CREAK, Voice.BEEP)
    fields: dict[Fault, dict[str, Any]] = {
        Fault.NO_EVENT: {"events": 0},
        Fault.TWO_EVENTS: {"events": 2},
        Fault.WRONG_SOURCE: {"wrong_source": True},
        Fault.WRONG_TIMING: {"timing": early},
        Fault.WRONG_SOUND: {"voice": voices[int(part[0] * 3)]},
        Fault.WRONG_REACTION: {"reaction": (Reaction.NOBODY, Reaction.SOMEONE_ELSE)[half]},
        Fault.NO_CREAK: {"chair_creaks": False},
        Fault.NO_RECOVERY: {"speech_resumes": False},
        Fault.NOT_COMPLETED: {"movement_completed": False},
        Fault.LATE_SOUND: {"audio_delay": round(0.12 + 0.4 * float(part[0]), 3)},
        Fault.NO_SOUND: {"sound": (Sound.SILENT, Sound.MISSING)[half]},
        Fault.FROZEN: {"frozen": (start, start + 1.2)},
        Fault.BLACK: {"black": (start, start + 0.5)},
        Fault.SHAKING: {"jitter": round(2 + 4 * float(part[0]), 1)},
        Fault.IDENTITY_SWAP: {"identity_swap": True},
        Fault.COARSE_PICTURE: {
            "blur": round(2 + 2 * float(part[0]), 1),
            "crf": 30 + int(part[1] * 6),
        },
        Fault.DAMAGED_SOUND: {"clicks": 1 + int(part[0] * 4), "gain": (1.0, 6.0)[int(part[1] * 2)]},
        Fault.OTHER_FORMAT: {"frame_rate": (16, 30)[half]},
    }
    return fields[fault]
