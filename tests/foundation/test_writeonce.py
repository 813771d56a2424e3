"""Guards are there after every migration, and the check says so when one is not."""

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from fartbench import writeonce
from fartbench.checks import guards_are_installed
from fartbench.models import ProtocolVersion, Round
from review.models import AnswerSheet
from tests import factories

pytestmark = pytest.mark.django_db


def test_every_registered_guard_is_installed() -> None:
    assert writeonce.missing() == []
    assert guards_are_installed(databases=["default"]) == []


def test_a_missing_guard_is_a_warning_that_says_what_to_do() -> None:
    writeonce.uninstall()
    found = guards_are_installed(databases=["default"])
    writeonce.install()
    assert {message.id for message in found} == {"fartbench.W002"}
    assert any("audit" in message.msg for message in found)
    assert all("migrate" in (message.hint or "") for message in found)


def on_the_audit_trail(sqlite: str, postgresql: str) -> str:
    return sqlite if connection.vendor == "sqlite" else postgresql


@pytest.mark.parametrize("way", ["dropped", "emptied", "switched off"])
def test_a_guard_that_does_less_than_it_should_is_missing(way: str) -> None:
    name, table = "fartbench_auditentry_is_frozen", "fartbench_auditentry"
    trigger = f"guard_{name}"
    made_empty = on_the_audit_trail(
        f"CREATE TRIGGER {trigger} BEFORE UPDATE ON {table} FOR EACH ROW WHEN FALSE BEGIN SELECT "
        "1; END",
        f"CREATE OR REPLACE FUNCTION {trigger}_f() RETURNS trigger LANGUAGE plpgsql AS $g$ BEGIN "
        "RETURN NEW; END $g$",
    )
    drop = f"DROP TRIGGER {trigger}" + on_the_audit_trail("", f" ON {table}")
    statements = {
        "dropped": [drop],
        "emptied": [*on_the_audit_trail(drop, "").splitlines(), made_empty],
        "switched off": [on_the_audit_trail(drop, f"ALTER TABLE {table} DISABLE TRIGGER USER")],
    }[way]
    with connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
    assert name in writeonce.missing()
    for command in ("verify_audit", "verify_data"):
        with pytest.raises(CommandError, match=f"the database guard {name} is missing"):
            call_command(command)
    call_command("migrate", verbosity=0)
    assert writeonce.missing() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("app", ["review", "scoring", "fartbench", "blinding"])
def test_no_migration_backwards_takes_locked_answers_away(app: str) -> None:
    make_locked_sheet_somewhere()
    with pytest.raises(CommandError, match="could remove locked answers"):
        call_command("migrate", app, "zero", verbosity=0)
    assert AnswerSheet.objects.filter(locked_at__isnull=False).count() == 1
    assert writeonce.missing() == []


def make_locked_sheet_somewhere() -> None:
    round_ = factories.open_round(configurations=1, scenes=["r01-lift"])
    factories.make_locked_sheet(factories.reviewers_of(round_)[0], round_.stimuli.get())


@pytest.mark.django_db(transaction=True)
def test_a_migration_there_and_back_leaves_every_guard() -> None:
    call_command("migrate", "scoring", "zero", verbosity=0)
    assert writeonce.missing() == []
    call_command("migrate", verbosity=0)
    assert writeonce.missing() == []


@pytest.mark.engine("postgres")
def test_truncate_is_refused_too() -> None:
    with (
        pytest.raises(IntegrityError, match="no_truncate"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("TRUNCATE fartbench_auditentry")


@pytest.mark.parametrize("field", ["content", "digest", "version"])
def test_a_loaded_protocol_keeps_its_content(field: str) -> None:
    protocol = factories.make_protocol()
    value = {"content": {"name": "another"}, "digest": "0" * 64, "version": "9.9.9"}[field]
    with pytest.raises(IntegrityError, match="protocol_content_is_kept"), transaction.atomic():
        ProtocolVersion.objects.filter(pk=protocol.pk).update(**{field: value})


def test_an_opened_round_keeps_protocol_seed_and_name() -> None:
    round_ = factories.open_round()
    for change in (
        {"seed": "0"},
        {"name": "another"},
        {"replicates": 3},
        {"opened_at": None},
        {"scene_keys": ["x"]},
    ):
        with (
            pytest.raises(IntegrityError, match="opened_round_keeps_its_protocol"),
            transaction.atomic(),
        ):
            Round.objects.filter(pk=round_.pk).update(**change)
    with (
        pytest.raises(IntegrityError, match="opened_round_is_kept"),
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute("DELETE FROM fartbench_round WHERE id = %s", [round_.pk])


def test_the_error_names_its_guard() -> None:
    protocol = factories.make_protocol()
    with pytest.raises(IntegrityError) as caught, transaction.atomic():
        ProtocolVersion.objects.filter(pk=protocol.pk).update(digest="0" * 64)
    assert writeonce.refused_by(caught.value) == "protocol_content_is_kept"
