"""What a reviewer or a judge reads about one clip besides its form: the prompt it is about, and its
pieces.

No Django here. It is read from a stimulus's ``context``; a clip that is shown whole has none.
People and judges read the same words.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

SHOWN = {
    "video": "Picture alone: nothing is heard here, and nothing is asked about sound.",
    "audio": "Sound alone: the picture is black, and nothing is asked about it.",
}
ROLES = {
    "previous": "is from before this was asked for",
    "source": "is the earlier part that this builds on",
    "current": "is from after this was asked for",
}


@dataclass(frozen=True, slots=True)
class About:
    """``target`` is what was asked for, or empty; ``lines`` are what else is to be known of the
    clip.
    """

    target: str
    lines: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.target or self.lines)

    @property
    def in_words(self) -> str:
        """All of it as lines of text."""
        asked = (f"What was asked for: {self.target}",) if self.target else ()
        return "\n".join((*asked, *self.lines))


def about(context: Mapping[str, Any]) -> About:
    """Return what is said of a clip with this context."""
    return About(context.get("target", ""), tuple(_lines(context)))


def _lines(context: Mapping[str, Any]) -> Iterator[str]:
    if (at := context.get("asked_at_s")) is not None:
        yield (
            f"It was asked for at {at:g} s."
            if at
            else "It was asked for as the clip begins; seconds count from then."
        )
    windows = context.get("windows", ())
    if len(windows) > 1:
        pieces = ", ".join(
            f"{one['begin_s']:g} to {one['end_s']:g} s {ROLES[one['role']]}" for one in windows
        )
        yield f"Two pieces with a grey card between them: {pieces}."
    if source := context.get("source"):
        yield f"What was asked for in the first piece: {source}"
    if words := SHOWN.get(context.get("shown", "")):
        yield words
