"""The audit chain: appended in the transaction of what it records, and any tampering shows."""

import pytest
from django.db import IntegrityError, connection, transaction

from fartbench import audit, writeonce
from fartbench.models import AuditEntry, AuditHead

pytestmark = pytest.mark.django_db


def record(count: int = 3) -> None:
    for number in range(count):
        with transaction.atomic():
            audit.record("tested", actor="rae", number=number)


def test_entries_are_chained_and_the_chain_holds() -> None:
    record()
    entries = list(AuditEntry.objects.all())
    assert [entry.sequence for entry in entries] == [1, 2, 3]
    assert [entry.previous_hash for entry in entries[1:]] == [entry.hash for entry in entries[:-1]]
    assert list(audit.faults()) == []


def test_what_is_rolled_back_leaves_no_entry() -> None:
    with pytest.raises(RuntimeError), transaction.atomic():
        audit.record("tested")
        raise RuntimeError
    record(1)
    assert [entry.sequence for entry in AuditEntry.objects.all()] == [1]
    assert list(audit.faults()) == []


@pytest.mark.django_db(transaction=True)
def test_an_entry_outside_a_transaction_is_refused() -> None:
    with pytest.raises(transaction.TransactionManagementError):
        audit.record("tested")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE fartbench_auditentry SET actor = 'nobody' WHERE sequence = 2",
        "DELETE FROM fartbench_auditentry WHERE sequence = 2",
        "DELETE FROM fartbench_auditentry",
    ],
)
def test_the_database_refuses_to_change_or_delete_entries(statement: str) -> None:
    record()
    with pytest.raises(IntegrityError), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement)


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        (
            "UPDATE fartbench_auditentry SET actor = 'nobody' WHERE sequence = 2",
            "entry 2 was changed",
        ),
        ("UPDATE fartbench_auditentry SET at = at WHERE sequence = 0", None),
        ("DELETE FROM fartbench_auditentry WHERE sequence = 2", "entries 2 to 2 are missing"),
        ("DELETE FROM fartbench_auditentry WHERE sequence = 3", "the chain ends at entry 2"),
    ],
)
def test_tampering_by_whoever_lifts_the_guards_is_found(statement: str, words: str | None) -> None:
    record()
    writeonce.uninstall()
    with connection.cursor() as cursor:
        cursor.execute(statement)
    writeonce.install()
    faults = list(audit.faults())
    assert (faults == []) if words is None else any(words in fault for fault in faults)


def test_the_head_counts_what_was_written() -> None:
    record()
    head = AuditHead.objects.get()
    assert (head.sequence, head.hash) == (3, AuditEntry.objects.last().hash)
