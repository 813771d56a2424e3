"""The providers of this installation, by the key that a configuration names. No Django here.

Each adapter is made when it is first used, in the process that uses it: SDKs are slow to import and
their clients must not be shared over a fork.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from generation.providers.guarded import GuardedProvider
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
    "gemini": _gemini,
    "vertex": _vertex,
    "runway": _runway,
    "websocket": _websocket,
    **{key: _rest(key) for key in REST_KEYS},
}
STREAM_KEYS = frozenset({"websocket"})
REMOTE_KEYS = frozenset(_MAKERS) - STREAM_KEYS
_BUILT_IN: dict[str, Callable[[], Provider]] = {}


def register_built_in(key: str, make: Callable[[], Provider]) -> None:
    """Add a provider of this installation's own that draws its clips: nothing is paid, and no order
    can be lost.
    """
    _BUILT_IN[key] = make


def is_built_in(key: str) -> bool:
    """Say whether clips of this provider are drawn here and not bought."""
    return key in _BUILT_IN


def is_known(key: str) -> bool:
    """Say whether an adapter serves this provider."""
    return key in _BUILT_IN or key in _MAKERS


@cache
def provider(key: str) -> Provider:
    """Return the provider's adapter. Raises RequestRefused for a key that no adapter has."""
    if key in _BUILT_IN:
        return _BUILT_IN[key]()
    if key in _MAKERS:
        return GuardedProvider(_MAKERS[key]())
    known = ", ".join(sorted(_MAKERS.keys() | _BUILT_IN.keys()))
    raise RequestRefused(f"No provider here is called {key!r}. There are: {known}.")
