"""Emptying the test database after a test that committed: fast, as many tests do."""

from collections.abc import Iterable

from django.db import transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.utils import CursorWrapper

# Migrations fill them, and no test changes them.
KEPT = {"auth_permission", "django_content_type"}


def empty(connection: BaseDatabaseWrapper) -> None:
    """Delete every row that migrations did not make, whatever guards it; the guards are as they
    were afterwards.

    Django's own flush would also make all permissions anew and have all guards installed again.
    """
    with transaction.atomic(using=connection.alias), connection.cursor() as cursor:
        written = [table for table in _tables(connection) if _has_rows(cursor, table)]
        if connection.vendor == "postgresql":
            cursor.execute("SET LOCAL session_replication_role = replica")  # no trigger fires
            _delete(cursor, written)
        else:
            _delete_without_triggers(cursor, written)


def _tables(connection: BaseDatabaseWrapper) -> list[str]:
    found = connection.introspection.django_table_names(only_existing=True, include_views=False)
    return sorted(set(found) - KEPT)


def _has_rows(cursor: CursorWrapper, table: str) -> bool:
    cursor.execute(f"SELECT EXISTS (SELECT 1 FROM {table})")
    return bool(cursor.fetchone()[0])


def _delete(cursor: CursorWrapper, tables: Iterable[str]) -> None:
    for table in tables:
        cursor.execute(f"DELETE FROM {table}")


def _delete_without_triggers(cursor: CursorWrapper, tables: Iterable[str]) -> None:
    """SQLite cannot be told to let triggers rest: take them away and put back what was there."""
    cursor.execute("SELECT name, tbl_name, sql FROM sqlite_master WHERE type = 'trigger'")
    triggers = [(name, sql) for name, table, sql in cursor.fetchall() if table in tables]
    for name, _ in triggers:
        cursor.execute(f"DROP TRIGGER {name}")
    _delete(cursor, tables)
    for _, sql in triggers:
        cursor.execute(sql)
