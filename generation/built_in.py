"""Configurations that a built-in provider brings along: registered by name, and made when they are
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

_MAKERS: dict[str, Callable[[], object]] = {}


def register(names: Iterable[str], make: Callable[[], object]) -> None:
    """Say that ``make`` makes the rows of the configurations with these names, and changes none
    that are there.
    """
    _MAKERS.update(dict.fromkeys(names, make))


def make_missing(names: Collection[str]) -> None:
    """Make the rows of those built-in configurations that are among ``names``."""
    for make in {_MAKERS[name] for name in names if name in _MAKERS}:
        make()
