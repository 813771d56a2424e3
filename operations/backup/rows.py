"""Rows as lines of JSON, one file a table: written on one database engine, read on any.

Django's own dump cuts times to milliseconds, which would break every hash that covers one; here
values stay whole.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.apps.registry import Apps
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.models.sql import InsertQuery

ROWS_AT_ONCE = 500
LONGEST_ROW = 256 * 1024**2  # bytes; a few of these bytes may unpack to any number
# What no backup holds, and none of an older backup is taken up: sessions, wrong tries to get in,
# counts of calls and answers to them, and workers that were seen. They come about by running: an
# installation that has them is empty. Keys of services are entered anew.
LEFT_OUT = (
    "sessions.session",
    "fartbench.entrytry",
    "fartbench.callcount",
    "api.keptanswer",
    "fartbench.workerbeat",
    "fartbench.servicekey",
)
# Django makes these again, with the same content, after every migration.
MADE_BY_DJANGO = ("contenttypes.contenttype", "auth.permission")


@dataclass(frozen=True)
class TableFile:
    """A table as it was written: how many rows, and the SHA-256 of its lines."""

    rows: int
    sha256: str


def tables(apps: Apps) -> dict[str, type[models.Model]]:
    """Return every table that the program keeps rows in, those between two others included, by its
    label.
    """
    every_model = apps.get_models(include_auto_created=True)
    return {
        model._meta.label_lower: model
        for model in every_model
        if model._meta.managed and not model._meta.proxy
    }


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything in the block as it stood at one moment, while others go on writing."""
    mode = getattr(connection, "transaction_mode", None)
    if connection.vendor == "sqlite":
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined] # a reader holds no writer up
    try:
        with transaction.atomic():
            if connection.vendor == "postgresql":
                with connection.cursor() as cursor:
                    cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield
    finally:
        if connection.vendor == "sqlite":
            connection.transaction_mode = mode  # type: ignore[attr-defined]


def write_table(model: type[models.Model], path: Path) -> TableFile:
    """Write all rows of a table in the order of their keys."""
    fields = model._meta.concrete_fields
    rows = model._base_manager.order_by("pk").values_list(*(field.attname for field in fields))
    digest, count = hashlib.sha256(), 0
    with gzip.open(path, "wb", compresslevel=3) as file:
        for row in rows.iterator(chunk_size=ROWS_AT_ONCE):
            plain = {
                field.attname: _plain(field, value)
                for field, value in zip(fields, row, strict=True)
            }
            line = json.dumps(plain, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
            digest.update(line)
            file.write(line)
            count += 1
    return TableFile(count, digest.hexdigest())


def _plain(field: models.Field[Any, Any], value: Any) -> Any:
    if (
        value is None
        or isinstance(value, bool | int | float | str)
        or isinstance(field, models.JSONField)
    ):
        return value
    return field.value_to_string(SimpleNamespace(**{field.attname: value}))  # type: ignore[arg-type]


def check_table(path: Path) -> TableFile:
    """Read a table's file and return what it really holds.

    Raises OSError, EOFError or zlib.error when it cannot be read, is a pipe or a link, or has a row
    that is too long.
    """
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path} is not a regular file")
    digest, count = hashlib.sha256(), 0
    with gzip.open(path, "rb") as file:
        while line := file.readline(LONGEST_ROW + 1):
            if len(line) > LONGEST_ROW:
                raise OSError(f"{path} has a row of more than {LONGEST_ROW} bytes")
            digest.update(line)
            count += 1
    return TableFile(count, digest.hexdigest())


def read_table(model: type[models.Model], path: Path) -> None:
    """Insert all rows of a file as they are: no default, no “now”, no signal."""
    fields = model._meta.concrete_fields
    with gzip.open(path, "rb") as file:
        rows = (_row(model, json.loads(line)) for line in file)
        size = connection.ops.bulk_batch_size(
            [field.name for field in fields], [None] * ROWS_AT_ONCE
        )
        while batch := list(islice(rows, max(1, min(size, ROWS_AT_ONCE)))):
            _insert(model, fields, batch)


def _row(model: type[models.Model], values: dict[str, Any]) -> models.Model:
    made = model()
    for field in model._meta.concrete_fields:
        value = values[field.attname]
        is_plain = value is None or isinstance(field, models.JSONField)
        setattr(made, field.attname, value if is_plain else field.to_python(value))
    return made


def _insert(model: type[models.Model], fields: Iterable[Any], rows: list[models.Model]) -> None:
    query = InsertQuery(model)
    query.insert_values([*fields], rows, raw=True)
    query.get_compiler(using=connection.alias).execute_sql()


def empty_table(model: type[models.Model]) -> None:
    """Delete all rows of a table."""
    with connection.cursor() as cursor:
        cursor.execute(f"DELETE FROM {connection.ops.quote_name(model._meta.db_table)}")  # noqa: S608 - our own name


def count_on(every_model: Iterable[type[models.Model]]) -> None:
    """Let automatic keys go on after the highest one of each table."""
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), [*every_model]):
            cursor.execute(statement)
