"""Keys of services that an admin entered: sealed in the database, and never shown again.

`fartbench.sealing` says how.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.models import ServiceKey
from fartbench.sealing import seal, unseal

_PURPOSE = "fartbench.entered_keys"


@transaction.atomic
def enter_key(service: str, values: Mapping[str, str], *, actor: str) -> None:
    """Seal and store what a service needs, in place of what was entered before."""
    content = json.dumps({"service": service, "values": dict(values)})
    ServiceKey.objects.update_or_create(
        service=service,
        defaults={
            "sealed": seal(_PURPOSE, content),
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
    text = unseal(_PURPOSE, row.sealed)
    if text is None:
        return None
    content = json.loads(text)
    if content["service"] != row.service:
        return None
    values: dict[str, str] = content["values"]
    return values
