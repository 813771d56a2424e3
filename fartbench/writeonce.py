"""Guards in the database itself: triggers that refuse to change what must not change, on SQLite and
PostgreSQL.

Each app registers its guards in ``AppConfig.ready``. They are dropped before a migration that has
work to do and installed after it: a rebuilt SQLite table loses its triggers without a word, and a
trigger that reads another table stops the rebuild. ``fartbench.checks`` reports a guard that is
missing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from django.db import IntegrityError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

PREFIX = "guard_"


@dataclass(frozen=True, slots=True)
class Guard:
    """Refuses ``event`` on a row of ``table`` when the SQL predicate ``when`` holds on OLD and NEW.

    ``name`` is the trigger's name and the text of the IntegrityError. ``columns`` narrows an update
    to those. ``parents`` are rows that PostgreSQL first locks FOR SHARE, each a table and the SQL
    expression of an id, such as ``NEW.sheet_id``. Two transactions that both commit could otherwise
    end a parent and change its parts. SQLite has one writer.
    """

    name: str
    table: str
    event: Literal["INSERT", "UPDATE", "DELETE"]
    when: str = "TRUE"
    columns: tuple[str, ...] = ()
    parents: tuple[tuple[str, str], ...] = ()


_guards: list[Guard] = []


def register(*guards: Guard) -> None:
    """Add guards to those that are installed after each migration.

    Registering one twice changes nothing.
    """
    _guards.extend(guard for guard in guards if guard not in _guards)


def never_changes(table: str, *, once: str = "TRUE") -> tuple[Guard, Guard]:
    """Return the guards of a row that no one may change or delete while ``once`` (a predicate on
    OLD) holds.
    """
    return (
        Guard(f"{table}_is_frozen", table, "UPDATE", once),
        Guard(f"{table}_is_kept", table, "DELETE", once),
    )


def refused_by(error: IntegrityError) -> str | None:
    """Return the name of the guard that raised ``error``, or None when it was another
    constraint.
    """
    text = str(error)
    return next((guard.name for guard in _guards if guard.name in text), None)


def install(*, using: str = "default") -> None:
    """(Re)create every guard whose table exists, without a moment in which they are not there."""
    connection = connections[using]
    statements = [
        sql for guard in _present(connection) for sql in _create(connection.vendor, guard)
    ]
    if connection.vendor == "postgresql":
        statements += [
            sql
            for table in sorted({g.table for g in _present(connection)})
            for sql in _no_truncate(table)
        ]
    with transaction.atomic(using=using):
        uninstall(using=using)
        _execute(connection, statements)


def uninstall(*, using: str = "default") -> None:
    """Drop every guard that is there, so that a migration or the flush of a test can do its
    work.
    """
    connection = connections[using]
    _execute(
        connection,
        [_drop(connection.vendor, name, table) for name, table in _installed(connection)],
    )


def missing(*, using: str = "default") -> list[str]:
    """Return the names of guards that should be there and are not: dropped, switched off, or made
    to do less.
    """
    connection = connections[using]
    there = dict(_definitions(connection))
    return sorted(
        guard.name
        for guard in _present(connection)
        if there.get(PREFIX + guard.name) != _definition(connection, guard)
    )


def faults(*, using: str = "default") -> list[str]:
    """Return a sentence for each guard that is missing, for what may not call rows safe then."""
    return [
        f"the database guard {name} is missing, so that rows could be changed: “manage.py migrate” "
        "installs it again"
        for name in missing(using=using)
    ]


def _definitions(connection: BaseDatabaseWrapper) -> list[tuple[str, str]]:
    """Return the names of the triggers that are at work, and what each does as the database keeps
    it.
    """
    if connection.vendor == "sqlite":
        query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s"
    else:
        query = (
            "SELECT t.tgname, p.prosrc FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal AND "
            "pg_table_is_visible(c.oid) "
            "AND t.tgenabled IN ('O', 'A') AND t.tgname LIKE %s"
        )
    with connection.cursor() as cursor:
        cursor.execute(query, [PREFIX.replace("_", r"_") + "%"])
        return [(str(name), _squeezed(str(text))) for name, text in cursor.fetchall()]


def _definition(connection: BaseDatabaseWrapper, guard: Guard) -> str:
    statement = _create(connection.vendor, guard)[0]
    return _squeezed(statement if connection.vendor == "sqlite" else statement.split("$guard$")[1])


def _squeezed(text: str) -> str:
    return " ".join(text.split())


def _present(connection: BaseDatabaseWrapper) -> list[Guard]:
    tables = set(connection.introspection.table_names())
    return [guard for guard in _guards if guard.table in tables]


def _installed(connection: BaseDatabaseWrapper) -> list[tuple[str, str]]:
    if connection.vendor == "sqlite":
        query = "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger' AND name LIKE %s"
    else:
        query = (
            "SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid "
            "WHERE NOT t.tgisinternal AND pg_table_is_visible(c.oid) AND t.tgname LIKE %s"
        )
    with connection.cursor() as cursor:
        cursor.execute(query, [PREFIX.replace("_", r"_") + "%"])
        return [(str(name), str(table)) for name, table in cursor.fetchall()]


def _create(vendor: str, guard: Guard) -> list[str]:
    if vendor == "sqlite":
        return _create_sqlite(guard)
    return _create_postgresql(guard)


def _event(guard: Guard) -> str:
    columns = f" OF {', '.join(guard.columns)}" if guard.columns else ""
    return f"{guard.event}{columns} ON {guard.table}"


def _create_sqlite(guard: Guard) -> list[str]:
    return [
        f"CREATE TRIGGER {PREFIX}{guard.name} BEFORE {_event(guard)} FOR EACH ROW WHEN "
        f"{guard.when} "
        f"BEGIN SELECT RAISE(ABORT, '{guard.name}'); END"
    ]


def _create_postgresql(guard: Guard) -> list[str]:
    locks = "".join(
        f"PERFORM 1 FROM {table} WHERE id = {ident} FOR SHARE;\n" for table, ident in guard.parents
    )
    function = f"{PREFIX}{guard.name}_f"
    row = "OLD" if guard.event == "DELETE" else "NEW"
    return [
        f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $guard$ "
        f"BEGIN\n{locks}"
        f"IF {guard.when} THEN RAISE EXCEPTION '{guard.name}' USING ERRCODE = "
        "'integrity_constraint_violation'; "
        f"END IF;\nRETURN {row};\nEND $guard$",
        f"CREATE TRIGGER {PREFIX}{guard.name} BEFORE {_event(guard)} FOR EACH ROW EXECUTE FUNCTION "
        f"{function}()",
    ]


def _no_truncate(table: str) -> list[str]:
    # Row triggers do not see TRUNCATE.
    function = f"{PREFIX}no_truncate_f"
    return [
        f"CREATE OR REPLACE FUNCTION {function}() RETURNS trigger LANGUAGE plpgsql AS $guard$ "
        "BEGIN\n"
        "RAISE EXCEPTION 'no_truncate' USING ERRCODE = 'integrity_constraint_violation';\nEND "
        "$guard$",
        f"CREATE TRIGGER {PREFIX}{table}_no_truncate BEFORE TRUNCATE ON {table} "
        f"FOR EACH STATEMENT EXECUTE FUNCTION {function}()",
    ]


def _drop(vendor: str, name: str, table: str) -> str:
    return f"DROP TRIGGER IF EXISTS {name}" + (f" ON {table}" if vendor == "postgresql" else "")


def _execute(connection: BaseDatabaseWrapper, statements: Iterable[str]) -> None:
    """Execute all or none of them: where each stood alone, the disk would be waited for each
    time.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        for statement in statements:
            cursor.execute(statement)
