"""Reads a protocol folder into a checked Protocol. No Django here."""

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

FILE_NAME = "protocol.yaml"
# A protocol with its specifications is a few pages of text.
MAX_BYTES = 1_000_000


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
    beside it.

    Raises ProtocolError when the file is missing or not YAML, repeats a key, holds an unknown key
    or a value of the wrong kind, or when a rule names something that is not there.
    """
    path = folder / FILE_NAME if folder.is_dir() else folder
    content = compiled(_read(path), path.parent)
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
