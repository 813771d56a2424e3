"""What the two adapters on google-genai share. No Django here."""

from __future__ import annotations

from google.genai import types

from fartbench.outgoing import BoundedClient, trust
from generation.providers import exchange
from generation.providers.access import Access


def options(entry: Access, http: BoundedClient) -> types.HttpOptions:
    """Return the options of a client that asks once and over ``http``: its own would follow
    redirects with the key.
    """
    return types.HttpOptions(
        base_url=entry.base_url,
        timeout=int(1000 * exchange.SECONDS_TO_ANSWER),
        retry_options=types.HttpRetryOptions(attempts=1),
        httpx_client=http,
        async_client_args={
            "verify": trust(),
            "ssl": trust(),
        },  # of no use here, and made all the same
    )
