"""Where a streaming model's own chunks meet. No Django here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Geometry:
    """How many pictures the first chunk has and how many each later one, at a constant number of
    pictures a second.

    A declared geometry is a fact of a configuration; boundaries are computed from it and never
    guessed from pictures.
    """

    first: int
    next: int
    frame_rate: int

    def __post_init__(self) -> None:
        if min(self.first, self.next, self.frame_rate) < 1:
            raise ValueError("a chunk has at least one picture, and a second too")

    def boundaries(self, frames: int) -> list[int]:
        """Return the place of the first picture of every chunk but the first, in a rollout of
        ``frames`` pictures.
        """
        return list(range(self.first, frames, self.next))
