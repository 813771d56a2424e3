"""The configurations that the built-in renderer and the built-in streamer bring along, as rows."""

from __future__ import annotations

from dataclasses import asdict

from fartbench.protocol.schema import Protocol
from generation.models import Configuration, Family
from simulation import local
from simulation.local.pilot import KINDS
from simulation.local.rollouts.systems import SYSTEMS


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


def can_draw_clips(rules: Protocol) -> bool:
    """Say whether the built-in renderer draws every scene of a protocol."""
    known = {*local.Scene, *KINDS}
    return rules.rollouts is None and all(scene.key in known for scene in rules.scenes)


def can_draw_rollouts(rules: Protocol) -> bool:
    """Say whether the built-in streamer makes what a protocol asks for."""
    return rules.rollouts is not None
