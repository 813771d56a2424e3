"""The audit trail: an append-only chain of hashes, written in the transaction of what it records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench.models import AuditEntry, AuditHead
from fartbench.protocol import canonical_bytes

SYSTEM = "system"


def record(action: str, *, actor: str = SYSTEM, round_name: str = "", **details: Any) -> AuditEntry:
    """Append one entry. Must run inside the transaction of what it records, so that both stand or neither.

    ``details`` is plain JSON and holds no secret and no address. Raises TransactionManagementError outside a
    transaction.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError("An audit entry belongs in the transaction of what it records.")
    head = AuditHead.objects.select_for_update().filter(pk=1).first() or AuditHead.objects.get_or_create(pk=1)[0]
    entry = AuditEntry(
        sequence=head.sequence + 1,
        at=timezone.now(),
        actor=actor,
        action=action,
        round_name=round_name,
        details=details,
        previous_hash=head.hash,
    )
    entry.hash = _hash(entry)
    entry.save(force_insert=True)
    head.sequence, head.hash = entry.sequence, entry.hash
    head.save()
    return entry


def _hash(entry: AuditEntry) -> str:
    return hashlib.sha256(canonical_bytes(entry.content())).hexdigest()


def faults() -> Iterator[str]:
    """Yield a sentence for each place where the chain does not hold: an entry removed, changed or added beside it."""
    previous_hash, expected = "0" * 64, 1
    for entry in AuditEntry.objects.order_by("sequence").iterator():
        if entry.sequence != expected:
            yield f"entries {expected} to {entry.sequence - 1} are missing"
        elif entry.previous_hash != previous_hash:
            yield f"entry {entry.sequence} does not follow from the one before it"
        if entry.hash != _hash(entry):
            yield f"entry {entry.sequence} was changed after it was written"
        previous_hash, expected = entry.hash, entry.sequence + 1
    head = AuditHead.objects.filter(pk=1).first()
    if head is not None and (head.sequence, head.hash) != (expected - 1, previous_hash):
        yield f"the chain ends at entry {expected - 1}, and {head.sequence} were written"
