"""Queries and writes of every call, turned into SQL once: building it anew costs ten times what
sending it does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import Field, Model, QuerySet

Row = tuple[Any, ...]
# What replaces a value while the SQL is made: nothing that a query says by itself, and fits
# the smallest key.
_NUMBER, _TEXT = 1_812_345_670, "\0value of a compiled query\0"


@dataclass(frozen=True, slots=True)
class _Statement:
    """The SQL for one engine: ``parameters`` are its own, ``places`` says which of them are whose
    values.
    """

    sql: str
    parameters: Row
    places: Mapping[int, str]
    compiler: Any
    converters: Any

    def rows(self, values: Mapping[str, Any]) -> list[Row]:
        # A value is sent as the type that its mark was given, for the engine to see the same
        # statement again.
        filled = []
        for n, own in enumerate(self.parameters):
            filled.append(type(own)(values[self.places[n]]) if n in self.places else own)
        with connection.cursor() as cursor:
            cursor.execute(self.sql, filled)
            rows: Iterable[Row] = cursor.fetchall()
        return list(
            map(
                tuple,
                self.compiler.apply_converters(rows, self.converters) if self.converters else rows,
            )
        )


class CompiledQuery:
    """A query of given columns whose shape does not depend on its values, which are whole numbers
    and texts.

    ``build`` takes the values by name and returns the rows to select, with a ``values_list`` of
    their columns. It is called once for each database engine.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Any]]) -> None:
        self._build = build
        self._statements: dict[str, _Statement] = {}

    def rows(self, **values: int | str) -> list[Row]:
        """Run the query and return its rows."""
        statement = self._statements.get(connection.vendor)
        if statement is None:
            statement = self._statements[connection.vendor] = self._compiled(values)
        return statement.rows(values)

    def _compiled(self, values: Mapping[str, int | str]) -> _Statement:
        marks = {
            name: f"{_TEXT}{number}" if isinstance(value, str) else _NUMBER + number
            for number, (name, value) in enumerate(values.items())
        }
        compiler = self._build(**marks).query.get_compiler(connection=connections[DEFAULT_DB_ALIAS])
        sql, parameters = compiler.as_sql()
        names = {mark: name for name, mark in marks.items()}
        places = {
            n: names[parameter] for n, parameter in enumerate(parameters) if parameter in names
        }
        if missing := marks.keys() - set(places.values()):
            raise ValueError(
                f"The query makes no use of {', '.join(sorted(missing))} as it is written."
            )
        converters = compiler.get_converters(column for column, _, _ in compiler.select)
        return _Statement(sql, tuple(parameters), places, compiler, converters)


@dataclass(frozen=True)
class Part:
    """Columns of one model within a row: those of ``model`` behind ``prefix``, all or ``only``
    some.
    """

    model: type[Any]
    prefix: str = ""
    only: tuple[str, ...] = ()

    @cached_property
    def names(self) -> list[str]:
        names = [field.attname for field in self.model._meta.concrete_fields]
        return [name for name in names if name in self.only or not self.only]

    @property
    def columns(self) -> list[str]:
        """What a ``values_list`` asks for."""
        return [f"{self.prefix}{name}" for name in self.names]

    def stored(self, values: Iterable[Any]) -> Any:
        """Return the model's row; a column that was left out is read when it is asked for."""
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, values)


def stored_parts(row: Row, parts: Iterable[Part]) -> list[Any]:
    """Return one stored row of each part, from a row that holds their columns one after the
    other.
    """
    found, start = [], 0
    for part in parts:
        width = len(part.names)
        found.append(part.stored(row[start : start + width]))
        start += width
    return found


@dataclass(frozen=True)
class CompiledWrite:
    """Writes some columns of rows of ``model``: what `save` and `bulk_create` do, without signals.

    ``on_conflict`` says in SQL what becomes of a new row whose like is stored.
    """

    model: type[Model]
    columns: tuple[str, ...]
    on_conflict: str = ""

    def insert(self, *rows: Model) -> None:
        """Store new rows."""
        columns = ", ".join(f'"{field.column}"' for field in self._fields)
        places = ", ".join(["(" + ", ".join(["%s"] * len(self._fields)) + ")"] * len(rows))
        if self.on_conflict:
            conflict = f" ON CONFLICT {self.on_conflict}"
        else:
            conflict = ""
        values: list[Any] = []
        for row in rows:
            values += self._values(row, new=True)
        # The names are the models' own.
        table = self.model._meta.db_table
        insert = f'INSERT INTO "{table}" ({columns}) VALUES {places}{conflict}'  # noqa: S608
        self._execute(insert, values)

    def update(self, row: Model) -> None:
        """Store the columns of a row that is there."""
        changes = ", ".join(f'"{field.column}" = %s' for field in self._fields)
        key = self.model._meta.pk
        sql = f'UPDATE "{self.model._meta.db_table}" SET {changes} WHERE "{key.column}" = %s'  # noqa: S608
        self._execute(
            sql, [*self._values(row, new=False), key.get_db_prep_value(row.pk, connection)]
        )

    @cached_property
    def _fields(self) -> list[Field[Any, Any]]:
        return [
            field for field in self.model._meta.concrete_fields if field.attname in self.columns
        ]

    def _values(self, row: Model, *, new: bool) -> list[Any]:
        return [
            field.get_db_prep_save(field.pre_save(row, new), connection) for field in self._fields
        ]

    @staticmethod
    def _execute(sql: str, values: list[Any]) -> None:
        with connection.cursor() as cursor:
            cursor.execute(sql, values)
