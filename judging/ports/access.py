"""Where each judge's service is and with which key: from the environment, read when it is needed,
kept nowhere.

No Django here. ``STAND_IN_JUDGES_URL`` sends every judge to the stand-in judges on loopback
instead.
"""

from __future__ import annotations

from dataclasses import dataclass
from os import environ
from urllib.parse import urlsplit

from fartbench.outgoing import LOOPBACK
from judging.ports.port import KeyMissing


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
    variables = _variables()[service]
    if missing := [name for name, value in variables.items() if not value]:
        raise KeyMissing(
            f"Judges of {service} need {' and '.join(missing)} in the environment. Nothing was "
            "sent."
        )
    base_url, key = variables.values()
    return Access(base_url.rstrip("/"), key)


def _variables() -> dict[str, dict[str, str]]:
    """Return address and key of each service, by the names of their variables."""
    return {
        "gemini": {
            "GEMINI_BASE_URL": environ.get("GEMINI_BASE_URL", "")
            or "https://generativelanguage.googleapis.com",
            "GEMINI_API_KEY": environ.get("GEMINI_API_KEY", ""),
        },
        "openai_compatible": {
            "JUDGE_OPENAI_BASE_URL": environ.get("JUDGE_OPENAI_BASE_URL", ""),
            "JUDGE_OPENAI_API_KEY": environ.get("JUDGE_OPENAI_API_KEY", ""),
        },
    }
