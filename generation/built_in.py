"""Configurations that a built-in provider brings along: registered by name, and made when they are
asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from fartbench.protocol.schema import Protocol

_MAKERS: dict[str, Callable[[], object]] = {}
_SUITS: dict[str, Callable[[Protocol], bool]] = {}


def register(
    names: Iterable[str], make: Callable[[], object], suits: Callable[[Protocol], bool]
) -> None:
    """Say that ``make`` makes the rows of the configurations with these names, and changes none
    that are there. ``suits`` says whether they can make everything that a protocol asks for.
    """
    for name in names:
        _MAKERS[name], _SUITS[name] = make, suits


def names_for(rules: Protocol) -> list[str]:
    """Return the built-in configurations that can make everything that a protocol asks for."""
    return [name for name, suits in _SUITS.items() if suits(rules)]


def make_missing(names: Collection[str]) -> None:
    """Make the rows of those built-in configurations that are among ``names``."""
    for make in {_MAKERS[name] for name in names if name in _MAKERS}:
        make()
