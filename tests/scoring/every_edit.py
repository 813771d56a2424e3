"""Edits of any row in any of its columns, for tests that ask what notices them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import islice, product
from typing import Any

from django.db import DataError, IntegrityError, connection, models, transaction
from django.utils import timezone

from fartbench import writeonce

MOST_TRIED = 40
Edit = Callable[[], None]


def other_values(field: Any, value: Any) -> Iterator[Any]:
    """Yield other values that a column could have."""
    if isinstance(field, models.ForeignKey):
        rows = field.related_model._base_manager.order_by("pk").values_list("pk", flat=True)
        yield from (pk for pk in rows[:MOST_TRIED] if pk != value)
    elif field.choices:
        yield from (choice for choice, _ in field.choices if choice != value)
    elif isinstance(field, models.JSONField):
        yield {**value, "x": 1} if isinstance(value, dict) else {"x": 1}
    elif isinstance(field, models.CharField | models.TextField):
        yield ("z" + (value or ""))[: field.max_length or 1000]
        yield ("z" * 64)[: field.max_length or 64]
    else:
        yield _next_value(field, value)


def _next_value(field: Any, value: Any) -> Any:
    if isinstance(field, models.DateTimeField):
        return (value or timezone.now()) + timedelta(days=1)
    if isinstance(field, models.BooleanField):
        return not value
    if isinstance(field, models.BinaryField):
        return b"x"
    return (value or 0) + 71


def updates(row: models.Model, field: Any) -> Iterator[Edit]:
    """Yield edits that each set one column of a row to another value."""
    rows = type(row)._base_manager.filter(pk=row.pk)
    for value in islice(other_values(field, getattr(row, field.attname)), MOST_TRIED):
        yield lambda value=value: rows.update(**{field.attname: value})  # type: ignore[misc]


def removals(row: models.Model) -> Iterator[Edit]:
    """Yield the edit that deletes a row, past what Django would delete with it."""

    def remove() -> None:
        about = row._meta
        with connection.cursor() as cursor:
            cursor.execute(
                f"DELETE FROM {about.db_table} WHERE {about.pk.column} = %s",  # noqa: S608
                [row.pk],
            )

    yield remove


def additions(row: models.Model) -> Iterator[Edit]:
    """Yield edits that each add a row like one that is there, another one where it must be."""
    model = type(row)
    unique = _unique_columns(model)
    for names in [*((name,) for name in unique), tuple(unique)]:
        fields = [model._meta.get_field(name) for name in names]
        values = [list(islice(other_values(f, getattr(row, f.attname)), 12)) for f in fields]
        for combination in islice(product(*values), MOST_TRIED):
            changes = dict(zip((field.attname for field in fields), combination, strict=True))
            yield lambda changes=changes: _add(row, changes)  # type: ignore[misc]


def _add(row: models.Model, changes: dict[str, Any]) -> None:
    model = type(row)
    new = model._base_manager.get(pk=row.pk)
    if isinstance(model._meta.pk, models.AutoField):
        new.pk = None
    elif isinstance(model._meta.pk, models.CharField):
        new.pk = f"z{row.pk}"[:32]
    else:
        new.pk = row.pk + 1000
    for name, value in changes.items():
        setattr(new, name, value)
    model._base_manager.bulk_create([new])


def _unique_columns(model: type[models.Model]) -> list[str]:
    alone = [one.name for one in model._meta.concrete_fields if one.unique and not one.primary_key]
    together = [
        name
        for constraint in model._meta.constraints
        if isinstance(constraint, models.UniqueConstraint)
        for name in constraint.fields
    ]
    # What is added belongs to the same round and protocol.
    return sorted({*alone, *together} - {"round", "protocol"})


def is_refused(edit: Edit) -> bool | None:
    """Say whether a guard refuses an edit, or None where the edit cannot be made in any case."""
    try:
        with transaction.atomic():
            edit()
            connection.check_constraints()
            transaction.set_rollback(True)
    except IntegrityError as error:
        return True if writeonce.refused_by(error) else None
    except DataError:
        return None
    return False


def is_noticed(edit: Edit, faults: Callable[[], list[str]]) -> bool | None:
    """Say whether ``faults`` has something to say after an edit with the guards lifted, or None
    where the edit cannot be made even then.
    """
    try:
        with transaction.atomic():
            connection.check_constraints()
            writeonce.uninstall()
            edit()
            connection.check_constraints()
            writeonce.install()
            noticed = faults()
            transaction.set_rollback(True)
    except (IntegrityError, DataError):
        return None
    return bool(noticed)
