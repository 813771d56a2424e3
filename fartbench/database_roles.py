"""Two roles in PostgreSQL: the owner changes tables and guards, the program only rows.

``DATABASE_OWNER_URL`` names the owner, for “migrate”, “set_up” and “restore” alone;
``DATABASE_URL`` names the program's role. Without the first, one role does both, and nothing here
changes that. SQLite has no roles.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

from fartbench.errors import Refusal

_WHO_AND_WHERE = ("USER", "PASSWORD", "HOST", "PORT")
# Tables of which the program's role only adds rows, or only reads them.
_ONLY_ADDED_TO = ("fartbench_auditentry",)
_ONLY_READ = ("django_migrations",)
_MAY_MAKE_ROLES = "SELECT rolsuper OR rolcreaterole FROM pg_roles WHERE rolname = current_user"
_OWNS_ALL = (
    "SELECT COALESCE(bool_and(pg_has_role(current_user, relowner, 'MEMBER')), TRUE) FROM pg_class "
    "WHERE relkind = 'r' AND relname = ANY(%s) AND pg_table_is_visible(oid)"
)
_EXISTS = "SELECT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = %s)"
# What a role could get around the guards with: a sentence's words, and a query that says so.
_POWERS = {
    "is a superuser": "SELECT rolsuper FROM pg_roles WHERE rolname = current_user",
    "may make other roles": "SELECT rolcreaterole FROM pg_roles WHERE rolname = current_user",
    "owns tables": "SELECT EXISTS (SELECT 1 FROM pg_class WHERE relkind = 'r' AND relnamespace = "
    "current_schema()::regnamespace AND pg_has_role(current_user, relowner, 'MEMBER'))",
    "may make tables that hide others": "SELECT has_schema_privilege(current_schema(), 'CREATE') "
    "OR has_database_privilege(current_database(), 'CREATE, TEMPORARY')",
    "may read files of the database's machine, or start programs there": "SELECT EXISTS (SELECT 1 "
    "FROM pg_roles WHERE rolname IN ('pg_read_server_files', 'pg_write_server_files', "
    "'pg_execute_server_program') AND pg_has_role(current_user, oid, 'MEMBER'))",
}


class RolesRefused(Refusal):
    """Roles of the database that do not fit their settings; nothing was changed."""


@contextmanager
def as_owner(*, using: str = "default") -> Iterator[None]:
    """Connect as the owner of the tables inside the block, if DATABASE_OWNER_URL names one."""
    connection = connections[using]
    owner: dict[str, Any] = settings.DATABASE_OWNER
    if not owner or connection.vendor != "postgresql":
        yield
        return
    program = {name: connection.settings_dict[name] for name in (*_WHO_AND_WHERE, "OPTIONS")}
    options = {**program["OPTIONS"], **owner.get("OPTIONS", {})}
    _connect_as(connection, {name: owner[name] for name in _WHO_AND_WHERE} | {"OPTIONS": options})
    try:
        yield
    finally:
        _connect_as(connection, program)


def _connect_as(connection: BaseDatabaseWrapper, role: dict[str, Any]) -> None:
    connection.close()
    connection.settings_dict.update(role)


def give_rights(role: str, password: str = "", *, using: str = "default") -> None:
    """Let ``role`` read and write rows, and nothing else; it is made when it is missing.

    The connection's own role must own the tables. Raises RolesRefused when the role is missing and
    the owner may not make it, or when the role is the owner itself.
    """
    connection = connections[using]
    name = connection.ops.quote_name(role)
    with transaction.atomic(using=using), connection.cursor() as cursor:
        _refuse_owner(cursor, role)
        _make_role(cursor, role, name, password)
        database = connection.ops.quote_name(_value(cursor, "SELECT current_database()"))
        schema = connection.ops.quote_name(_value(cursor, "SELECT current_schema()"))
        # A table of one's own under the name of another would be read in its stead, by guards too.
        cursor.execute(f"REVOKE TEMPORARY ON DATABASE {database} FROM PUBLIC")
        cursor.execute(f"REVOKE CREATE ON SCHEMA {schema} FROM PUBLIC")
        cursor.execute(f"GRANT CONNECT ON DATABASE {database} TO {name}")
        cursor.execute(f"GRANT USAGE ON SCHEMA {schema} TO {name}")
        tables = f"ALL TABLES IN SCHEMA {schema}"
        cursor.execute(f"REVOKE ALL ON {tables} FROM {name}")
        cursor.execute(f"GRANT SELECT, INSERT, UPDATE, DELETE ON {tables} TO {name}")
        cursor.execute(f"GRANT USAGE ON ALL SEQUENCES IN SCHEMA {schema} TO {name}")
        cursor.execute(f"REVOKE UPDATE, DELETE ON {', '.join(_ONLY_ADDED_TO)} FROM {name}")
        cursor.execute(f"REVOKE INSERT, UPDATE, DELETE ON {', '.join(_ONLY_READ)} FROM {name}")


def give_rights_to_the_program(*, using: str = "default") -> None:
    """Give the role of DATABASE_URL its rights, if DATABASE_OWNER_URL names another one."""
    if settings.DATABASE_OWNER and connections[using].vendor == "postgresql":
        program = settings.DATABASE_PROGRAM
        give_rights(program["USER"], program["PASSWORD"], using=using)


def _refuse_owner(cursor: CursorWrapper, role: str) -> None:
    if role == _value(cursor, "SELECT current_user"):
        raise RolesRefused(
            f"DATABASE_URL and DATABASE_OWNER_URL both name the role {role}. Give the program a "
            "role of its own in DATABASE_URL."
        )


def _make_role(cursor: CursorWrapper, role: str, name: str, password: str) -> None:
    """Make the role, or set its password to the one of the settings, where the owner may do so."""
    is_there = _value(cursor, _EXISTS, role)
    if not _value(cursor, _MAY_MAKE_ROLES):
        if is_there:
            return
        raise RolesRefused(
            f"The role {role} of DATABASE_URL does not exist, and the owner may not make it. As "
            f"the database's superuser run: CREATE ROLE {name} LOGIN PASSWORD '…'; then run this "
            "again."
        )
    rights = "LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE"
    cursor.execute(f"{'ALTER' if is_there else 'CREATE'} ROLE {name} {rights}")
    if password:
        # A statement about a role takes no parameters: the server makes a literal of it first.
        literal = _value(cursor, "SELECT quote_literal(%s::text)", password)
        cursor.execute(f"ALTER ROLE {name} PASSWORD {literal}", None)


def faults(*, using: str = "default") -> list[str]:
    """Return a sentence for each right of this process's role with which it could get around the
    guards of the database. On SQLite there are no roles, and no sentence.
    """
    connection = connections[using]
    if connection.vendor != "postgresql":
        return []
    with connection.cursor() as cursor:
        role = _value(cursor, "SELECT current_user")
        powers = [words for words, query in _POWERS.items() if _value(cursor, query)]
    return [
        f"the program's database role {role} {words}: give it a role without that right "
        "(docs/operations.md, “Two roles”)"
        for words in powers
    ]


def refuse_unless_owner(*, using: str = "default") -> None:
    """Raise RolesRefused when the connection's role does not own the tables that are there."""
    connection = connections[using]
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        if not _value(cursor, _OWNS_ALL, [*_ONLY_READ, *_ONLY_ADDED_TO]):
            raise RolesRefused(
                f"The database role {_value(cursor, 'SELECT current_user')} does not own the "
                "tables. Set DATABASE_OWNER_URL to the role that does, and run the command again. "
                "Nothing was changed."
            )


def _value(cursor: CursorWrapper, query: str, *values: Any) -> Any:
    cursor.execute(query, values or None)
    row = cursor.fetchone()
    return row[0] if row else None
