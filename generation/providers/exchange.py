"""The HTTP client that asks a provider: bounded in time and size, and never sent on elsewhere.

No Django here.
"""

from __future__ import annotations

from fartbench.outgoing import BoundedClient
from generation.providers.access import Access

SECONDS_TO_ANSWER = 120.0
MOST_BYTES = 16 << 20
# Where the clip comes inside the answer, in base64: three times as much memory is needed to read
# it.
MOST_BYTES_WITH_CLIP = 256 << 20


def client(entry: Access, *, with_clip: bool = False) -> BoundedClient:
    """Return a client for one question to a provider."""
    most_bytes = MOST_BYTES_WITH_CLIP if with_clip else MOST_BYTES
    return BoundedClient(entry.base_url, seconds=SECONDS_TO_ANSWER, most_bytes=most_bytes)
