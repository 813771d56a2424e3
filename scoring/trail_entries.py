"""Entries of the audit trail beside the rows that they tell of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.db.models import QuerySet

from fartbench.models import AuditEntry

Place = tuple[str, ...]
Values = Mapping[str, str]
_NAMES = {"digest": "SHA-256"}


def text(details: Any, name: str) -> str:
    # Details that somebody changed may be anything.
    return str(details.get(name, "")) if isinstance(details, dict) else ""


def texts(details: Any, *names: str) -> Values:
    """Return what an entry says of these; older entries do not say all of it."""
    return (
        {name: str(details[name]) for name in names if name in details}
        if isinstance(details, dict)
        else {}
    )


def entries(*actions: str) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(action__in=actions).order_by()


def differences(
    words: str, rows: Mapping[Place, Values], recorded: Mapping[Place, Values]
) -> Iterator[str]:
    """Yield what has no row, no entry, or another value in its row than in its entry."""
    for place in sorted(rows.keys() | recorded.keys()):
        what = words.format(*place)
        if place not in recorded:
            yield f"{what}: no entry tells of it"
        elif place not in rows:
            yield f"{what}: an entry names it, and the row does not exist"
        else:
            for name, value in recorded[place].items():
                if rows[place][name] != value:
                    yield (
                        f"{what}: its row has {_NAMES.get(name, name)} {rows[place][name]}, its "
                        f"entry {value}"
                    )
