"""Small moving rollouts with defects that are known: where, which, how long. No Django here."""

from simulation.local.rollouts.plan import (
    Defect,
    DefectKind,
    Fate,
    Response,
    RolloutPlan,
    RolloutTruth,
)
from simulation.local.rollouts.rendering import render_rollout

__all__ = [
    "Defect",
    "DefectKind",
    "Fate",
    "Response",
    "RolloutPlan",
    "RolloutTruth",
    "render_rollout",
]
