"""Where each provider is and with which key: read when it is needed, from the environment or from
what an admin entered.

No Django here. ``STAND_IN_URL`` sends every provider to the stand-in servers on loopback instead.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address
from os import environ
from urllib.parse import urlsplit

from fartbench.outgoing import LOOPBACK
from fartbench.service_access import values_of
from generation.providers.order import KeyMissing

# Of each provider: the variable of its address, the address without it, and the variables of its
# keys. DashScope has none that would fit everybody, for a workspace there has a host of its own.
SERVICES: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "gemini": ("GEMINI_BASE_URL", "https://generativelanguage.googleapis.com", ("GEMINI_API_KEY",)),
    "vertex": (
        "VERTEX_BASE_URL",
        "https://aiplatform.googleapis.com",
        ("VERTEX_PROJECT", "VERTEX_ACCESS_TOKEN"),
    ),
    "fal": ("FAL_BASE_URL", "https://queue.fal.run", ("FAL_KEY",)),
    "runway": ("RUNWAY_BASE_URL", "https://api.dev.runwayml.com", ("RUNWAYML_API_SECRET",)),
    "ark": ("ARK_BASE_URL", "https://ark.ap-southeast.bytepluses.com", ("ARK_API_KEY",)),
    "dashscope": ("DASHSCOPE_BASE_URL", "", ("DASHSCOPE_API_KEY",)),
    "minimax": ("MINIMAX_BASE_URL", "https://api.minimax.io", ("MINIMAX_API_KEY",)),
    "xai": ("XAI_BASE_URL", "https://api.x.ai", ("XAI_API_KEY",)),
    "kling": (
        "KLING_BASE_URL",
        "https://api-singapore.klingai.com",
        ("KLING_ACCESS_KEY", "KLING_SECRET_KEY"),
    ),
    "openai": ("OPENAI_BASE_URL", "https://api.openai.com", ("OPENAI_API_KEY",)),
    "websocket": ("STREAM_URL", "", ()),
}
_NO_SECRETS = frozenset({"VERTEX_PROJECT"})  # which stands in every operation's name
_SIGNED = re.compile(r"\beyJ[\w-]+\.[\w-]+\.[\w-]+")  # a JSON Web Token


@dataclass(frozen=True)
class Access:
    """A provider's address and keys. Its text form shows neither, so that no log or error can."""

    base_url: str
    keys: dict[str, str]

    def __repr__(self) -> str:
        return f"Access({urlsplit(self.base_url).hostname})"

    @property
    def is_stand_in(self) -> bool:
        """Say whether the address is on this machine."""
        return urlsplit(self.base_url).hostname in LOOPBACK

    @property
    def is_simulated(self) -> bool:
        """Say whether the address cannot be a provider's: one on this machine or in its network, or
        one without TLS. Streams of rollouts may come from the network: a lab has models of its own.
        """
        parts = urlsplit(self.base_url)
        host = parts.hostname or ""
        if parts.scheme in {"ws", "wss"}:
            return host in LOOPBACK
        return parts.scheme != "https" or "." not in host or _is_inside(host)

    def redacted(self, text: str) -> str:
        """Return ``text`` with every key taken out, and every token that was signed with one."""
        secrets = (key.strip() for name, key in self.keys.items() if name not in _NO_SECRETS)
        for key in sorted(secrets, key=len, reverse=True):
            if len(key) > 3:  # noqa: PLR2004 - shorter ones are no secrets, and would riddle the text
                text = text.replace(key, "•••")
        return _SIGNED.sub("•••", text)


def _is_inside(host: str) -> bool:
    """Say whether a host is given by an address that no provider on the Internet has."""
    try:
        return not ip_address(host).is_global
    except ValueError:
        return False  # a name


def access(provider: str) -> Access:
    """Return the access to a provider.

    Raises KeyMissing, naming the variables, when a key is not set.
    """
    variable, usual, names = SERVICES[provider]
    base_url = environ.get(variable, "") or usual
    if provider == "websocket":
        return _streams(base_url)
    if stand_in := environ.get("STAND_IN_URL", ""):
        if urlsplit(stand_in).hostname not in LOOPBACK:
            raise KeyMissing(
                "STAND_IN_URL is for the stand-in servers on this machine: use a loopback address."
            )
        return Access(
            f"{stand_in.rstrip('/')}/{provider}",
            {name: _stand_in_key(name, provider) for name in names},
        )
    keys = values_of(provider, needed(provider))
    if missing := [name for name, value in keys.items() if not value]:
        raise KeyMissing(
            f"{provider} needs {' and '.join(missing)}: on the page “Keys of services”, or in the "
            "environment. Nothing was sent."
        )
    return Access((keys.pop(variable, "") or base_url).rstrip("/"), keys)


def needed(provider: str) -> tuple[str, ...]:
    """Return the variables without which nothing is sent to a provider: its keys, and its address
    where no address fits everybody.
    """
    variable, usual, names = SERVICES[provider]
    return names if usual else (*names, variable)


def is_simulated(provider: str) -> bool:
    """Say whether orders to a provider go to what only pretends to be it."""
    try:
        return provider in SERVICES and access(provider).is_simulated
    except KeyMissing:
        return False  # Nothing is sent.


def _stand_in_key(name: str, provider: str) -> str:
    if name in _NO_SECRETS:
        return "stand-in"
    return f"stand-in-{provider}"


def _streams(url: str) -> Access:
    """Return where rollouts are streamed. While the stand-ins are in use nothing else is
    reached.
    """
    entry = Access(url, {})
    if not url or (environ.get("STAND_IN_URL", "") and not entry.is_stand_in):
        raise KeyMissing(
            "STREAM_URL must be set to where rollouts are streamed, on loopback while STAND_IN_URL "
            "is."
        )
    return entry


def vertex_location() -> str:
    """Return the region that Veo runs in."""
    return environ.get("VERTEX_LOCATION", "") or "us-central1"
