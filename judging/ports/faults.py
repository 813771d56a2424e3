"""What a failed exchange means, in one place for every service. No Django here."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from judging.ports.access import Access
from judging.ports.port import Answer, Blocked, Declined, Exchange, NotTransported, TimedOut, Usage

TEXT_LIMIT = 20_000
SECONDS_TO_CONNECT = 10.0
SECONDS_TO_ANSWER = 180.0
_SENT_AND_SILENT = frozenset({"ReadTimeout", "WriteTimeout"})
_PASSING = frozenset({408, 409, 425, 429})
# Codes by which services say in an error, and not in an answer, that they decline the content.
_BLOCKS = re.compile(r"content[_ ]?filter|content_policy|data_?inspection|prohibited|safety", re.IGNORECASE)


def kept(access: Access, status: int | None, text: str) -> Exchange:
    """Return the log's share of an exchange."""
    return Exchange(status, access.redacted(text)[:TEXT_LIMIT])


def of_exception(error: Exception, access: Access) -> Answer:
    """Say what an exception of an HTTP library means. Its kind is known by name: there are several libraries."""
    words = access.redacted(f"{type(error).__name__}: {error}")
    names = {kind.__name__ for kind in type(error).__mro__}
    if names & _SENT_AND_SILENT:
        return TimedOut(words, Exchange())
    return NotTransported(words, None, Exchange())


def of_status(status: int, body: Any, headers: Mapping[str, str], access: Access) -> Answer:
    """Say what an answer with an error status means."""
    error = body.get("error") if isinstance(body, Mapping) else None
    error = error if isinstance(error, Mapping) else {}
    code = str(error.get("code") or error.get("status") or "")
    words = f"HTTP {status}: {error.get('message') or code or 'no reason given'}"
    exchange = kept(access, status, json.dumps(body, default=str))
    if status in _PASSING or status >= 500:  # noqa: PLR2004
        return NotTransported(words, retry_after_s(headers), exchange)
    if _BLOCKS.search(code):
        return Blocked(f"{code}: {error.get('message', '')}".strip(": "), "", Usage(), exchange)
    return Declined(words, status, exchange)


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, or None. A date there is passed over: clocks differ."""
    value = headers.get("retry-after", "")
    return float(value) if re.fullmatch(r"\d+(\.\d+)?", value) else None
