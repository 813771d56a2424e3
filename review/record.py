"""What a locked sheet says, in one canonical form, and its digest. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from fartbench.protocol import Response, digest_of


@dataclass(frozen=True, slots=True)
class SheetRecord:
    """All that a lock fixes. ``reviewer`` is a code; ``responses`` go by question key."""

    reviewer: str
    stimulus: str
    protocol_digest: str
    scene: str
    source: str
    responses: Mapping[str, Response]
    playback: Mapping[str, Any]
    locked_at: datetime

    def digest(self) -> str:
        """Return the lower-case hex SHA-256 of the canonical content."""
        return digest_of(
            {
                "reviewer": self.reviewer,
                "stimulus": self.stimulus,
                "protocol": self.protocol_digest,
                "scene": self.scene,
                "source": self.source,
                "answers": {
                    question: str(response) for question, response in self.responses.items()
                },
                "playback": dict(self.playback),
                "locked_at": self.locked_at.isoformat(),
            }
        )
