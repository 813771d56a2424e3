"""Guards are there after every migration, and the check says so when one is not."""

import pytest
from django.core.management import call_command
from django.db import IntegrityError, connection, transaction

from fartbench import writeonce
from fartbench.checks import guards_are_installed
from fartbench.models import ProtocolVersion, Round
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


@pytest.mark.django_db(transaction=True)
def test_a_migration_there_and_back_leaves_every_guard() -> None:
    call_command("migrate", "scoring", "zero", verbosity=0)
    assert writeonce.missing() == []
    call_command("migrate", verbosity=0)
    assert writeonce.missing() == []


@pytest.mark.engine("postgres")
def test_truncate_is_refused_too() -> None:
    with pytest.raises(IntegrityError, match="no_truncate"), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("TRUNCATE fartbench_auditentry")


@pytest.mark.parametrize("field", ["content", "digest", "version"])
def test_a_loaded_protocol_keeps_its_content(field: str) -> None:
    protocol = factories.make_protocol()
    value = {"content": {"name": "another"}, "digest": "0" * 64, "version": "9.9.9"}[field]
    with pytest.raises(IntegrityError, match="protocol_content_is_kept"), transaction.atomic():
        ProtocolVersion.objects.filter(pk=protocol.pk).update(**{field: value})


def test_an_opened_round_keeps_protocol_seed_and_name() -> None:
    round_ = factories.open_round()
    for change in ({"seed": "0"}, {"name": "another"}, {"replicates": 3}, {"opened_at": None}, {"scene_keys": ["x"]}):
        with pytest.raises(IntegrityError, match="opened_round_keeps_its_protocol"), transaction.atomic():
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
