"""Lists in pages: a cursor says where the next page begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet
from ninja import Schema

from api.errors import FieldsRefused
from fartbench.storable import whole_number

MOST = 200
ItemT = TypeVar("ItemT")


class Page(Schema, Generic[ItemT]):
    """A page of a list. ``next`` is the cursor of the next page, null on the last one."""

    items: list[ItemT]
    next: str | None


def page_of(
    rows: QuerySet[Any],
    make: Callable[[Any], ItemT],
    *,
    cursor: str,
    limit: int,
    key: str = "pk",
) -> dict[str, Any]:
    """Return a page of rows, the newest first by ``key``, a whole number that only grows.

    Raises FieldsRefused for a cursor that no page gave, and for a limit out of bounds.
    """
    if not 1 <= limit <= MOST:
        raise FieldsRefused("The address", {"limit": f"it is a number from 1 to {MOST}"})
    rows = rows.order_by(f"-{key}")
    if cursor:
        before = whole_number(cursor)
        if before is None:
            raise FieldsRefused("The address", {"cursor": "it is not one that a page gave"})
        rows = rows.filter(**{f"{key}__lt": before})
    found = list(rows[: limit + 1])
    has_more = len(found) > limit
    shown = found[:limit]
    return {
        "items": [make(row) for row in shown],
        "next": str(getattr(shown[-1], key)) if has_more else None,
    }
