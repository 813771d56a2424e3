"""The providers of this installation, by the key that a configuration names. No Django here.

Each adapter is made when it is first used, in the process that uses it: SDKs are slow to import and their clients
must not be shared over a fork.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from generation.providers.guarded import GuardedProvider
from generation.providers.local import LocalProvider
from generation.providers.local_rollouts import LocalRolloutProvider
from generation.providers.port import Provider, RequestRefused


def _gemini() -> Provider:
    from generation.providers.gemini import GeminiProvider  # noqa: PLC0415

    return GeminiProvider()


def _vertex() -> Provider:
    from generation.providers.vertex import VertexProvider  # noqa: PLC0415

    return VertexProvider()


def _runway() -> Provider:
    from generation.providers.runway import RunwayProvider  # noqa: PLC0415

    return RunwayProvider()


def _rest(key: str) -> Callable[[], Provider]:
    def make() -> Provider:
        from generation.providers.contracts import CONTRACTS  # noqa: PLC0415
        from generation.providers.rest import RestProvider  # noqa: PLC0415

        return RestProvider(CONTRACTS[key])

    return make


def _websocket() -> Provider:
    from generation.providers.streams import WebSocketStreams  # noqa: PLC0415

    return WebSocketStreams()


REST_KEYS = ("fal", "ark", "dashscope", "minimax", "xai", "kling", "openai")
_MAKERS: dict[str, Callable[[], Provider]] = {
    "local": LocalProvider,
    "local-rollouts": LocalRolloutProvider,
    "gemini": _gemini,
    "vertex": _vertex,
    "runway": _runway,
    "websocket": _websocket,
    **{key: _rest(key) for key in REST_KEYS},
}
KEYS = frozenset(_MAKERS)
BUILT_IN_KEYS = frozenset({"local", "local-rollouts"})
STREAM_KEYS = frozenset({"websocket"})
REMOTE_KEYS = KEYS - BUILT_IN_KEYS - STREAM_KEYS


@cache
def provider(key: str) -> Provider:
    """Return the provider's adapter. Raises RequestRefused for a key that no adapter has."""
    if key not in _MAKERS:
        raise RequestRefused(f"No provider here is called {key!r}. There are: {', '.join(sorted(KEYS))}.")
    made = _MAKERS[key]()
    return made if key in BUILT_IN_KEYS else GuardedProvider(made)
