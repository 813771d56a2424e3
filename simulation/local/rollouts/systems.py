"""The built-in streaming systems: how often each commits which defect, and what a rollout draws.

No Django here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from generation.rollouts.geometry import Geometry
from simulation.local.rollouts.plan import STREAM, Defect, DefectKind, Fate, Response, RolloutPlan

DROPOUT_S = 0.25


@dataclass(frozen=True, slots=True, kw_only=True)
class RolloutSystem:
    """A variant of the built-in streamer.

    ``defects`` is the probability of a defect at each boundary, ``fates`` that of each way to
    follow an update (the rest is followed), ``dropouts`` the mean number in a minute, ``drift`` the
    contrast lost by the end. ``declares`` is whether its geometry is known.
    """

    key: str
    description: str
    geometry: Geometry = STREAM
    declares: bool = True
    defects: float = 0.0
    fates: Mapping[Fate, float]
    dropouts: float = 0.0
    drift: float = 0.0


SYSTEMS: tuple[RolloutSystem, ...] = (
    RolloutSystem(
        key="stream-steady", description="Follows nearly every update, and nothing breaks.",
        fates={Fate.LATE: 0.05, Fate.IGNORED: 0.03}, drift=0.05,
    ),
    RolloutSystem(
        key="stream-patchy", description="Quick to follow, and breaks where chunks meet.",
        defects=0.06, dropouts=1.0,
        fates={Fate.IGNORED: 0.15, Fate.LATE: 0.1}, drift=0.2,
    ),
    RolloutSystem(
        key="stream-deaf", description="Smooth, and ignores most of what it is told.",
        geometry=Geometry(33, 33, 24), fates={Fate.IGNORED: 0.7, Fate.LATE: 0.1}, drift=0.1,
    ),
    RolloutSystem(
        key="stream-forgetful", description="Follows, and loses it again.", defects=0.02,
        geometry=Geometry(9, 12, 16), fates={Fate.FORGOTTEN: 0.55, Fate.LATE: 0.1}, drift=0.3,
        dropouts=0.3,
    ),
    RolloutSystem(
        key="stream-fading", description="Begins well and fades; nobody knows where its chunks "
                                         "meet.", declares=False,
        fates={Fate.LATE: 0.3, Fate.IGNORED: 0.2}, drift=0.8, defects=0.01,
    ),
)  # fmt: skip


def system(key: str) -> RolloutSystem:
    """Return the system of that name. Raises KeyError when there is none."""
    return {one.key: one for one in SYSTEMS}[key]


def draw_plan(
    of: RolloutSystem,
    case: str,
    *,
    seconds: float,
    updates_s: Sequence[float],
    replicate: int = 1,
    seed: int = 0,
) -> RolloutPlan:
    """Return the rollout of one case, with updates at these times; equal arguments give equal
    plans.
    """
    name = "\n".join([of.key, case, str(replicate), str(seed)])
    random = np.random.default_rng(
        int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")
    )
    plan = RolloutPlan(int(random.integers(2**31)), seconds, geometry=of.geometry)
    broken = np.flatnonzero(random.random(len(plan.boundaries)) < of.defects)
    kinds = list(DefectKind)
    count = random.poisson(of.dropouts * seconds / 60)
    starts = sorted(random.uniform(1.0, seconds - 1.0, count).round(3).tolist())
    return RolloutPlan(
        seed=plan.seed,
        seconds=seconds,
        geometry=of.geometry,
        defects=tuple(
            Defect(kinds[int(random.integers(len(kinds)))], int(boundary)) for boundary in broken
        ),
        responses=tuple(
            Response(step, at, _fate(of, random)) for step, at in enumerate(updates_s, 1)
        ),
        dropouts=tuple((start, start + DROPOUT_S) for start in starts),
        drift=of.drift,
    )


def _fate(of: RolloutSystem, random: np.random.Generator) -> Fate:
    draw = float(random.random())
    for fate, share in of.fates.items():
        if draw < share:
            return fate
        draw -= share
    return Fate.FOLLOWED
