"""What a protocol says of long rollouts: scenarios, what of them is judged, the forms, the metrics.
No Django here.

The parts are files of their own in the protocol's folder. `compiled` reads them into the protocol's
content, which its digest covers; afterwards nothing reads the folder.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Self

from pydantic import Field, ValidationInfo, field_validator, model_validator

from fartbench.datafiles import read_yaml
from fartbench.protocol.parts import Part, repeated
from fartbench.protocol.rollouts import forms, metrics, units, verdicts
from fartbench.protocol.rollouts.forms import Forms, UnitForm
from fartbench.protocol.rollouts.metrics import MetricTable
from fartbench.protocol.rollouts.reading import scenario_files
from fartbench.protocol.rollouts.schema import Scenario
from fartbench.protocol.rollouts.units import UnitPlan
from fartbench.protocol.rollouts.verdicts import Experts

IN_FOLDER = "folder"
"""What the key ``rollouts`` of a protocol file says: the parts lie beside it."""


class Rollouts(Part):
    """The parts of a protocol of rollouts."""

    metrics: MetricTable
    scenarios: tuple[Scenario, ...] = Field(min_length=1)
    units: UnitPlan
    forms: Forms
    experts: Experts = Experts()

    @field_validator("scenarios")
    @classmethod
    def _criteria_in_the_order_of_the_table(
        cls, scenarios: tuple[Scenario, ...], info: ValidationInfo
    ) -> tuple[Scenario, ...]:
        """Put checklists in one order: a database keeps the keys of JSON in another one than files
        do.
        """
        table: MetricTable | None = info.data.get("metrics")
        if table is None:
            return scenarios
        return tuple(one.with_criteria(table.criteria) for one in scenarios)

    @model_validator(mode="after")
    def _each_part_fits_the_others(self) -> Self:
        if twice := repeated(one.key for one in self.scenarios):
            raise ValueError(f"scenario {twice[0]!r} appears twice")
        kinds = {kind.kind for kind in self.units.kinds}
        if unknown := [form.unit for form in self.forms.forms if form.unit not in kinds]:
            raise ValueError(f"there is no kind of unit {unknown[0]!r} that a form could be about")
        return self

    def scenario(self, key: str) -> Scenario:
        """Return the scenario of this key. Raises KeyError when there is none."""
        for scenario in self.scenarios:
            if scenario.key == key:
                return scenario
        raise KeyError(key)

    def form(self, key: str) -> tuple[UnitForm, Scenario | None]:
        """Return the form of a key, with its scenario where the scenario words it. Raises
        KeyError.
        """
        for form in self.forms.forms:
            if form.criteria is None and form.name == key:
                return form, None
            name, _, scenario = key.partition(".")
            if form.criteria is not None and form.name == name:
                return form, self.scenario(scenario)
        raise KeyError(key)

    def form_keys(self, scenarios: set[str]) -> tuple[str, ...]:
        """Return the key of every form that is asked about these scenarios, in the order of the
        file.
        """
        tracks = {kind.kind: kind.tracks for kind in self.units.kinds}
        asked = [one for one in self.scenarios if one.key in scenarios]
        return tuple(
            dict.fromkeys(
                form.key_for(scenario)
                for form in self.forms.forms
                for scenario in asked
                if scenario.track in tracks[form.unit] and form.questions_for(scenario)
            )
        )


def compiled(content: Any, folder: Path) -> Any:
    """Return a protocol's content with the parts of its rollouts in it, read from ``folder`` as
    plain JSON.

    Content that says nothing of rollouts is returned as it is. Raises DataError for a file that
    cannot be read.
    """
    if not isinstance(content, dict) or content.get("rollouts") != IN_FOLDER:
        return content
    parts = {
        "scenarios": [scenario for _, found in scenario_files(folder) for scenario in found],
        **{
            name: read_yaml(folder / file)
            for name, file in (
                ("units", units.FILE),
                ("forms", forms.FILE),
                ("metrics", metrics.FILE),
                ("experts", verdicts.FILE),
            )
        },
    }
    # As JSON, so that the content is the same after it was stored: its keys are texts.
    return content | {"rollouts": json.loads(json.dumps(parts))}


def with_scenes(content: Any) -> Any:
    """Return a protocol's content with its scenarios as its scenes: a cell is one rollout of one
    scenario.
    """
    rollouts = content.get("rollouts") if isinstance(content, dict) else None
    if not isinstance(rollouts, dict) or "scenes" in content:
        return content
    scenes = tuple(
        {"key": one.get("key"), "title": one.get("title"), "setting": one.get("prompt")}
        for one in rollouts.get("scenarios", ())
        if isinstance(one, dict)
    )
    return content | {"scenes": scenes}
