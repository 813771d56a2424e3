"""What a locked sheet says, in one canonical form, and its digest. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from fartbench.protocol import Response, digest_of


@dataclass(frozen=True, slots=True)
class SheetRecord:
    """All that a lock fixes besides what was played. ``reviewer`` is a code; ``responses`` go by
    question key; ``locked_at`` is ISO 8601 in UTC.
    """

    reviewer: str
    stimulus: str
    protocol_digest: str
    scene: str
    source: str
    responses: Mapping[str, Response | str]
    locked_at: str

    def content(self) -> dict[str, Any]:
        """Return it as plain JSON."""
        return {
            "reviewer": self.reviewer,
            "stimulus": self.stimulus,
            "protocol": self.protocol_digest,
            "scene": self.scene,
            "source": self.source,
            "answers": {question: str(response) for question, response in self.responses.items()},
            "locked_at": self.locked_at,
        }


class Locked(Protocol):
    """A locked sheet or vote."""

    def content(self) -> dict[str, Any]: ...


Playback = Mapping[str, Any]


def lock_digest(record: Locked, playback_sha256: str, *, is_measured: bool) -> str:
    """Return the lower-case hex SHA-256 of what a lock fixes.

    It covers only what a release contains, so anybody can compute it again: what was played is in
    it by its own digest.
    """
    played = {"playback": playback_sha256, "playback_measured": is_measured}
    return digest_of(record.content() | played)


def playback_digest(playback: Playback) -> str:
    """Return the lower-case hex SHA-256 of what a player measured."""
    return digest_of(dict(playback)) if playback else _nothing_measured()


@lru_cache(maxsize=1)
def _nothing_measured() -> str:
    return digest_of({})


def digest_of_lock(record: Locked, playback: Playback) -> str:
    """Return the digest of a lock with what was played."""
    return lock_digest(record, playback_digest(playback), is_measured=bool(playback))


def older_digest(record: Locked, playback: Playback) -> str:
    """Return the digest as it was made before releases of format 2: over the playback itself, which
    no release contains.
    """
    content = record.content()
    at = content["locked_at"].replace("Z", "+00:00")
    return digest_of(content | {"playback": dict(playback), "locked_at": at})


def played_as_locked(record: Locked, playback: Playback, digest: str) -> str | None:
    """Return the digest of the playback if ``digest`` is that of the lock, an empty text if it is
    one of an older version, and None if it is neither.
    """
    if digest == digest_of_lock(record, playback):
        return playback_digest(playback)
    return "" if digest == older_digest(record, playback) else None
