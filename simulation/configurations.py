"""The configurations that the built-in renderer and the built-in streamer bring along, as rows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict

from fartbench.protocol.schema import Protocol
from generation.models import Configuration, Family
from simulation import local
from simulation.local.pilot import KINDS
from simulation.local.rollouts.systems import SYSTEMS


def make_built_in(names: Collection[str]) -> None:
    """Make the rows of those built-in configurations whose names are among ``names``."""
    if any(one.key in names for one in local.CONFIGURATIONS):
        local_configurations()
    if any(one.key in names for one in SYSTEMS):
        built_in_systems()


def local_configurations() -> list[Configuration]:
    """Return the built-in provider's configurations, made when they are not there yet."""
    family, _ = Family.objects.get_or_create(name="local", defaults={"label": "Built-in renderer"})
    return [
        Configuration.objects.get_or_create(
            name=one.key,
            defaults={"label": one.key, "family": family, "provider": "local", "model_id": one.key},
        )[0]
        for one in local.CONFIGURATIONS
    ]


def built_in_systems() -> list[Configuration]:
    """Return the configurations of the built-in streamer, made when they are not there yet."""
    family, _ = Family.objects.get_or_create(
        name="local-rollouts", defaults={"label": "Built-in streamer"}
    )
    return [
        Configuration.objects.get_or_create(
            name=one.key,
            defaults={
                "label": one.key, "family": family, "provider": "local-rollouts",
                "model_id": one.key,
                "track": "streaming", "geometry": asdict(one.geometry) if one.declares else None,
            },
        )[0]
        for one in SYSTEMS
    ]  # fmt: skip


def suitable_names(rules: Protocol) -> list[str]:
    """Return the configurations that can make everything that a protocol asks for."""
    if rules.rollouts is not None:
        return [one.key for one in SYSTEMS]
    drawn_scenes = {*local.Scene, *KINDS}
    if all(scene.key in drawn_scenes for scene in rules.scenes):
        return [one.key for one in local.CONFIGURATIONS]
    return []
