"""The table of metrics, as data. No Django here."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, StringConstraints, model_validator

from fartbench.protocol.parts import Key, Part, Text
from fartbench.protocol.rollouts.reading import read_model
from fartbench.protocol.rollouts.schema import Scenario

Code = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z-]{0,11}$")]


def _by_seconds(found: Any) -> Any:
    if isinstance(found, dict):
        return {int(key): value for key, value in found.items()}
    return found


# YAML keys such as 60 are numbers; what is looked up by them is a horizon in seconds.
Horizons = Annotated[dict[int, float], BeforeValidator(_by_seconds)]
Recipe = Literal[
    "mean", "criteria", "criteria_change", "endpoint_change", "achieved", "latency",
    "if_established",
    "prompt_continuity",
]  # fmt: skip
PlugInKey = Literal[
    "clip_aesthetics", "audiobox", "imagebind", "synchformer", "subject_consistency",
    "background_consistency",
]  # fmt: skip
FILE = "metrics.yaml"


class Metric(Part):
    """One column: what it is, where it applies, and how its value comes about.

    ``unit`` is what one value is of; ``recipe`` names what makes it of a form or of signals;
    ``questions`` are the keys that the recipe reads of an answered form.
    """

    code: Code
    name: Text
    category: Key
    track: Literal["both", "progressive", "interactive"]
    low: float
    high: float | None
    better: Literal["higher", "lower"]
    unit: Literal[
        "interval", "full", "endpoint", "update", "prompt", "boundary", "retention", "dependency"
    ]
    computed: Literal["signals", "answers", "mixed", "plug_in"]
    recipe: Recipe
    value_unit: Text = "points"
    questions: tuple[Key, ...] = ()
    criteria: Literal["video", "audio"] | None = None
    modalities: tuple[Literal["video", "audio", "joint"], ...] = ()
    of: Code | None = None
    established_by: Key | None = None
    plug_in: PlugInKey | None = None
    source: Text

    @property
    def origin(self) -> str:
        """What its values come from, in words."""
        return _ORIGINS[self.computed]

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the largest value that it can have."""
        return self.low, math.inf if self.high is None else self.high

    def applies_to(self, scenario: Scenario) -> bool:
        """Say whether a scenario's track is one that this metric is about."""
        return self.track in {"both", scenario.track}


_ORIGINS = {
    "signals": "picture, sound or log",
    "answers": "people or a judge",
    "mixed": "the picture, and people or a judge",
    "plug_in": "a model that needs weights",
}


class Published(Part):
    """Figures of the paper. They are shown as references, and are never this installation's own."""

    source: Text
    systems: dict[Text, dict[Code, float]]
    averages_by_horizon_s: dict[Code, Horizons]
    averages: dict[Code, float]
    spearman: dict[Key, float]


class MetricTable(Part):
    """All metrics in the order of their columns."""

    source: Text
    categories: dict[Key, Text]
    criteria: dict[Key, tuple[Key, ...]]
    metrics: tuple[Metric, ...] = Field(min_length=1)
    published: Published

    @model_validator(mode="after")
    def _every_name_is_known(self) -> Self:
        codes = [metric.code for metric in self.metrics]
        if len(set(codes)) != len(codes):
            raise ValueError("a code appears twice")
        for metric in self.metrics:
            if metric.category not in self.categories:
                raise ValueError(f"{metric.code}: there is no category {metric.category!r}")
            if metric.of is not None and metric.of not in codes:
                raise ValueError(f"{metric.code}: there is no metric {metric.of!r}")
            if (metric.computed == "plug_in") != (
                metric.plug_in is not None or self._is_of_a_plug_in(metric)
            ):
                raise ValueError(
                    f"{metric.code}: a plug-in is named if and only if one computes it"
                )
        return self

    def _is_of_a_plug_in(self, metric: Metric) -> bool:
        return any(one.code == metric.of and one.computed == "plug_in" for one in self.metrics)

    def metric(self, code: str) -> Metric:
        """Return the metric of this code. Raises KeyError when there is none."""
        for metric in self.metrics:
            if metric.code == code:
                return metric
        raise KeyError(code)

    def questions(self, metric: Metric) -> tuple[str, ...]:
        """Return the keys that a metric reads of an answered form: its own, or those of its
        checklist.
        """
        if metric.criteria is None:
            return metric.questions
        return self.criteria[metric.criteria]


def read_table(folder: Path) -> MetricTable:
    """Read ``metrics.yaml``. Raises DataError or ScenarioError."""
    return read_model(folder / FILE, MetricTable)


def as_columns(table: MetricTable) -> list[Mapping[str, Any]]:
    """Return the table as plain rows, for pages and releases."""
    return [metric.model_dump(mode="json", exclude_defaults=True) for metric in table.metrics]
