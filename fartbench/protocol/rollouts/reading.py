"""Reads files of scenarios strictly: ``scenarios/*.yaml`` (or ``*.json``), each a list.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from fartbench.datafiles import DataError, faults_of, read_json, read_yaml, tuples
from fartbench.protocol.digest import digest_of
from fartbench.protocol.rollouts.schema import Scenario

ModelT = TypeVar("ModelT", bound=BaseModel)
_SCENARIOS: TypeAdapter[tuple[Scenario, ...]] = TypeAdapter(tuple[Scenario, ...])


class ScenarioError(DataError):
    """A scenario file that cannot be used; each fault names the key and the rule."""


def scenario_files(folder: Path) -> list[tuple[Path, list[Any]]]:
    """Return each file of scenarios with its content as it is written there.

    Raises DataError or ScenarioError.
    """
    files = sorted(
        path for path in (folder / "scenarios").glob("*") if path.suffix in {".yaml", ".json"}
    )
    if not files:
        raise ScenarioError(str(folder / "scenarios"), ["there is no .yaml or .json file here"])
    return [(path, _content(path)) for path in files]


def _content(path: Path) -> list[Any]:
    content = read_yaml(path) if path.suffix == ".yaml" else read_json(path)
    if not isinstance(content, list):
        raise ScenarioError(str(path), ["a file of scenarios is a list"])
    return content


def parse_scenarios(content: Any, *, source: str) -> tuple[Scenario, ...]:
    """Check a list of scenarios; ``source`` names it in errors. Raises ScenarioError."""
    try:
        return _SCENARIOS.validate_python(tuples(content))
    except ValidationError as error:
        raise ScenarioError(source, faults_of(error)) from error


def read_model(path: Path, model: type[ModelT]) -> ModelT:
    """Read one YAML file into a strict model. Raises DataError or ScenarioError."""
    try:
        return model.model_validate(tuples(read_yaml(path)))
    except ValidationError as error:
        raise ScenarioError(str(path), faults_of(error)) from error


def digest_scenarios(scenarios: Iterable[Scenario]) -> str:
    """Return the SHA-256 of the scenarios' content, whatever files they came from."""
    return digest_of(
        [one.model_dump(mode="json") for one in sorted(scenarios, key=lambda one: one.key)]
    )
