"""The audit trail: an append-only chain of hashes, written in the transaction of what it
records.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench.compiled import CompiledQuery, CompiledWrite, Part
from fartbench.links import Link
from fartbench.models import AuditEntry, AuditHead
from fartbench.protocol import canonical_bytes

SYSTEM = "system"
NOTHING_YET = "0" * 64  # what the first entry follows from
_HEAD = Part(AuditHead)
_head = CompiledQuery(
    lambda pk: AuditHead.objects.select_for_update().filter(pk=pk).values_list(*_HEAD.columns)
)
_entries = CompiledWrite(AuditEntry, tuple(Part(AuditEntry).names))
_heads = CompiledWrite(AuditHead, ("sequence", "hash"))


def record(action: str, *, actor: str = SYSTEM, round_name: str = "", **details: Any) -> AuditEntry:
    """Append one entry. Must run inside the transaction of what it records, so that both stand or
    neither.

    ``details`` is plain JSON and holds no secret and no address. Raises TransactionManagementError
    outside a transaction.
    """
    if not transaction.get_connection().in_atomic_block:
        raise transaction.TransactionManagementError(
            "An audit entry belongs in the transaction of what it records."
        )
    rows = _head.rows(pk=1)
    if rows:
        head = _HEAD.stored(rows[0])
    else:
        head = AuditHead.objects.get_or_create(pk=1)[0]
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
    _entries.insert(entry)
    head.sequence, head.hash = entry.sequence, entry.hash
    _heads.update(head)
    return entry


def hold() -> None:
    """Wait until nobody else appends to the trail, and keep others from it until this transaction
    ends.

    What is looked at after this is as every step that was recorded before has left it.
    """
    if not _head.rows(pk=1):
        AuditHead.objects.get_or_create(pk=1)
        _head.rows(pk=1)


def _hash(entry: AuditEntry) -> str:
    return hashlib.sha256(canonical_bytes(entry.content())).hexdigest()


def head() -> Link:
    """Return the newest link.

    Anyone who notes it elsewhere can later show that nothing before it was taken away.
    """
    found = AuditHead.objects.filter(pk=1).first() or AuditHead()
    return Link(found.sequence, found.hash)


def faults(noted: Iterable[Link] = ()) -> Iterator[str]:
    """Yield a sentence for each place where the chain does not hold: an entry removed, changed or
    added beside it.

    Entries cut off at the end leave a chain that is whole. They show against the row that counts
    what was written, and when that was set back too, against links ``noted`` elsewhere.
    """
    previous_hash, expected = NOTHING_YET, 1
    sought = list(noted)
    wanted = {link.sequence for link in sought}
    found = {0: NOTHING_YET}
    for entry in AuditEntry.objects.order_by("sequence").iterator():
        if entry.sequence != expected:
            yield f"entries {expected} to {entry.sequence - 1} are missing"
        elif entry.previous_hash != previous_hash:
            yield f"entry {entry.sequence} does not follow from the one before it"
        if entry.hash != _hash(entry):
            yield f"entry {entry.sequence} was changed after it was written"
        if entry.sequence in wanted:
            found[entry.sequence] = entry.hash
        previous_hash, expected = entry.hash, entry.sequence + 1
    newest = head()
    if (newest.sequence, newest.hash) != (expected - 1, previous_hash):
        yield f"the chain ends at entry {expected - 1}, and {newest.sequence} were written"
    yield from (
        _missed(link, found.get(link.sequence))
        for link in sought
        if found.get(link.sequence) != link.hash
    )


def _missed(link: Link, there: str | None) -> str:
    if there is None:
        return (
            f"{link.noted} names entry {link.sequence}, which is not there: the end of the chain "
            "was cut off"
        )
    return (
        f"{link.noted} names entry {link.sequence} with the hash {link.hash}; the chain has "
        f"{there} there"
    )
