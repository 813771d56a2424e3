"""Reads a protocol folder into a checked Protocol. No Django here."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from fartbench.datafiles import DataError, read_yaml, tuples
from fartbench.errors import BadInput
from fartbench.protocol.digest import digest_of
from fartbench.protocol.references import reference_faults
from fartbench.protocol.rollouts.whole import compiled, with_scenes
from fartbench.protocol.schema import Protocol
from fartbench.protocol.specification import read_specification

FILE_NAME = "protocol.yaml"
# A protocol with its specifications is a few pages of text.
MAX_BYTES = 1_000_000
# What the key ``briefs`` of a protocol file says: reviewers are shown the specifications of its
# scenes.
FROM_SPECIFICATIONS = "specifications"


class ProtocolError(BadInput):
    """A protocol file that cannot be used; each fault names the file, the path in it and the
    rule.
    """


@dataclass(frozen=True)
class ProtocolFile:
    """A protocol with the content it was read from, which is what its digest covers.

    The digest is of the content and not of ``protocol``, so that a later release that gives the
    schema a new optional key leaves the digests of existing protocols as they are.
    """

    protocol: Protocol
    content: dict[str, Any]
    digest: str


def load_protocol(folder: Path) -> ProtocolFile:
    """Read ``folder/protocol.yaml`` (or the file itself) strictly, with the parts of rollouts
    beside it and, where reviewers are shown what was asked for, the specifications of its scenes.

    Raises ProtocolError when the file is missing or not YAML, repeats a key, holds an unknown key
    or a value of the wrong kind, or when a rule names something that is not there.
    """
    path = folder / FILE_NAME if folder.is_dir() else folder
    content = _with_briefs(compiled(_read(path), path.parent), source=str(path))
    protocol = parse_protocol(content, source=str(path))
    return ProtocolFile(protocol, content, digest_of(content))


def parse_protocol(content: Any, *, source: str) -> Protocol:
    """Check ``content`` (what YAML or JSON gave) and return it as a Protocol; ``source`` names it
    in errors.
    """
    try:
        protocol = Protocol.model_validate(with_scenes(tuples(content)))
    except ValidationError as error:
        faults = [f"{_path(fault['loc'])}: {_words(fault)}" for fault in error.errors()]
        raise ProtocolError(source, faults) from error
    if faults := reference_faults(protocol):
        raise ProtocolError(source, faults)
    return protocol


def _with_briefs(content: Any, *, source: str) -> Any:
    """Return a protocol's content with the specifications in it where the file asks for them.

    They become part of the content, which the digest covers: a specification that changes makes
    another protocol. Raises ProtocolError, also for a specification that cannot be read.
    """
    if not isinstance(content, dict) or content.get("briefs") != FROM_SPECIFICATIONS:
        return content
    plain = parse_protocol(
        {key: value for key, value in content.items() if key != "briefs"}, source=source
    )
    try:
        briefs = {
            scene.key: read_specification(plain.name, plain.version, scene.key)[1]
            for scene in plain.scenes
        }
    except DataError as error:
        raise ProtocolError(error.what, error.faults) from error
    # As JSON, so that the content is the same after it was stored.
    return content | {"briefs": json.loads(json.dumps(briefs))}


def _read(path: Path) -> Any:
    try:
        return read_yaml(path, largest=MAX_BYTES)
    except DataError as error:
        raise ProtocolError(error.what, error.faults) from error


def _path(location: tuple[int | str, ...]) -> str:
    path = ""
    for part in location:
        path += f"[{part + 1}]" if isinstance(part, int) else f".{part}"
    return path.lstrip(".") or "the file"


def _words(fault: Any) -> str:
    if fault["type"] == "extra_forbidden":
        return "unknown key"
    if fault["type"] == "missing":
        return "this key is missing"
    return str(fault["msg"]).removeprefix("Value error, ")
