"""Providers that an installation brings along, and their configurations. Nothing is paid for their
clips. No Django here.

Everything is named by its dotted path and imported when it is first used.
"""

from __future__ import annotations

from collections.abc import Collection
from pkgutil import resolve_name

PROVIDERS: dict[str, str] = {}
_row_makers: list[str] = []


def register(key: str, path: str) -> None:
    """Add a provider that draws clips here: ``path`` is its adapter's class."""
    PROVIDERS[key] = path


def make_rows_with(path: str) -> None:
    """Say which function makes the rows of built-in configurations; it gets their names."""
    _row_makers[:] = [path]


def make_missing(names: Collection[str]) -> None:
    """Make the rows of those built-in configurations that are among ``names``."""
    for path in _row_makers:
        resolve_name(path)(names)
