"""Keys of services that an admin entered: sealed in the database, and never shown again.

They are sealed with Fernet under a key that follows from ``SECRET_KEY``, which is in no row. A key
that was sealed under an earlier ``SECRET_KEY`` opens while ``SECRET_KEY_FALLBACKS`` names that one.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import transaction
from django.utils import timezone
from django.utils.crypto import salted_hmac

from fartbench import audit
from fartbench.models import ServiceKey

if TYPE_CHECKING:
    from cryptography.fernet import MultiFernet

_PURPOSE = "fartbench.entered_keys"


@transaction.atomic
def enter_key(service: str, values: Mapping[str, str], *, actor: str) -> None:
    """Seal and store what a service needs, in place of what was entered before."""
    content = json.dumps({"service": service, "values": dict(values)}).encode()
    ServiceKey.objects.update_or_create(
        service=service,
        defaults={
            "sealed": _fernet().encrypt(content).decode(),
            "entered_by": actor,
            "entered_at": timezone.now(),
            "verdict": "",
            "tested_at": None,
        },
    )
    audit.record("service key entered", actor=actor, service=service)


@transaction.atomic
def forget_key(service: str, *, actor: str) -> bool:
    """Remove what was entered; say whether there was anything."""
    count, _ = ServiceKey.objects.filter(service=service).delete()
    if count:
        audit.record("service key removed", actor=actor, service=service)
    return bool(count)


def note_test(service: str, verdict: str) -> None:
    """Store what the service said to a test of its key."""
    ServiceKey.objects.filter(service=service).update(verdict=verdict, tested_at=timezone.now())


def entered_values(service: str) -> dict[str, str]:
    """Return what was entered for a service: nothing when there is none, and nothing when it was
    sealed under a ``SECRET_KEY`` that this installation no longer has.
    """
    row = ServiceKey.objects.filter(service=service).first()
    if row is None:
        return {}
    return opened(row) or {}


def opened(row: ServiceKey) -> dict[str, str] | None:
    """Return what a row holds, or None when it cannot be opened or is another service's."""
    from cryptography.fernet import InvalidToken  # noqa: PLC0415 - web processes start without it

    try:
        content = json.loads(_fernet().decrypt(row.sealed))
    except InvalidToken:
        return None
    if content["service"] != row.service:
        return None
    values: dict[str, str] = content["values"]
    return values


def _fernet() -> MultiFernet:
    from cryptography.fernet import Fernet, MultiFernet  # noqa: PLC0415 - see above

    secrets = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    return MultiFernet([Fernet(_derived(secret)) for secret in secrets])


def _derived(secret: str) -> bytes:
    digest = salted_hmac(_PURPOSE, "key", secret=secret, algorithm="sha256").digest()
    return urlsafe_b64encode(digest)
