"""Deals out attributes so that every published count is met at once. No Django here.

Counts come from the constraint file. What is ours is how they are joined: every interactive
scenario has one change of an entity's state, audio changes are heard and not seen, and the first
update depends on nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

from authoring.constraints import Constraints, Counts, Total
from fartbench.errors import Refusal

# How many updates at each of the five steps build on the one before, or on an earlier one; of 160.
ADJACENT = (0, 60, 60, 60, 60)
LONG_RANGE = (0, 0, 40, 40, 40)
# How many of each type are of each modality.
MODALITIES = {
    "agent_action": {"video": 200, "audio": 40, "joint": 200},
    "entity_state_change": {"video": 120, "joint": 40},
    "environment_change": {"video": 40, "joint": 40},
    "audio_change": {"audio": 120},
}


class NoAllocation(Refusal):
    """The constraints cannot be met by the plan that the generator follows."""


@dataclass(frozen=True, slots=True)
class UpdatePlan:
    """What an update will be; ``source`` is the place (0 is P1) of the update it builds on."""

    type: str
    modality: str
    dependency: str
    source: int | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What one scenario will be."""

    style: str
    entity: str
    activity: str
    audio: str
    updates: tuple[UpdatePlan, ...]


def allocate(constraints: Constraints, *, themes: int, random: Random) -> dict[str, list[Plan]]:
    """Return a plan for each theme in each track.

    Raises NoAllocation when the constraint file asks for other counts than this plan can give.
    """
    styles = _styles(constraints, themes)
    plans: dict[str, list[Plan]] = {}
    for track in counts(constraints, "per_track"):
        looks = _dealt(styles, random)
        levels = [
            _dealt(counts(constraints, name), random) for name in ("entity", "activity", "audio")
        ]
        if any(len(column) != themes for column in (looks, *levels)):
            raise NoAllocation(f"The counts of {track} scenarios do not add up to {themes}.")
        if track == "interactive":
            updates = _updates(constraints, themes, random)
        else:
            updates = [()] * themes
        plans[track] = [Plan(*row) for row in zip(looks, *levels, updates, strict=True)]
    return plans


def counts(constraints: Constraints, claim: str) -> Mapping[str, int]:
    """Return the counts of one claim. Raises NoAllocation when it is not one of counts."""
    rule = constraints.claim(claim)
    if not isinstance(rule, Counts):
        raise NoAllocation(f"{claim} is not a claim of counts.")
    return rule.equals


def _styles(constraints: Constraints, themes: int) -> dict[str, int]:
    """Return how many scenarios of a track are of each style: the published share photorealistic,
    the rest even.
    """
    real = constraints.claim("photorealistic_per_track")
    names = constraints.claim("style_names")
    if not isinstance(real, Total) or names.kind != "every":
        raise NoAllocation("The claims about styles are not of the kinds the generator reads.")
    first, *others = (str(name) for name in names.among)
    left = themes - real.equals
    return {first: real.equals} | {
        name: left // len(others) + (place < left % len(others))
        for place, name in enumerate(others)
    }


def _dealt(wanted: Mapping[str, int], random: Random) -> list[str]:
    dealt = []
    for name, count in wanted.items():
        dealt += [name] * count
    random.shuffle(dealt)
    return dealt


def _updates(constraints: Constraints, themes: int, random: Random) -> list[tuple[UpdatePlan, ...]]:
    types = _types(counts(constraints, "type"), themes, random)
    _refuse_unjoinable(counts(constraints, "type"), counts(constraints, "modality"))
    modalities = {kind: _dealt(shares, random) for kind, shares in MODALITIES.items()}
    dependencies = [_dealt_step(step, themes, random) for step in range(len(ADJACENT))]
    dealt = Counter(name for column in dependencies for name in column)
    if dealt != Counter(counts(constraints, "dependency")):
        raise NoAllocation(
            f"Dependencies are dealt as {dict(dealt)}, which is not what the claim says."
        )
    plans = []
    for scenario in range(themes):
        plan = []
        for step, kind in enumerate(types[scenario]):
            dependency = dependencies[step][scenario]
            source = _source(dependency, step, random)
            plan.append(UpdatePlan(kind, modalities[kind].pop(), dependency, source))
        plans.append(tuple(plan))
    return plans


def _refuse_unjoinable(types: Mapping[str, int], modalities: Mapping[str, int]) -> None:
    """Raise NoAllocation unless the counts are those of the table MODALITIES."""
    of_type, of_modality = Counter[str](), Counter[str]()
    for kind, shares in MODALITIES.items():
        of_type[kind] = sum(shares.values())
        of_modality.update(shares)
    has_types = all(of_type[kind] == count for kind, count in types.items())
    if not has_types or any(of_modality[name] != count for name, count in modalities.items()):
        raise NoAllocation(
            "Types and modalities of updates cannot be joined as the generator joins them."
        )


def _types(wanted: Mapping[str, int], themes: int, random: Random) -> list[list[str]]:
    """Return the types of each scenario's updates: one change of a state, at most one of each other
    change.
    """
    with_weather = _dealt(
        {"yes": wanted["environment_change"], "no": themes - wanted["environment_change"]}, random
    )
    with_audio = _dealt(
        {"yes": wanted["audio_change"], "no": themes - wanted["audio_change"]}, random
    )
    types = []
    for weather, audio in zip(with_weather, with_audio, strict=True):
        row = ["entity_state_change"]
        row += ["environment_change"] * (weather == "yes") + ["audio_change"] * (audio == "yes")
        row += ["agent_action"] * (len(ADJACENT) - len(row))
        random.shuffle(row)
        types.append(row)
    return types


def _dealt_step(step: int, themes: int, random: Random) -> list[str]:
    shares = {"adjacent": ADJACENT[step], "long_range": LONG_RANGE[step]}
    return _dealt(shares | {"independent": themes - sum(shares.values())}, random)


def _source(dependency: str, step: int, random: Random) -> int | None:
    if dependency == "independent":
        return None
    if dependency == "adjacent":
        return step - 1
    return random.randrange(step - 1)
