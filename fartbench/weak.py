"""Settings that would leave an installation open. Web servers and workers do not start with
them.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import Error
from django.core.exceptions import ImproperlyConfigured

SHORTEST_KEY, FEWEST_CHARACTERS = 32, 8
_EXAMPLES = ("change", "example", "insecure", "secret", "random text")


def weak_settings() -> list[Error]:
    """Return an error for each setting that is unfit for service, with what to do about it."""
    faults = [*_faults_of_key(settings.SECRET_KEY), *_faults_of_address()]
    return [Error(text, hint=hint, id=f"fartbench.E{number:03}") for number, text, hint in faults]


def refuse_weak_settings() -> None:
    """Raise ImproperlyConfigured, naming each setting that is unfit for service.

    For what starts to serve or work.
    """
    if found := weak_settings():
        lines = "\n".join(f"  {fault.msg} {fault.hint}" for fault in found)
        raise ImproperlyConfigured(f"These settings would leave the installation open:\n{lines}")


def is_loopback(address: str) -> bool:
    """Say whether an address such as BASE_URL reaches only this machine."""
    host = urlsplit(address).hostname or ""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _faults_of_key(key: str) -> Iterator[tuple[int, str, str]]:
    new = "Set a long random one, such as “openssl rand -hex 32” prints."
    if len(key) < SHORTEST_KEY or len(set(key)) < FEWEST_CHARACTERS:
        yield (
            1,
            f"SECRET_KEY is shorter than {SHORTEST_KEY} characters, or has few different ones.",
            new,
        )
    elif any(word in key.lower() for word in _EXAMPLES):
        yield 1, "SECRET_KEY is an example and no random text.", new


def _is_whole_domain(host: str) -> bool:
    """Say whether a host such as “.org” covers all names below a top domain."""
    return host.startswith(".") and "." not in host[1:]


def _faults_of_address() -> Iterator[tuple[int, str, str]]:
    for host in settings.ALLOWED_HOSTS:
        if "*" in host or _is_whole_domain(host):
            yield (
                2,
                f"ALLOWED_HOSTS is “{host}”, so that names of other people would be answered.",
                "Name the hosts, or leave it out.",
            )
    if is_loopback(settings.BASE_URL):
        return
    if not settings.BASE_URL.startswith("https://"):
        yield (
            3,
            f"BASE_URL is {settings.BASE_URL}: sessions and answers would cross the network in the "
            "clear.",
            "Use an https address (docs/operations.md says how), or a loopback address.",
        )
    if settings.DEBUG:
        yield (
            4,
            "DEBUG is on at an address that others reach: errors would show settings and rows.",
            "Turn it off.",
        )
