"""What is stored of answers that are not locked yet. No Django here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Response


@dataclass(frozen=True, slots=True)
class Draft:
    """What is stored of a draft; ``cleared`` names the questions whose answer had to go because it
    is not allowed.
    """

    revision: int
    responses: dict[str, Response]
    cleared: tuple[str, ...]
    playback: dict[str, Any]
    has_impression: bool


@dataclass(frozen=True, slots=True)
class VoteDraft:
    """What is stored of a vote's draft; ``answer`` is empty while there is none."""

    question: str
    revision: int
    answer: str
    playback: dict[str, Any]
