"""What can be called, read from the OpenAPI document: for the page, and for docs/api.md."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from api import errors
from api.problems import slug_of, status_of, title_of
from fartbench.errors import Refusal


@dataclass(frozen=True, slots=True)
class Operation:
    """An operation: its method and path below /api/v1, what it does, and who may call it."""

    key: str
    method: str
    path: str
    words: str
    scope: str
    role: str
    parameters: tuple[str, ...]
    body: tuple[str, ...]
    group: str


@dataclass(frozen=True, slots=True)
class Problem:
    """A kind of problem: the end of its address, its HTTP status, and what it is about."""

    slug: str
    status: int
    words: str


def operations_of(document: Mapping[str, Any]) -> list[Operation]:
    """Return the operations in the order of the document."""
    return [
        _operation(path, method, one, document)
        for path, methods in document["paths"].items()
        for method, one in methods.items()
    ]


def _operation(
    path: str, method: str, one: Mapping[str, Any], document: Mapping[str, Any]
) -> Operation:
    schema = (
        one.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    )
    body = _resolved(schema, document).get("properties", {})
    return Operation(
        key=one["operationId"],
        method=method.upper(),
        path=path.removeprefix("/api/v1"),
        words=one["summary"].replace("``", ""),
        scope=one["x-scope"],
        role=one["x-role"],
        parameters=tuple(item["name"] for item in one.get("parameters", ())),
        body=tuple(body),
        group=one["tags"][0],
    )


def _resolved(schema: Mapping[str, Any], document: Mapping[str, Any]) -> Mapping[str, Any]:
    name = schema.get("$ref", "").rpartition("/")[2]
    found: Mapping[str, Any] = document["components"]["schemas"].get(name, schema)
    return found


def problems_listed() -> list[Problem]:
    """Return the problems of the interface itself; every other refusal of the program has its own
    words.
    """
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type)
        and issubclass(kind, Refusal)
        and kind.__module__ == errors.__name__
    ]
    return [Problem(slug_of(kind), status_of(kind), title_of(kind)) for kind in kinds]


BEGIN, END = "<!-- operations -->\n", "<!-- end of operations -->\n"


def guide_with(text: str, document: Mapping[str, Any]) -> str:
    """Return the guide with the list of operations between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    lines = ["| call | what it does | scope | for |", "|---|---|---|---|"]
    for one in operations_of(document):
        scope = f"`{one.scope}`" if one.scope else "any"
        lines.append(f"| `{one.method} {one.path}` | {one.words} | {scope} | {one.role} |")
    return before + BEGIN + "\n".join(lines) + "\n" + END + after
