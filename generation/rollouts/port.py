"""What a provider that streams can do. No Django here.

A stream is one order, opened once: chunks come one after another, each is committed by its hash
before the next is made, and a prompt is given between two chunks. What was committed never changes:
both sides carry a chained hash of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from generation.prompts.timed import TimedPrompt
from generation.rollouts.geometry import Geometry

NOTHING = hashlib.sha256(b"").hexdigest()
"""The history before the first chunk."""


def extended(history: str, chunk_sha256: str) -> str:
    """Return the history (hex SHA-256) after a chunk with this hash was committed."""
    return hashlib.sha256(f"{history}{chunk_sha256}".encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class StreamOrder:
    """One rollout that is asked for. The first prompt is given at 0 s; ``steps`` names them all, P0
    first.
    """

    model_id: str
    seconds: float
    prompts: tuple[TimedPrompt, ...]
    seed: int | None = None
    token: str = ""

    def __post_init__(self) -> None:
        times = [prompt.at_s for prompt in self.prompts]
        if not times or times[0] != 0 or times != sorted(set(times)) or times[-1] >= self.seconds:
            raise ValueError("prompts come in order, the first at 0 s and the last before the end")

    @property
    def updates(self) -> tuple[tuple[str, TimedPrompt], ...]:
        """The prompts that arrive in the meantime, with their names from P1 on."""
        return tuple((f"P{number}", prompt) for number, prompt in enumerate(self.prompts[1:], 1))


@dataclass(frozen=True, slots=True)
class Opened:
    """The provider took the order.

    ``geometry`` is None where it does not say how its chunks will be.
    """

    provider_id: str
    geometry: Geometry | None


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of the rollout: a video file of ``frames`` pictures that starts at ``starts_s`` of
    media time.
    """

    index: int
    frames: int
    starts_s: float
    ends_s: float
    data: bytes

    @property
    def sha256(self) -> str:
        """The lower-case hex SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()


@dataclass(frozen=True, slots=True)
class Prompted:
    """The provider took a prompt; what comes from ``media_s`` on is made with it, on top of
    ``history``.
    """

    step: str
    media_s: float
    history: str


@dataclass(frozen=True, slots=True)
class Refused:
    """The provider declined. A result, never asked for again."""

    reason: str


@dataclass(frozen=True, slots=True)
class Broken:
    """The stream ended before its time; what was committed until then is kept."""

    reason: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The rollout is whole."""


Event = Opened | Chunk | Prompted | Refused | Broken | Ended


class Session(Protocol):
    """One open stream."""

    def events(self) -> Iterator[Event]:
        """Yield what the provider sends, as it comes; the last is Refused, Broken or Ended."""
        ...

    def commit(self, index: int, history: str) -> None:
        """Say that a chunk was kept, and the history with it; only then is the next one made."""
        ...

    def prompt(self, step: str, text: str, history: str) -> None:
        """Give a prompt that holds from the next chunk on."""
        ...


class StreamProvider(Protocol):
    """A source of streams."""

    @property
    def key(self) -> str:
        """What configurations call it."""
        ...

    @property
    def client(self) -> str:
        """The adapter with its version, for the log."""
        ...

    def open(self, order: StreamOrder) -> AbstractContextManager[Session]:
        """Connect and send the order, once."""
        ...
