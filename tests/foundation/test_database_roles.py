"""Two roles in PostgreSQL: what the program's may not do, and that a whole round works with it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.db import connection
from pytest_django import DjangoDbBlocker

from fartbench import database_roles, writeonce
from scoring.models import Release
from tests.small_lab import make_closed, small_lab

pytestmark = pytest.mark.engine("postgres")
PROGRAM = "fartbench_program"


def drop_role(name: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"DROP OWNED BY {name}")
        cursor.execute(f"DROP ROLE {name}")


@pytest.fixture(scope="module")
def program(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[str]:
    """Return the name of a role that has the program's rights on the test database."""
    with django_db_blocker.unblock():
        database_roles.give_rights(PROGRAM, "it's a \\\\ password")
        database_roles.give_rights(PROGRAM)  # again, as after every upgrade
    yield PROGRAM
    with django_db_blocker.unblock():
        drop_role(PROGRAM)


@pytest.fixture
def as_program(program: str, transactional_db: None) -> Iterator[None]:
    """Work as the program's role in the whole test."""
    before = connection.settings_dict["USER"]
    connection.close()
    connection.settings_dict["USER"] = program
    yield
    connection.close()
    connection.settings_dict["USER"] = before


def connected(role: str) -> psycopg.Connection[tuple[Any, ...]]:
    options = connection.get_connection_params()
    return psycopg.connect(
        host=options["host"], dbname=options["dbname"], user=role, autocommit=True
    )


TRIGGER = "guard_fartbench_auditentry_is_frozen"
REFUSED = {
    "drop a guard": f"DROP TRIGGER {TRIGGER} ON fartbench_auditentry",
    "drop what a guard does": f"DROP FUNCTION {TRIGGER}_f() CASCADE",
    "write anew what a guard does": (
        f"CREATE OR REPLACE FUNCTION {TRIGGER}_f() RETURNS trigger LANGUAGE plpgsql AS "
        "$g$ BEGIN RETURN NEW; END $g$"
    ),
    "switch a guard off": f"ALTER TABLE fartbench_auditentry DISABLE TRIGGER {TRIGGER}",
    "switch all guards off": "ALTER TABLE review_answersheet DISABLE TRIGGER USER",
    "let no trigger fire": "SET session_replication_role = replica",
    "rename a guard": f"ALTER TRIGGER {TRIGGER} ON fartbench_auditentry RENAME TO x",
    "put a trigger before a guard": (
        f"CREATE TRIGGER a BEFORE UPDATE ON review_vote FOR EACH ROW EXECUTE FUNCTION {TRIGGER}_f()"
    ),
    "add a rule": "CREATE RULE r AS ON INSERT TO fartbench_auditentry DO INSTEAD NOTHING",
    "add a column": "ALTER TABLE review_answer ADD COLUMN x text",
    "drop a table": "DROP TABLE scoring_releasedocument",
    "empty a table": "TRUNCATE fartbench_job",
    "make a table": "CREATE TABLE x (id int)",
    "hide a table behind a temporary one": "CREATE TEMPORARY TABLE fartbench_round (id int)",
    "make a schema": "CREATE SCHEMA x",
    "own a table": f"ALTER TABLE review_answer OWNER TO {PROGRAM}",
    "start a program": "COPY (SELECT 1) TO PROGRAM 'true'",
    "read from a program": "COPY fartbench_job (subject) FROM PROGRAM 'id'",
    "write a file": "COPY (SELECT 1) TO '/tmp/x'",
    "read a file": "SELECT pg_read_file('/etc/passwd')",
    "list files": "SELECT pg_ls_dir('.')",
    "become the owner": "SET ROLE fartbench",
    "become a superuser": f"ALTER ROLE {PROGRAM} SUPERUSER",
    "make a role": "CREATE ROLE x",
    "join a mighty role": f"GRANT pg_execute_server_program TO {PROGRAM}",
    "change a setting of the server": "ALTER SYSTEM SET fsync = off",
    "load code": "CREATE FUNCTION x() RETURNS int LANGUAGE c AS 'x'",
    "change an entry of the trail": "UPDATE fartbench_auditentry SET actor = 'x'",
    "remove an entry of the trail": "DELETE FROM fartbench_auditentry",
    "forget a migration": "DELETE FROM django_migrations",
    "number anew": "SELECT setval('fartbench_job_id_seq', 1)",
}


