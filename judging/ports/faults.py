"""What a failed exchange means, in one place for every service. No Django here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import httpx

from fartbench.outgoing import BoundedClient, TooLarge, host_led_to, json_of, retry_after_s, text_of
from judging.ports.access import Access
from judging.ports.port import (
    Answer,
    Blocked,
    Declined,
    Exchange,
    NotTransported,
    TimedOut,
    Unusable,
    Usage,
)

TEXT_LIMIT = 20_000
WORDS_LIMIT = 300
SECONDS_TO_ANSWER = 180.0
MOST_BYTES = 16 << 20
_PASSING = frozenset({408, 409, 425, 429})
# Codes by which services say in an error, and not in an answer, that they decline the content.
_BLOCKS = re.compile(
    r"content[_ ]?filter|content_policy|data_?inspection|prohibited|safety", re.IGNORECASE
)


def client(access: Access) -> BoundedClient:
    """Return a client for one question to a service."""
    return BoundedClient(access.base_url, seconds=SECONDS_TO_ANSWER, most_bytes=MOST_BYTES)


def kept(access: Access, status: int | None, text: str) -> Exchange:
    """Return the log's share of an exchange."""
    return Exchange(status, access.redacted(text)[:TEXT_LIMIT])


def of_exchange(error: Exception, answer: httpx.Response | None, access: Access) -> Answer:
    """Say what an exception means that came out of an exchange, after ``answer`` if there was
    one.
    """
    if answer is not None:
        if answer.is_success:
            return unreadable(answer, access)
        return of_status(answer, access)
    words = f"{type(error).__name__}: {error}"
    if isinstance(error, TooLarge):
        return Unusable(words, "", Usage(), Exchange())
    if isinstance(error, httpx.ReadTimeout | httpx.WriteTimeout):
        return TimedOut(words, Exchange())
    return NotTransported(words, None, Exchange())


def unreadable(answer: httpx.Response, access: Access) -> Unusable:
    """Return what a success is whose body nobody can read: the judge was asked, and is not asked
    twice.
    """
    exchange = kept(access, answer.status_code, text_of(answer))
    return Unusable(
        "the answer cannot be read: it is not the JSON of this service", "", Usage(), exchange
    )


def of_status(answer: httpx.Response, access: Access) -> Answer:
    """Say what an answer with an error status means."""
    status, body = answer.status_code, json_of(answer)
    error: Any = body.get("error") if isinstance(body, Mapping) else None
    if not isinstance(error, Mapping):
        error = {}
    code = str(error.get("code") or error.get("status") or "")
    said = str(error.get("message") or code or text_of(answer).strip() or "no reason given")[
        :WORDS_LIMIT
    ]
    words, exchange = f"HTTP {status}: {said}", kept(access, status, text_of(answer))
    if answer.is_redirect:
        words = (
            f"HTTP {status}: it sends elsewhere, to {host_led_to(answer)}; redirects are not "
            "followed"
        )
        return Declined(words, status, exchange)
    if status in _PASSING or status >= 500:  # noqa: PLR2004
        return NotTransported(words, retry_after_s(answer.headers), exchange)
    if _BLOCKS.search(code):
        return Blocked(f"{code}: {said}" if error.get("message") else code, "", Usage(), exchange)
    return Declined(words, status, exchange)
