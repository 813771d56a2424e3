"""Reads configuration files strictly. No Django here."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fartbench.datafiles import DataError, faults_of, read_yaml, tuples
from fartbench.protocol.digest import digest_of
from generation.configurations.schema import ConfigurationFile

FOLDER = Path(__file__).resolve().parents[2] / "fixtures" / "configurations"


class ConfigurationError(DataError):
    """A configuration file that cannot be used; each fault names the key and the rule."""


@dataclass(frozen=True)
class Loaded:
    """A configuration with the content its digest covers."""

    file: ConfigurationFile
    content: dict[str, Any]
    digest: str


def parse_configuration(content: Any, *, source: str) -> ConfigurationFile:
    """Check ``content`` and return it; ``source`` names it in errors. Raises ConfigurationError."""
    try:
        return ConfigurationFile.model_validate(tuples(content))
    except ValidationError as error:
        raise ConfigurationError(source, faults_of(error)) from error


def read_configurations(folder: Path = FOLDER) -> list[Loaded]:
    """Read every ``*.yaml`` of a folder, by name.

    Raises ConfigurationError for the first bad file, or none at all.
    """
    paths = sorted(folder.glob("*.yaml")) if folder.is_dir() else [folder]
    if not paths:
        raise ConfigurationError(str(folder), ["there is no .yaml file here"])
    loaded = [_read(path) for path in paths]
    names = [one.file.name for one in loaded]
    if repeated := sorted({name for name in names if names.count(name) > 1}):
        raise ConfigurationError(
            str(folder), [f"{repeated[0]!r} is the name of two configurations"]
        )
    return loaded


def _read(path: Path) -> Loaded:
    content = read_yaml(path)
    file = parse_configuration(content, source=str(path))
    if path.stem != file.name:
        raise ConfigurationError(
            str(path), [f"name: the file is called {path.stem!r}, the configuration {file.name!r}"]
        )
    return Loaded(file, content, digest_of(content))
