"""What a scenario file may say. No Django here.

Only the shape is held here. What a set of scenarios promises (how many, which times, which sources
an update may have) is data, in the set's own ``constraints.yaml``, and is checked by
``authoring.claims``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from fartbench.protocol.parts import Key, Part, Text, Version

StepName = Annotated[str, StringConstraints(pattern=r"^P[0-9]$")]
LONGEST_S = 3600
"""No rollout is longer than an hour."""

Criterion = Text | None
"""A yes/no question about what the prompt demands; None where it demands nothing of the kind."""


class Update(Part):
    """A prompt that arrives while the rollout runs, at ``at_s`` seconds of media time.

    ``visual`` and ``audio`` are the parts of ``prompt`` that each modality is judged by;
    ``depends_on`` names the earlier step whose result this one uses.
    """

    id: StepName
    at_s: float = Field(ge=0)
    prompt: Text
    type: Key
    modality: Literal["video", "audio", "joint"]
    dependency: Literal["independent", "adjacent", "long_range"]
    depends_on: StepName | None = None
    visual: Text | None = None
    audio: Text | None = None


class Complexity(Part):
    """How much there is to keep apart: things seen, things going on, things heard."""

    entity: Key
    activity: Key
    audio: Key


class Scenario(Part):
    """One rollout to ask for; times in seconds of media time.

    The checklists are about ``prompt`` alone.
    """

    key: Key
    theme: Key
    title: Text
    track: Literal["progressive", "interactive"]
    duration_s: float = Field(gt=0, le=LONGEST_S)
    horizons_s: tuple[float, ...] = Field(min_length=1)
    interval_s: float = Field(ge=1)
    scene_domain: Key
    audio_domain: Key
    subject_category: Key
    visual_style: Key
    complexity: Complexity
    prompt: Text
    video_checklist: dict[Key, Criterion]
    audio_checklist: dict[Key, Criterion]
    updates: tuple[Update, ...] = ()

    def with_criteria(self, order: Mapping[str, Sequence[str]]) -> Scenario:
        """Return the scenario with both checklists in an order of criteria.

        Raises ValueError for one not in it.
        """
        lists = {"video": self.video_checklist, "audio": self.audio_checklist}
        for kind, found in lists.items():
            if unknown := sorted(found.keys() - set(order.get(kind, ()))):
                raise ValueError(f"{self.key}: there is no {kind} criterion {unknown[0]!r}")
        ordered = {
            f"{kind}_checklist": {key: found[key] for key in order.get(kind, ()) if key in found}
            for kind, found in lists.items()
        }
        return self.model_copy(update=ordered)

    def update(self, step: str) -> Update:
        """Return the update of this name. Raises KeyError when there is none."""
        for update in self.updates:
            if update.id == step:
                return update
        raise KeyError(step)

    @property
    def prompts(self) -> tuple[tuple[str, float, str], ...]:
        """Every prompt as (step, time in s, text), in order; the first is ``P0`` at 0 s."""
        return (("P0", 0.0, self.prompt), *((one.id, one.at_s, one.prompt) for one in self.updates))


class SetFile(Part):
    """``set.yaml``: what a folder of scenarios is.

    A ``part`` is held to the claims about single scenarios only.
    """

    name: Key
    version: Version
    title: Text
    extent: Literal["whole", "part"]
    constraints: Text
    note: Text
