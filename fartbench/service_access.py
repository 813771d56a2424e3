"""The keys and addresses of services: from the environment, or as an admin entered them.

No Django here. What was entered is read by a function that the upper module registers. A service of
which the environment names any of ``names`` uses the environment alone: an address that was entered
never receives a key of the environment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import environ

Reader = Callable[[str], Mapping[str, str]]
_readers: list[Reader] = []


def read_entered_with(reader: Reader) -> None:
    """Name the function that returns what was entered for a service."""
    _readers[:] = [reader]


def is_in_environment(names: Sequence[str]) -> bool:
    """Say whether the environment has any of these variables."""
    return any(environ.get(name, "") for name in names)


def values_of(service: str, names: Sequence[str]) -> dict[str, str]:
    """Return the value of each variable; an empty text for one that is set nowhere."""
    if is_in_environment(names) or not _readers:
        return {name: environ.get(name, "") for name in names}
    entered = _readers[0](service)
    return {name: entered.get(name, "") for name in names}
