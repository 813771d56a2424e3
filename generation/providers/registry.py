"""The providers of this installation, by the key that a configuration names. No Django here.

Each adapter is made when it is first used, in the process that uses it: SDKs are slow to import and
their clients must not be shared over a fork.
"""

from __future__ import annotations

from functools import cache
from pkgutil import resolve_name

from generation import built_in
from generation.providers.guarded import GuardedProvider
from generation.providers.order import RequestRefused
from generation.providers.port import Provider

REST_KEYS = ("fal", "ark", "dashscope", "minimax", "xai", "kling", "openai")
_ADAPTERS = {
    "gemini": "generation.providers.gemini.GeminiProvider",
    "vertex": "generation.providers.vertex.VertexProvider",
    "runway": "generation.providers.runway.RunwayProvider",
    "websocket": "generation.providers.streams.WebSocketStreams",
}
STREAM_KEYS = frozenset({"websocket"})
REMOTE_KEYS = frozenset([*_ADAPTERS, *REST_KEYS]) - STREAM_KEYS


def is_built_in(key: str) -> bool:
    """Say whether clips of this provider are drawn here and not bought."""
    return key in built_in.PROVIDERS


def is_known(key: str) -> bool:
    """Say whether an adapter serves this provider."""
    return is_built_in(key) or key in REMOTE_KEYS or key in STREAM_KEYS


@cache
def provider(key: str) -> Provider:
    """Return the provider's adapter. Raises RequestRefused for a key that no adapter has."""
    if is_built_in(key):
        adapter: Provider = resolve_name(built_in.PROVIDERS[key])()
        return adapter
    if key in _ADAPTERS:
        return GuardedProvider(resolve_name(_ADAPTERS[key])())
    if key in REST_KEYS:
        from generation.providers.contracts import CONTRACTS  # noqa: PLC0415 - slow to import
        from generation.providers.rest import RestProvider  # noqa: PLC0415

        return GuardedProvider(RestProvider(CONTRACTS[key]))
    known = ", ".join(sorted([*_ADAPTERS, *REST_KEYS, *built_in.PROVIDERS]))
    raise RequestRefused(f"No provider here is called {key!r}. There are: {known}.")
