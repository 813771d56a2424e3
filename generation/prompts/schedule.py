"""The prompts of a rollout: what is given at which second, word for word as its scenario says. No
Django here.

The whole schedule is one prompt: its bytes are frozen, and equal for every configuration.
"""

from __future__ import annotations

import hashlib
import json

from fartbench.protocol.digest import canonical_bytes
from fartbench.protocol.rollouts.schema import Scenario
from generation.prompts.adapters import Rendered
from generation.prompts.timed import TimedPrompt

SCHEDULE, VERSION = "schedule", "1"


def render_schedule(scenario: Scenario) -> Rendered:
    """Return the prompts of a scenario as canonical JSON: a list of step, second and text."""
    body = canonical_bytes(
        [{"step": step, "at_s": at, "text": text} for step, at, text in scenario.prompts]
    )
    return Rendered(body, hashlib.sha256(body).hexdigest(), SCHEDULE, VERSION, ())


def read_schedule(text: str) -> tuple[TimedPrompt, ...]:
    """Return the prompts of a schedule with their times in seconds, P0 first."""
    return tuple(TimedPrompt(one["text"], one["at_s"]) for one in json.loads(text))
