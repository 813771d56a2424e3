"""What the adapters on official SDKs share: an exchange is read by what came over the wire. No
Django here.

An SDK raises its own errors and those of all it is made of; what its client kept of the answer says
more.
"""

from __future__ import annotations

import json
from typing import Any

import httpx

from fartbench.outgoing import json_of, text_of
from generation.providers.access import Access
from generation.providers.answers import Moderation, at, never_sent, of_error, trace
from generation.providers.port import NoAnswer, NotTaken, Submitted, Trace, Unsure


def of_exception(
    error: Exception, answer: httpx.Response | None, entry: Access, moderation: Moderation
) -> Submitted:
    """Say what an exception on a submission means, after ``answer`` if there was one that came
    whole.
    """
    if answer is None:
        words = entry.redacted(f"{type(error).__name__}: {error}")
        if never_sent(error):
            return NotTaken(words, "not_sent")
        return Unsure(words)
    text = text_of(answer)
    exchanged = trace(answer.status_code, answer.headers, entry.redacted(text))
    if answer.is_success:
        return Unsure("The answer was a success that cannot be read.", exchanged)
    body = json_of(answer)
    body = at(body, "0") if isinstance(body, list) else body
    return of_error(
        answer.status_code, body or {"message": text[:200]}, answer.headers, moderation, exchanged
    )


def no_answer(error: Exception, answer: httpx.Response | None) -> NoAnswer:
    """Return what a look comes to that raised, after ``answer`` if there was one that came
    whole.
    """
    status = f"HTTP {answer.status_code}, " if answer is not None else ""
    return NoAnswer(f"{status}{type(error).__name__} when asked how far it is")


def trace_of(entry: Access, data: Any, status: int = 200) -> Trace:
    """Return the log's share of a good answer."""
    return trace(status, {}, entry.redacted(json.dumps(data, default=str)))
