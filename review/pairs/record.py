"""What a locked vote says, in one canonical form. No Django here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class VoteRecord:
    """All that the lock of a vote fixes besides what was played. ``reviewer`` is a code;
    ``clip_a`` and ``clip_b`` are ids of stimuli; ``locked_at`` is ISO 8601 in UTC.
    """

    reviewer: str
    pair: str
    question: str
    clip_a: str
    clip_b: str
    protocol_digest: str
    source: str
    answer: str
    locked_at: str

    def content(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {
            "reviewer": self.reviewer,
            "pair": self.pair,
            "question": self.question,
            "a": self.clip_a,
            "b": self.clip_b,
            "protocol": self.protocol_digest,
            "source": self.source,
            "answer": self.answer,
            "locked_at": self.locked_at,
        }
