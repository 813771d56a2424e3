"""A reviewer's list of a round in the stored order: what is done, and what comes next.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar


class Item(Protocol):
    """Something to answer: a clip, or a pair of clips. ``key`` is its opaque id."""

    @property
    def key(self) -> str: ...

    @property
    def is_begun(self) -> bool: ...

    @property
    def is_ended(self) -> bool: ...

    @property
    def is_set_aside(self) -> bool: ...


Listed = TypeVar("Listed", bound=Item)


@dataclass(frozen=True)
class Queue(Generic[Listed]):
    """A reviewer's whole list of one round."""

    items: tuple[Listed, ...]

    @property
    def total(self) -> int:
        return len(self.items)

    @property
    def done(self) -> int:
        return sum(item.is_ended for item in self.items)

    @property
    def is_begun(self) -> bool:
        """Whether anything in it was begun."""
        return any(item.is_begun for item in self.items)

    @property
    def ended(self) -> list[Listed]:
        return [item for item in self.items if item.is_ended]

    @property
    def set_aside(self) -> list[Listed]:
        return [item for item in self.items if item.is_set_aside]

    @property
    def next(self) -> Listed | None:
        """What is due: the first that is neither ended nor set aside, then the first that was set
        aside.
        """
        open_items = [item for item in self.items if not item.is_ended]
        return next(
            (item for item in open_items if not item.is_set_aside),
            open_items[0] if open_items else None,
        )

    def after(self, key: str) -> Listed | None:
        """Return what would be due once this one is done."""
        return Queue(tuple(item for item in self.items if item.key != key)).next

    def item(self, key: str) -> Listed | None:
        """Return one entry, or None when it is not in the list."""
        return next((item for item in self.items if item.key == key), None)

    def is_open(self, item: Listed) -> bool:
        """Say whether its page may be shown: it is ended, begun or due."""
        return item.is_begun or item == self.next
