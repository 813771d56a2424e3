"""What of its rollouts a round looks at: a part of the scenarios, horizons, kinds of windows.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from pydantic import Field

from fartbench.errors import Refusal
from fartbench.protocol.parts import Key, Part
from fartbench.protocol.rollouts.forms import Asked, asked
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.units import units
from fartbench.protocol.rollouts.whole import Rollouts


class TooFew(Refusal):
    """A part was asked for that is larger than the whole, or cannot be even."""


class RoundPlan(Part):
    """What of each rollout is judged: over which horizons (s), which kinds of windows, by how many
    reviewers each.

    ``looks`` of 0 is the whole cohort. It is what `fartbench.models.Round.unit_plan` holds.
    """

    horizons: tuple[float, ...] = Field(min_length=1)
    kinds: tuple[Key, ...] = Field(min_length=1)
    looks: int = Field(default=0, ge=0)

    @property
    def in_words(self) -> str:
        """The plan for people."""
        horizons = ", ".join(f"{horizon:g}" for horizon in self.horizons)
        if self.looks:
            by = f"{self.looks} of the reviewers"
        else:
            by = "every reviewer"
        return f"over {horizons} s; windows of the kinds {', '.join(self.kinds)}; each seen by {by}"


class PlanRefused(Refusal):
    """A round asks for a horizon or a kind of window that its protocol does not have."""


def round_plan(
    rollouts: Rollouts,
    *,
    horizons: Iterable[float] | None,
    kinds: Iterable[str] | None,
    looks: int = 0,
) -> RoundPlan:
    """Return a plan; without horizons the longest is looked at, without kinds all of them.

    Raises PlanRefused.
    """
    there = sorted({horizon for one in rollouts.scenarios for horizon in one.horizons_s})
    known = [kind.kind for kind in rollouts.units.kinds]
    wanted = sorted(set(horizons or there[-1:]))
    if strange := [
        one
        for one in wanted
        if any(one not in scenario.horizons_s for scenario in rollouts.scenarios)
    ]:
        listed = ", ".join(f"{one:g}" for one in there)
        raise PlanRefused(
            f"No rollout is looked at over {strange[0]:g} s; horizons are {listed} s."
        )
    chosen = set(kinds or known)
    if unknown := sorted(chosen - set(known)):
        raise PlanRefused(
            f"There is no kind of window {unknown[0]!r}; there are {', '.join(known)}."
        )
    return RoundPlan(
        horizons=tuple(wanted), kinds=tuple(one for one in known if one in chosen), looks=looks
    )


def asked_of(rollouts: Rollouts, plan: RoundPlan, scenario: Scenario) -> list[Asked]:
    """Return every form that is asked about one rollout of a scenario, each unit once however many
    horizons have it.
    """
    found: dict[tuple[object, str], Asked] = {}
    for horizon in plan.horizons:
        for unit in units(rollouts.units, scenario, horizon_s=horizon):
            if unit.kind in plan.kinds:
                for one in asked(rollouts.forms, scenario, unit):
                    found.setdefault((unit, one.form), one)
    return list(found.values())


def even_part(scenarios: Sequence[Scenario], count: int, *, seed: int) -> list[Scenario]:
    """Return ``count`` scenarios, as many of each track and as evenly as can be from scene domains;
    equal seeds agree.

    Raises TooFew.
    """
    tracks = sorted({scenario.track for scenario in scenarios})
    share, odd = divmod(count, len(tracks))
    if odd:
        raise TooFew(f"{count} scenarios cannot be shared evenly between {' and '.join(tracks)}.")
    chosen = []
    for track in tracks:
        chosen += _from_track(scenarios, track, share, seed)
    return sorted(chosen, key=lambda scenario: scenario.key)


def _from_track(scenarios: Sequence[Scenario], track: str, share: int, seed: int) -> list[Scenario]:
    random = Random(f"{seed}/{track}")  # noqa: S311 - for an even choice that can be repeated
    domains: dict[str, list[Scenario]] = {}
    for scenario in sorted(scenarios, key=lambda one: one.key):
        if scenario.track == track:
            domains.setdefault(scenario.scene_domain, []).append(scenario)
    if sum(map(len, domains.values())) < share:
        raise TooFew(f"There are fewer than {share} {track} scenarios.")
    for found in domains.values():
        random.shuffle(found)
    order = sorted(domains)
    random.shuffle(order)
    turns = (
        domains[name][turn] for turn in range(share) for name in order if turn < len(domains[name])
    )
    return [scenario for scenario, _ in zip(turns, range(share), strict=False)]
