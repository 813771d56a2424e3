"""What is asked of a provider: an order, and the request that it becomes. No Django here."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.errors import Refusal
from fartbench.protocol.digest import canonical_bytes
from generation.prompts.timed import TimedPrompt


class RequestRefused(Refusal):
    """An order that cannot be sent as it is; nothing was sent."""


class KeyMissing(Refusal):
    """A key that the provider asks for is set nowhere; nothing was sent."""


@dataclass(frozen=True, slots=True)
class Order:
    """One clip that is asked for: the model and its fixed parameters, the prompts, and the seed
    where there is one.

    ``token`` is our name of this try; it reaches providers that take such a thing and is no part of
    the request's identity. ``scene`` and ``replicate`` are for the built-in provider, which needs
    no prompt. ``seconds`` is how long a rollout is to be; the length of a clip is one of its
    parameters.
    """

    model_id: str
    parameters: Mapping[str, Any]
    prompts: tuple[TimedPrompt, ...] = ()
    seed_parameter: str | None = None
    seed: int | None = None
    scene: str = ""
    replicate: int = 1
    token: str = ""
    seconds: float | None = None

    @property
    def prompt(self) -> str:
        """The prompt of a clip that has one. Raises RequestRefused for none, or several."""
        if len(self.prompts) != 1:
            raise RequestRefused(
                f"This provider takes one prompt at the start, not {len(self.prompts)}."
            )
        return self.prompts[0].text

    @property
    def rollout(self) -> tuple[float, list[float]]:
        """A rollout's length and the times of its prompts, in seconds.

        Raises RequestRefused without a prompt at 0.
        """
        times = [prompt.at_s for prompt in self.prompts]
        if not self.seconds or not times or times[0] != 0:
            raise RequestRefused("A rollout takes a length in seconds, and a prompt at 0 s.")
        return self.seconds, times

    @property
    def settings(self) -> dict[str, Any]:
        """The parameters with the seed among them, where there is one."""
        if self.seed_parameter is None or self.seed is None:
            seed = {}
        else:
            seed = {self.seed_parameter: self.seed}
        return {**self.parameters, **seed}


@dataclass(frozen=True, slots=True)
class Request:
    """What will be sent, without keys: equal orders give equal requests.

    ``tag`` carries the try's token beside it.
    """

    endpoint: str
    body: Mapping[str, Any]
    tag: str = ""

    @property
    def sha256(self) -> str:
        """The lower-case hex SHA-256 of endpoint and body; the same in every retry."""
        return hashlib.sha256(
            canonical_bytes({"endpoint": self.endpoint, "body": dict(self.body)})
        ).hexdigest()
