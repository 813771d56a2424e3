"""Queries that run with every call, turned into SQL once: building it anew costs ten times what sending it does."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections
from django.db.models import QuerySet

Row = tuple[Any, ...]
# What stands in for a value while the SQL is made: nothing that a query says by itself, and fits the smallest key.
_NUMBER, _TEXT = 1_812_345_670, "\0value of a compiled query\0"


@dataclass(frozen=True, slots=True)
class _Statement:
    """The SQL for one engine: ``parameters`` are its own, ``places`` says which of them are whose values."""

    sql: str
    parameters: Row
    places: Mapping[int, str]
    compiler: Any
    converters: Any

    def rows(self, values: Mapping[str, Any]) -> list[Row]:
        filled = [values[self.places[n]] if n in self.places else own for n, own in enumerate(self.parameters)]
        with connection.cursor() as cursor:
            cursor.execute(self.sql, filled)
            rows: Iterable[Row] = cursor.fetchall()
        return list(map(tuple, self.compiler.apply_converters(rows, self.converters) if self.converters else rows))


class CompiledQuery:
    """A query of given columns whose shape does not depend on its values, which are whole numbers and texts.

    ``build`` takes the values by name and returns the rows to select, with a ``values_list`` of their columns. It is
    called once for each database engine.
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
        places = {n: names[parameter] for n, parameter in enumerate(parameters) if parameter in names}
        if missing := marks.keys() - set(places.values()):
            raise ValueError(f"The query makes no use of {', '.join(sorted(missing))} as it stands.")
        converters = compiler.get_converters(column for column, _, _ in compiler.select)
        return _Statement(sql, tuple(parameters), places, compiler, converters)


@dataclass(frozen=True)
class Part:
    """Columns of one model within a row: those of ``model`` behind ``prefix``, without the ones left ``out``."""

    model: type[Any]
    prefix: str = ""
    out: tuple[str, ...] = ()

    @cached_property
    def names(self) -> list[str]:
        return [field.attname for field in self.model._meta.concrete_fields if field.attname not in self.out]

    @property
    def columns(self) -> list[str]:
        """What a ``values_list`` asks for."""
        return [f"{self.prefix}{name}" for name in self.names]

    def stored(self, values: Iterable[Any]) -> Any:
        """Return the model's row; a column that was left out is read when it is asked for."""
        return self.model.from_db(DEFAULT_DB_ALIAS, self.names, values)


def stored_parts(row: Row, parts: Iterable[Part]) -> list[Any]:
    """Return one stored row of each part, from a row that holds their columns one after the other."""
    found, start = [], 0
    for part in parts:
        width = len(part.names)
        found.append(part.stored(row[start : start + width]))
        start += width
    return found
