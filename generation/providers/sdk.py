"""What the adapters on official SDKs share: reading an SDK's exception as an answer. No Django here."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from generation.providers.access import Access
from generation.providers.answers import Moderation, decoded, never_sent, of_error, trace
from generation.providers.port import NotTaken, Submitted, Trace, Unsure


def of_exception(error: Exception, entry: Access, moderation: Moderation) -> Submitted:
    """Say what an SDK's exception on a submission means: an answer with a status, or a broken exchange."""
    status = getattr(error, "status_code", None) or getattr(error, "code", None)
    if not isinstance(status, int):
        words = entry.redacted(f"{type(error).__name__}: {error}")
        return NotTaken(words, "not_sent") if never_sent(error) else Unsure(words)
    body, headers = body_of(error), headers_of(error)
    text = entry.redacted(json.dumps(body, default=str))
    return of_error(status, body, headers, moderation, trace(status, headers, text))


def body_of(error: Exception) -> Any:
    """Return the error body as data: what the SDK kept of it, else the answer's own text."""
    for name in ("body", "details"):
        kept = getattr(error, name, None)
        if isinstance(kept, Mapping):
            return kept if "error" in kept else {"error": kept}
        if isinstance(kept, list) and kept:
            return kept[0]
        if isinstance(kept, str) and isinstance(read := decoded(kept), Mapping):
            return read
    return {"error": {"message": str(error)}}


def headers_of(error: Exception) -> Mapping[str, str]:
    """Return the answer's headers in lower case, or nothing."""
    found = getattr(getattr(error, "response", None), "headers", None) or {}
    return {str(name).lower(): str(value) for name, value in dict(found).items()}


def trace_of(entry: Access, data: Any, status: int = 200) -> Trace:
    """Return the log's share of a good answer."""
    return trace(status, {}, entry.redacted(json.dumps(data, default=str)))
