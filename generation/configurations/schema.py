"""What a configuration file may say. Unknown keys and unknown parameters are refused.

No Django here.
"""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from fartbench.protocol.parts import Key
from generation.configurations.parameters import PARAMETERS, unknown_parameters

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Day = Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]


class Part(BaseModel):
    """A frozen piece of a configuration that knows every key it accepts."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Source(Part):
    """Where a figure or a convention was read, and when."""

    title: Text
    url: str | None = None
    retrieved: Day

    @property
    def day(self) -> date:
        """The day of retrieval."""
        return date.fromisoformat(self.retrieved)


class PriceRule(Part):
    """What a clip costs: dollars per second or per million output tokens, or unknown. Never a
    guess.

    ``usage_rate`` is applied to what the provider reports it used; ``per_second`` is for the
    estimate before a clip.
    """

    id: Text
    per_second: Text | None = None
    per_million_tokens: Text | None = None
    reported: Literal["usd", "usd_ticks", "credits"] | None = None
    source: Source | None = None
    note: str = ""

    @model_validator(mode="after")
    def _a_price_has_a_source(self) -> Self:
        for name in ("per_second", "per_million_tokens"):
            figure = getattr(self, name)
            if figure is not None and not re.fullmatch(r"\d+(\.\d+)?", figure):
                raise ValueError(
                    f"{name} {figure!r} is not an amount; write it as text, such as '0.40'"
                )
        if (self.per_second or self.per_million_tokens) and self.source is None:
            raise ValueError("a price needs its source, with the date it was read")
        return self

    @property
    def known(self) -> bool:
        """Say whether a clip can be estimated before it is bought."""
        return self.per_second is not None

    def for_seconds(self, seconds: float) -> Decimal | None:
        """Return the price of ``seconds`` of clip, or None when it is unknown."""
        if self.per_second is None:
            return None
        return Decimal(self.per_second) * Decimal(str(seconds))


class PromptLimit(Part):
    """The longest prompt that the provider takes; a longer one is refused, never cut."""

    units: Literal["characters", "utf16", "bytes"]
    at_most: int = Field(gt=0)

    def length(self, text: str) -> int:
        """Return the length of ``text`` in this limit's units."""
        if self.units == "utf16":
            return len(text.encode("utf-16-le")) // 2
        if self.units == "bytes":
            return len(text.encode())
        return len(text)


class Seed(Part):
    """The provider's name for an integer seed. A configuration without one has no seed: it is never
    emulated.
    """

    parameter: Text


class Fixed(Part):
    """What the protocol fixes for every configuration (Core v0.1 document, section 7)."""

    duration_s: float
    aspect_ratio: Text
    resolution: Text
    candidates: int | None = None
    prompt_enhancer: Literal["off", "none exposed", "cannot be switched off"]
    negative_prompt: Literal["unused", "sent empty", "none exposed"]
    reference_media: Literal["none"]
    audio: Literal["native"]


class ChunkShape(Part):
    """How a streaming model makes its rollouts, where its maker says so: pictures of the first
    chunk and of each later one, and pictures a second.
    """

    first: int = Field(ge=1)
    next: int = Field(ge=1)
    frame_rate: int = Field(ge=1)


class ConfigurationFile(Part):
    """A whole configuration file: the identity of what is tested."""

    name: Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9._-]{0,79}$")]
    label: Text
    family: Text
    family_label: Text
    maker: Text
    track: Key
    provider: Text
    route: Text
    model_id: Text
    prompt_adapter: Text
    fixed: Fixed
    parameters: dict[str, Any]
    seed: Seed | None
    geometry: ChunkShape | None = None
    preprocessing: str | None
    price: PriceRule
    prompt_limit: PromptLimit | None
    retired_on: Day | None = None
    expected_model: str | None = None
    sources: tuple[Source, ...] = Field(min_length=1)
    notes: tuple[Text, ...] = ()

    @model_validator(mode="after")
    def _names_are_known(self) -> Self:
        if self.provider not in PARAMETERS:
            raise ValueError(
                f"provider {self.provider!r} is not one of: {', '.join(sorted(PARAMETERS))}"
            )
        if unknown := unknown_parameters(self.provider, self.parameters):
            raise ValueError(f"{self.provider} has no parameter {unknown[0]!r}")
        if self.seed and unknown_parameters(self.provider, {self.seed.parameter: 0}):
            raise ValueError(f"{self.provider} has no seed parameter {self.seed.parameter!r}")
        if self.track == "legacy" and self.retired_on is None:
            raise ValueError("a Legacy configuration says when it was retired")
        return self