@pytest.mark.parametrize("deed", REFUSED)
def test_the_programs_role_is_refused_to(deed: str, program: str) -> None:
    with connected(program) as database, pytest.raises(psycopg.errors.InsufficientPrivilege):
        database.execute(REFUSED[deed])


def test_rows_are_what_it_may_change(program: str) -> None:
    with connected(program) as database:
        database.execute(
            "INSERT INTO django_session VALUES ('key of nobody', '', now() - interval '1 day')"
        )
        database.execute("UPDATE django_session SET session_data = 'x'")
        assert database.execute("DELETE FROM django_session").rowcount == 1


def test_a_round_goes_from_its_clips_to_a_release(as_program: None, tmp_path: Path) -> None:
    lab = small_lab(tmp_path)
    make_closed(lab)
    for command in (["score", "r1"], ["publish", "r1"], ["verify_audit"], ["verify_data"]):
        call_command(*command)
    call_command("backup", str(tmp_path / "backups"))
    call_command("verify_release", str(Release.objects.get().folder))
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_user")
        assert cursor.fetchone() == (PROGRAM,)


def test_what_a_role_could_get_around_the_guards_with_is_said(as_program: None) -> None:
    assert database_roles.faults() == []
    assert writeonce.missing() == []
    with pytest.raises(database_roles.RolesRefused, match="does not own the tables"):
        database_roles.refuse_unless_owner()
    connection.close()
    connection.settings_dict["USER"] = "fartbench"
    said = " ".join(database_roles.faults())
    for words in ("is a superuser", "may make other roles", "owns tables", "may make tables"):
        assert f"role fartbench {words}" in said


@pytest.fixture
def installation(process_environment: dict[str, str]) -> Iterator[dict[str, str]]:
    """Return the environment of an installation with two roles and an empty database."""
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE IF EXISTS two_roles")
        cursor.execute("CREATE DATABASE two_roles")
    name = connection.settings_dict["NAME"]
    owner = process_environment["DATABASE_URL"].replace(f"/{name}?", "/two_roles?")
    yield {
        **process_environment,
        "DATABASE_OWNER_URL": owner,
        "DATABASE_URL": owner.replace("fartbench@", "lab_program:a-password@"),
    }
    with connection.cursor() as cursor:
        cursor.execute("DROP DATABASE two_roles")
        cursor.execute("DROP ROLE lab_program")


def command(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "manage.py", *words],
        cwd=project.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_set_up_makes_the_role_and_only_the_owner_migrates(
    installation: dict[str, str], tmp_path: Path
) -> None:
    installation["DATA_DIR"] = str(tmp_path)
    first = command(installation, "set_up")
    assert first.returncode == 0, first.stderr
    assert "(0 guards missing)" in first.stdout
    alone = {**installation, "DATABASE_OWNER_URL": ""}
    assert command(alone, "verify_data").returncode == 0
    checked = command(alone, "check", "--database", "default", "--fail-level", "WARNING")
    assert checked.returncode == 0, checked.stderr
    refused = command(alone, "migrate")
    assert (refused.returncode, "DATABASE_OWNER_URL" in refused.stderr) == (1, True)
    assert command(installation, "set_up").returncode == 0


def test_one_role_for_both_is_refused(
    installation: dict[str, str], transactional_db: None, tmp_path: Path
) -> None:
    environment = {
        **installation,
        "DATABASE_URL": installation["DATABASE_OWNER_URL"],
        "DATA_DIR": str(tmp_path),
    }
    done = command(environment, "migrate")
    assert (done.returncode, "both name the role fartbench" in done.stderr) == (1, True)
    with connection.cursor() as cursor:
        cursor.execute("CREATE ROLE lab_program")  # as the other test leaves it
