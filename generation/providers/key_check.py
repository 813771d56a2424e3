"""Whether a provider knows a key: one GET that costs nothing. No Django here.

Most have no call for this, so a job is asked for that does not exist: a provider that answers about
the job has accepted the key.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import httpx

from fartbench.outgoing import BoundedClient
from generation.providers.access import Access, access
from generation.providers.contracts import CONTRACTS

SECONDS = 20.0
MOST_BYTES = 1 << 20
NO_JOB = "00000000-0000-0000-0000-000000000000"
REFUSED = frozenset({401, 403})
NOT_FOUND = frozenset({400, 404, 405, 410, 422})
RUNWAY_VERSION = "2024-11-06"


@dataclass(frozen=True, slots=True)
class KeyCheck:
    """What came of a test: whether the key was accepted, None when that cannot be said, and why."""

    accepted: bool | None
    words: str


def check_key(provider: str) -> KeyCheck:
    """Ask a provider one free question with its key. Raises KeyMissing."""
    entry = access(provider)
    call = _call(provider, entry)
    if call is None:
        return KeyCheck(None, f"{provider} has no free call: its first order tests the key.")
    path, headers = call
    return ask(entry.base_url, path, headers)


def ask(base_url: str, path: str, headers: Mapping[str, str]) -> KeyCheck:
    """Send one GET and say what its status means for the key."""
    try:
        with BoundedClient(base_url, seconds=SECONDS, most_bytes=MOST_BYTES) as http:
            answer = http.get(base_url + path, headers=dict(headers))
    except (httpx.HTTPError, httpx.InvalidURL, UnicodeError) as error:
        return KeyCheck(None, f"The service was not reached: {type(error).__name__}.")
    return _verdict(answer)


def _verdict(answer: httpx.Response) -> KeyCheck:
    status = answer.status_code
    is_bad_key = status in REFUSED or "API_KEY_INVALID" in answer.text
    if is_bad_key:
        return KeyCheck(False, f"The service does not accept the key (HTTP {status}).")
    if answer.is_success or status in NOT_FOUND:
        return KeyCheck(True, f"The service accepts the key (HTTP {status}).")
    return KeyCheck(None, f"The service answered HTTP {status}: this says nothing of the key.")


def _call(provider: str, entry: Access) -> tuple[str, dict[str, str]] | None:
    """Return path and headers of the free question, or None where there is no such question."""
    if provider == "gemini":
        return "/v1beta/models?pageSize=1", {"x-goog-api-key": entry.keys["GEMINI_API_KEY"]}
    if provider == "runway":
        key = entry.keys["RUNWAYML_API_SECRET"]
        headers = {"Authorization": f"Bearer {key}", "X-Runway-Version": RUNWAY_VERSION}
        return "/v1/organization", headers
    contract = CONTRACTS.get(provider)
    if contract is None:
        return None
    path = contract.look.format(id=NO_JOB, app="fal-ai/veo3")
    return path, {"Authorization": contract.authorization(entry.keys)}
