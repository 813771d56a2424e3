"""What a protocol file may say of AI judges: who they are, how they are asked and calibrated.

No Django here.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from fartbench.protocol.parts import Key, Name, Part, Text

Usd = Annotated[str, StringConstraints(pattern=r"^\d{1,6}(\.\d{1,6})?$")]
Variation = Literal["reversed", "muted", "no_picture"]


class Price(Part):
    """What a judge costs, in US dollars for a million tokens, and where that is said."""

    input_usd: Usd
    output_usd: Usd
    source: Text


class JudgeModel(Part):
    """One judge: a model, and the service that answers for it.

    ``settings`` are added to its requests as they stand. ``returned_as`` is the version that the
    service names in its answers, where that is not the model's own id.
    """

    name: Name
    label: Text
    service: Literal["gemini", "openai_compatible"]
    model: Text
    returned_as: Text | None = None
    price: Price | None = None
    settings: dict[str, Any] = Field(default_factory=dict)

    @property
    def version(self) -> str:
        """The version that every answer must name."""
        return self.returned_as or self.model


class Sampling(Part):
    """How a judge draws its answer."""

    temperature: float = Field(ge=0, le=2)
    seed: int
    max_output_tokens: int = Field(ge=256)
    thinking: Literal["minimal", "low", "medium", "high"]


class JudgeMedia(Part):
    """How a judge looks at the clip. A tenth of a second decides cause and effect, so the rate is
    set on purpose.

    ``of_forms`` are the rates of forms (by name) that need another one than all the rest.
    """

    frames_per_second: float = Field(gt=0, le=24)
    resolution: Literal["low", "medium", "high"]
    of_forms: dict[Key, Annotated[float, Field(gt=0, le=24)]] = Field(default_factory=dict)

    def rate(self, form: str) -> float:
        """Return the frames per second at which a judge looks at what is asked about with the form
        of this key.
        """
        return self.of_forms.get(form.partition(".")[0], self.frames_per_second)


class Safety(Part):
    """The safety categories of a service that has them, and the threshold from which it blocks."""

    categories: tuple[Text, ...]
    threshold: Text


class Share(Part):
    """A share as whole numbers, so that it is compared exactly: ``part`` of ``of``."""

    part: int = Field(ge=0)
    of: int = Field(gt=0)

    @model_validator(mode="after")
    def _is_a_share(self) -> Self:
        if self.part > self.of:
            raise ValueError(f"{self.part} of {self.of} is more than all")
        return self

    def reached(self, count: int, n: int) -> bool:
        """Say whether ``count`` of ``n`` is at least this share."""
        return count * self.of >= self.part * n


class Discrimination(Part):
    """When a judge has shown that it tells clips apart."""

    statistic: Literal["somers_d_within_scene"]
    interval: Literal["jackknife_over_configurations"]
    demonstrated: Literal["lower_limit_above_zero"]
    fewest_configurations: int = Field(ge=2)
    fewest_pairs: int = Field(ge=1)


class Calibration(Part):
    """When a judge counts as calibrated. ``mae_at_most`` in points of a scale."""

    facts: Share
    primary: Share
    fewest_clips: int = Field(ge=1)
    mae_at_most: int = Field(ge=0)
    fewest_ratings: int = Field(ge=1)
    most_missing: Share
    discrimination: Discrimination


class Judges(Part):
    """All that is said of judges. ``sensitivity`` are runs beside the frozen one, which they never
    replace.

    ``calibration`` is left out where judges are not held against people question by question.
    """

    instructions: Text
    sampling: Sampling
    media: JudgeMedia
    safety: Safety
    models: tuple[JudgeModel, ...] = Field(min_length=1)
    calibration: Calibration | None = None
    sensitivity: tuple[Variation, ...] = ()

    def model(self, name: str) -> JudgeModel:
        """Return the judge of this name. Raises KeyError when the protocol has none."""
        for found in self.models:
            if found.name == name:
                return found
        raise KeyError(name)
