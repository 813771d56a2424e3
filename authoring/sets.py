"""Reads a folder of scenarios with what it claims of them. No Django here.

The folder holds ``set.yaml``, the constraints it names, and ``scenarios/*.yaml`` (or ``*.json``),
each file a list.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from authoring.constraints import Constraints
from fartbench.protocol.rollouts.reading import (
    digest_scenarios,
    parse_scenarios,
    read_model,
    scenario_files,
)
from fartbench.protocol.rollouts.schema import Scenario, SetFile

SET_FILE = "set.yaml"


@dataclass(frozen=True)
class ScenarioSet:
    """A folder of scenarios as it was read; ``digest`` is over every scenario's content, in the
    order of keys.
    """

    about: SetFile
    constraints: Constraints
    scenarios: tuple[Scenario, ...]
    digest: str


def read_set(folder: Path) -> ScenarioSet:
    """Read a folder of scenarios.

    Raises DataError or ScenarioError for the first file that cannot be used.
    """
    about = read_model(folder / SET_FILE, SetFile)
    constraints = read_model(folder / about.constraints, Constraints)
    files = scenario_files(folder)
    scenarios = tuple(
        scenario for path, found in files for scenario in parse_scenarios(found, source=str(path))
    )
    return ScenarioSet(about, constraints, scenarios, digest_scenarios(scenarios))
