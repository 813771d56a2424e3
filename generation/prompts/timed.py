"""A prompt with its time: what an order and a stream are given. No Django here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TimedPrompt:
    """A prompt's text and when it is given, in seconds from the start of the clip."""

    text: str
    at_s: float = 0.0
