"""Where each judge's service is and with which key: read when it is needed, from the environment or
from what an admin entered.

No Django here. ``STAND_IN_JUDGES_URL`` sends every judge to the stand-in judges on loopback
instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import environ
from urllib.parse import urlsplit

from fartbench.outgoing import LOOPBACK
from fartbench.service_access import values_of
from judging.ports.port import KeyMissing

GEMINI_URL = "https://generativelanguage.googleapis.com"
JUDGE_URL = "JUDGE_OPENAI_BASE_URL"
# Of each service the variables that it needs, its key last.
NAMES: dict[str, tuple[str, ...]] = {
    "gemini": ("GEMINI_API_KEY",),
    "openai_compatible": (JUDGE_URL, "JUDGE_OPENAI_API_KEY"),
}


@dataclass(frozen=True)
class Access:
    """A service's address and key. Its text form shows neither, so that no log or error can."""

    base_url: str
    key: str

    def __repr__(self) -> str:
        return f"Access({urlsplit(self.base_url).hostname})"

    def redacted(self, text: str) -> str:
        """Return ``text`` without the key."""
        if self.key:
            return text.replace(self.key, "•••")
        return text


def stand_in_url() -> str:
    """Return the address of the stand-in judges, or an empty text.

    Raises KeyMissing unless it is on loopback.
    """
    url = environ.get("STAND_IN_JUDGES_URL", "").rstrip("/")
    if url and urlsplit(url).hostname not in LOOPBACK:
        raise KeyMissing(
            "STAND_IN_JUDGES_URL is for the stand-in judges on this machine: use a loopback "
            "address."
        )
    return url


def access(service: str) -> Access:
    """Return the access to a service. Raises KeyMissing, naming the variable that is not set."""
    if found := stand_in_url():
        return Access(f"{found}/{service}", f"stand-in-{service}")
    names = NAMES[service]
    values = values_of(service, names)
    if missing := [name for name in names if not values[name]]:
        raise KeyMissing(
            f"Judges of {service} need {' and '.join(missing)}: on the page “Keys of services”, or "
            "in the environment. Nothing was sent."
        )
    base_url = values.get(JUDGE_URL, "") or environ.get("GEMINI_BASE_URL", "") or GEMINI_URL
    return Access(base_url.rstrip("/"), values[names[-1]])
