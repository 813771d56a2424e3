"""Providers that an installation brings along, and their configurations. Nothing is paid for their
clips. No Django here.

Everything is named by its dotted path and imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Collection
from pkgutil import resolve_name

from fartbench.protocol.schema import Protocol

PROVIDERS: dict[str, str] = {}
_row_makers: list[str] = []
_name_listers: list[str] = []


def register(key: str, path: str) -> None:
    """Add a provider that draws clips here: ``path`` is its adapter's class."""
    PROVIDERS[key] = path


def describe_configurations(*, rows: str, names: str) -> None:
    """Say which function makes the rows of built-in configurations (it gets their names), and
    which lists the names of those that can make everything that a protocol asks for.
    """
    _row_makers[:] = [rows]
    _name_listers[:] = [names]


def names_for(rules: Protocol) -> list[str]:
    """Return the built-in configurations that can make everything that a protocol asks for."""
    return [name for path in _name_listers for name in resolve_name(path)(rules)]


def make_missing(names: Collection[str]) -> None:
    """Make the rows of those built-in configurations that are among ``names``."""
    for path in _row_makers:
        resolve_name(path)(names)
