"""The built-in local clip renderer: four scenes, known ground truth, faults that can be set.

No Django here.
"""

from simulation.local.configurations import (
    CONFIGURATIONS,
    Failed,
    Fault,
    LocalConfiguration,
    Refused,
    configuration,
    draw_outcome,
    draw_take,
)
from simulation.local.errors import RenderFailed, TakeImpossible
from simulation.local.rendering import render
from simulation.local.takes import Reaction, Scene, Sound, Take, Timing, Voice
from simulation.local.truth import Answers, Event, Truth, truth_of

__all__ = [
    "CONFIGURATIONS",
    "Answers",
    "Event",
    "Failed",
    "Fault",
    "LocalConfiguration",
    "Reaction",
    "Refused",
    "RenderFailed",
    "Scene",
    "Sound",
    "Take",
    "TakeImpossible",
    "Timing",
    "Truth",
    "Voice",
    "configuration",
    "draw_outcome",
    "draw_take",
    "render",
    "truth_of",
]
