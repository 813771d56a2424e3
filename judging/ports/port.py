"""What every judge's service is asked and how it answers, whatever its wire looks like.

No Django here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from fartbench.errors import Refusal
from fartbench.protocol import JudgeModel, Judges, canonical_bytes


class KeyMissing(Refusal):
    """A service whose key or address is not in the environment."""


class SettingsRefused(Refusal):
    """A judge's own settings that its requests cannot take."""


def refuse_reserved(model: JudgeModel, reserved: frozenset[str]) -> None:
    """Raise SettingsRefused for settings in place of what every judge is asked; spelling of names
    aside.
    """
    if taken := [name for name in model.settings if name.replace("_", "").lower() in reserved]:
        raise SettingsRefused(
            f"Judge {model.name}: settings.{taken[0]} is not a judge's own to set. Who is asked "
            "what, and in which "
            "form it answers, is the same for all."
        )


@dataclass(frozen=True)
class Ask:
    """What is asked about every clip with one form: ``text`` with the questions, ``schema`` of the
    answer, and at how many frames per second the clip is looked at.
    """

    model: JudgeModel
    rules: Judges
    frames_per_second: float
    text: str
    schema: Mapping[str, Any]


@dataclass(frozen=True)
class Request:
    """A request but for its clip: ``body`` holds CLIP where the clip's bytes go."""

    endpoint: str
    body: Mapping[str, Any]

    def sha256(self, clip_sha256: str) -> str:
        """Return the SHA-256 of endpoint, body and the clip's own digest."""
        return hashlib.sha256(canonical_bytes([self.endpoint, self.body, clip_sha256])).hexdigest()


CLIP = "the clip"


@dataclass(frozen=True)
class Usage:
    """Tokens, where the service counts them.

    ``output`` includes those that were thought and not shown.
    """

    input: int | None = None
    output: int | None = None
    details: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Exchange:
    """What the log keeps of an exchange; ``response`` is cut to a size and holds no key."""

    http_status: int | None = None
    response: str = ""


@dataclass(frozen=True)
class Replied:
    """The judge said something. Whether it is an answer is for the form to say."""

    text: str
    model_version: str
    response_id: str
    usage: Usage
    exchange: Exchange


@dataclass(frozen=True)
class Blocked:
    """The service declined, before or after the judge had looked."""

    reason: str
    model_version: str
    usage: Usage
    exchange: Exchange


@dataclass(frozen=True)
class Unusable:
    """The judge ended without a text that could be an answer."""

    reason: str
    model_version: str
    usage: Usage
    exchange: Exchange


@dataclass(frozen=True)
class NotTransported:
    """A fault on the way: the question may be sent again, after ``retry_after_s`` where the service
    names a time.
    """

    reason: str
    retry_after_s: float | None
    exchange: Exchange


@dataclass(frozen=True)
class TimedOut:
    """No answer came in time. The question was sent, so it is not sent again."""

    reason: str
    exchange: Exchange


@dataclass(frozen=True)
class Declined:
    """The service does not take the request: a key, a name or a parameter is wrong."""

    reason: str
    http_status: int
    exchange: Exchange


Answer = Replied | Blocked | Unusable | NotTransported | TimedOut | Declined


class JudgePort(Protocol):
    """One service. ``client`` names the adapter and its library with their versions."""

    service: str
    client: str

    def request(self, ask: Ask) -> Request:
        """Return the request that asks this. It depends on ``ask`` alone."""
        ...

    def send(self, request: Request, clip: bytes) -> Answer:
        """Send it once, with a clip. Raises KeyMissing before anything is sent."""
        ...
