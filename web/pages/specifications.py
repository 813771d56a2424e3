"""The canonical specifications of a protocol's scenes, as published: the very files that prompts
are rendered from.
"""

from __future__ import annotations

from pathlib import Path

from fartbench.datafiles import DataError
from fartbench.protocol import Protocol
from fartbench.protocol.specification import FOLDER
from generation.prompts import Specification, read_specification


def specification_of(protocol: Protocol, scene: str) -> Specification | None:
    """Return a scene's specification, or None when there is no file that can be used."""
    if scene not in {known.key for known in protocol.scenes}:
        return None
    try:
        return read_specification(protocol.name, protocol.version, scene)[0]
    except DataError:
        return None


def specification_file(protocol: Protocol, scene: str) -> Path:
    """Return the file of a scene's specification."""
    return FOLDER / protocol.name / protocol.version / f"{scene}.yaml"
