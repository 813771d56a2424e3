"""What an answer means: refusals by their body first, then by status. No Django here.

A safety block is often a 400 or 422, so the status alone would take it for a mistake of ours and
send it again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from fartbench.outgoing import retry_after_s
from generation.providers.port import NeedsOperator, NotTaken, Refused, Submitted, Trace, Unsure

TEXT_LIMIT = 4000
MOST = 10**18  # no number that a provider means is larger
_RETIRED = re.compile(
    r"no longer available|has been (shut down|retired|removed)|is retired|was shut down",
    re.IGNORECASE,
)
_CREDIT = re.compile(r"insufficient|exhausted|balance|billing", re.IGNORECASE)
_REQUEST_ID_HEADERS = (
    "x-request-id",
    "x-fal-request-id",
    "x-client-request-id",
    "x-goog-request-id",
)
_NEVER_SENT = {"ConnectError", "ConnectTimeout", "PoolTimeout", "UnsupportedProtocol"}


@dataclass(frozen=True)
class Moderation:
    """How a provider says that it declines: by error codes, by a pattern on code or message, and
    where both stand.
    """

    codes: frozenset[str] = frozenset()
    pattern: str = ""
    code_paths: tuple[str, ...] = ("error.code", "code")
    message_paths: tuple[str, ...] = ("error.message", "message")

    def read(self, body: Any) -> tuple[str, str]:
        """Return the code and the message of an error body, empty where it has none."""
        code = next(
            (str(found) for path in self.code_paths if (found := at(body, path)) not in (None, "")),
            "",
        )
        text = next(
            (
                str(found)
                for path in self.message_paths
                if (found := at(body, path)) not in (None, "")
            ),
            "",
        )
        return code, text

    def declines(self, code: str, message: str) -> bool:
        """Say whether an error with this code and message is a refusal of the content."""
        return code in self.codes or bool(
            self.pattern and re.search(self.pattern, f"{code} {message}")
        )


def at(data: Any, path: str) -> Any:
    """Return what lies at a dotted path of keys and indexes, or None."""
    for part in path.split("."):
        if isinstance(data, Mapping):
            data = data.get(part)
        elif isinstance(data, list | tuple) and part.isdigit() and int(part) < len(data):
            data = data[int(part)]
        else:
            return None
    return data


def number(value: Any) -> Decimal | None:
    """Return a number that is one, or None."""
    try:
        amount = Decimal(str(value))
    except ArithmeticError:
        return None
    if amount.is_finite() and abs(amount) < MOST:
        return amount
    return None


def trace(status: int, headers: Mapping[str, str], text: str) -> Trace:
    """Return what the log keeps of an answer; ``text`` has its keys removed already."""
    request_ids = {name: headers[name] for name in _REQUEST_ID_HEADERS if headers.get(name)}
    return Trace(status, request_ids, text[:TEXT_LIMIT])


def of_error(
    status: int, body: Any, headers: Mapping[str, str], moderation: Moderation, kept: Trace
) -> Submitted:
    """Say what an answer without an id means (table of providers' answers,
    ``docs/generation.md``).
    """
    code, message = moderation.read(body)
    words = message or code or f"HTTP {status} without a reason"
    if moderation.declines(code, message):
        return Refused(words, code, kept)
    if not 400 <= status < 600:  # noqa: PLR2004
        return _elsewhere(status, words, kept)
    if status in (404, 410) or _RETIRED.search(message):
        retired = status == 410 or bool(_RETIRED.search(message))  # noqa: PLR2004
        return NeedsOperator(
            f"HTTP {status}: {words}", "provider_retired" if retired else code or "not_found", kept
        )
    if status in (408, 425, 429) or status >= 500:  # noqa: PLR2004
        if status == 429 and _CREDIT.search(f"{code} {message}"):  # noqa: PLR2004 - a quota that waiting does not refill
            return NeedsOperator(f"HTTP 429: {words}", code or "no_credit", kept)
        return NotTaken(
            f"HTTP {status}: {words}", code or str(status), retry_after_s(headers), kept
        )
    return NeedsOperator(f"HTTP {status}: {words}", code or str(status), kept)


def _elsewhere(status: int, words: str, kept: Trace) -> NeedsOperator | Unsure:
    """Say what an answer means that is neither a success nor an error: "see other" may stand for
    what was made.
    """
    if status in (307, 308):
        return NeedsOperator(
            f"HTTP {status}: it sends elsewhere; redirects are not followed", "redirect", kept
        )
    return Unsure(f"HTTP {status}: {words}", kept)


def never_sent(error: BaseException | None) -> bool:
    """Say whether an error of any of the HTTP libraries means that not a byte of the request left
    this machine.
    """
    while error is not None:
        if type(error).__name__ in _NEVER_SENT:
            return True
        error = error.__cause__ or error.__context__
    return False
