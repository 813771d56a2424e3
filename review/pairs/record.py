"""What a locked vote says, in one canonical form, and its digest. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fartbench.protocol import digest_of


@dataclass(frozen=True, slots=True)
class VoteRecord:
    """All that the lock of a vote fixes. ``reviewer`` is a code; ``clip_a`` and ``clip_b`` are ids
    of stimuli.
    """

    reviewer: str
    pair: str
    question: str
    clip_a: str
    clip_b: str
    protocol_digest: str
    source: str
    answer: str
    playback: Mapping[str, Any]
    locked_at: datetime

    def digest(self) -> str:
        """Return the lower-case hex SHA-256 of the canonical content."""
        return digest_of(
            {
                "reviewer": self.reviewer,
                "pair": self.pair,
                "question": self.question,
                "a": self.clip_a,
                "b": self.clip_b,
                "protocol": self.protocol_digest,
                "source": self.source,
                "answer": self.answer,
                "playback": dict(self.playback),
                "locked_at": self.locked_at.isoformat(),
            }
        )
