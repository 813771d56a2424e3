"""“verify_audit” finds every entry that was removed or changed, the last ones too, and rows that
left their entries.
"""

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction

from fartbench import audit, writeonce
from fartbench.links import Link
from fartbench.models import AuditEntry
from operations.auditing import trail_faults
from scoring.models import Release
from tests.scoring.rows import make_locked_round, make_published_round

pytestmark = pytest.mark.django_db
LIFT = ["r01-lift"]


def tamper(*statements: str) -> None:
    """Do as somebody does who rules the database: lift the guards, change rows, put the guards
    back.
    """
    writeonce.uninstall()
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    connection.check_constraints()  # PostgreSQL changes no table while checks of its rows are outstanding
    writeonce.install()


def cut_off_after(sequence: int) -> None:
    """Take away the newest entries, and set the row that counts them back, as a careful forger
    would.
    """
    newest = AuditEntry.objects.get(sequence=sequence).hash
    tamper(
        f"DELETE FROM fartbench_auditentry WHERE sequence > {sequence}",
        f"UPDATE fartbench_audithead SET sequence = {sequence}, hash = '{newest}'",
    )


@pytest.fixture
def release() -> Release:
    return make_published_round(scenes=LIFT, configurations=("alpha",))


def test_a_trail_that_nobody_touched_holds_and_its_head_is_printed(
    release: Release, capsys
) -> None:
    call_command("verify_audit")
    said = capsys.readouterr().out
    assert "holds" in said
    assert str(audit.head()) in said
    call_command("verify_audit", "--head", str(audit.head()))


def test_every_single_entry_is_missed_when_it_is_removed(release: Release) -> None:
    for entry in list(AuditEntry.objects.order_by("sequence")):
        tamper(f"DELETE FROM fartbench_auditentry WHERE sequence = {entry.sequence}")
        with pytest.raises(CommandError, match="does not hold") as refusal:
            call_command("verify_audit")
        assert refusal.value.returncode == 1
        entry.save(force_insert=True)
    assert list(trail_faults()) == []


@pytest.mark.parametrize(
    "column", ["at", "actor", "action", "round_name", "details", "previous_hash", "hash"]
)
def test_a_change_of_any_column_is_found(release: Release, column: str) -> None:
    other = {"at": "'2020-01-01 00:00:00+00'", "details": "'{\"a\": 1}'"}.get(
        column, f"'{'1' * 60}'"
    )
    last = AuditEntry.objects.last().sequence
    for sequence in (1, last // 2, last):
        before = AuditEntry.objects.get(sequence=sequence)
        tamper(f"UPDATE fartbench_auditentry SET {column} = {other} WHERE sequence = {sequence}")
        assert list(trail_faults()) != []
        writeonce.uninstall()
        before.save()
        writeonce.install()
    assert list(trail_faults()) == []


def test_an_end_cut_off_with_its_counter_set_back_is_found_by_what_the_entries_told_of(
    release: Release,
) -> None:
    cut_off_after(AuditEntry.objects.get(action="round published").sequence - 1)
    assert any(
        f"release 1 of round {release.round.name}: no entry" in fault for fault in trail_faults()
    )


def test_an_end_cut_off_before_a_release_is_found_by_the_head_that_the_release_states(
    release: Release,
) -> None:
    stated = json.loads((release.folder / "manifest.json").read_bytes())["audit"]
    cut_off_after(stated["sequence"] - 1)
    cut_off = [fault for fault in trail_faults() if "the end of the chain was cut off" in fault]
    assert len(cut_off) == 2, "one by the release's row, one by its folder"


def test_an_end_that_no_row_tells_of_is_found_by_a_head_that_was_noted(release: Release) -> None:
    with transaction.atomic():
        audit.record("scores previewed", actor="stan")
    noted = audit.head()
    cut_off_after(noted.sequence - 1)
    assert list(trail_faults()) == []
    with pytest.raises(CommandError, match="the end of the chain was cut off"):
        call_command("verify_audit", "--head", str(noted))


def test_a_chain_written_anew_from_a_changed_entry_on_does_not_have_the_head_that_was_noted() -> (
    None
):
    with transaction.atomic():
        audit.record("tested", actor="ada")
    noted = audit.head()
    tamper(
        "DELETE FROM fartbench_auditentry",
        f"UPDATE fartbench_audithead SET sequence = 0, hash = '{'0' * 64}'",
    )
    with transaction.atomic():
        audit.record("tested", actor="somebody else")
    assert list(trail_faults()) == []
    assert [fault for fault in trail_faults([noted]) if "the chain has" in fault]


def test_a_trail_emptied_together_with_its_counter_is_found(release: Release) -> None:
    tamper("DELETE FROM fartbench_auditentry", "DELETE FROM fartbench_audithead")
    assert list(trail_faults()) != []


def test_a_counter_that_is_gone_while_entries_are_there_is_found() -> None:
    with transaction.atomic():
        audit.record("tested")
    tamper("DELETE FROM fartbench_audithead")
    assert list(trail_faults()) == ["the chain ends at entry 1, and 0 were written"]


def test_a_locked_sheet_taken_away_with_its_answers_is_found() -> None:
    round_ = make_locked_round(scenes=LIFT, configurations=("alpha",))
    sheet = round_.stimuli.get().sheets.first()
    tamper(
        f"DELETE FROM review_answer WHERE sheet_id = {sheet.pk}",
        f"DELETE FROM review_answersheet WHERE id = {sheet.pk}",
    )
    assert list(trail_faults()) == [
        f"the sheet of {sheet.reviewer.code} on {sheet.stimulus_id}: an entry names it, and the "
        "row does not exist"
    ]


@pytest.mark.parametrize("text", ["", "7", "7:abc", f"x:{'0' * 64}", f"7:{'0' * 63}g"])
def test_what_is_no_head_is_called_a_wrong_use(text: str) -> None:
    with pytest.raises(ValueError, match="SEQUENCE:HASH"):
        Link.parse(text)
    with pytest.raises(CommandError):
        call_command("verify_audit", "--head", text)
