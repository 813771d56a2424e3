"""The audit trail."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.http import HttpRequest
from ninja import Router, Schema

from api.guard import operation, token_of
from api.paging import Page, page_of
from api.scopes import Role, Scope
from fartbench import audit
from fartbench.models import AuditEntry
from web.pages.trail import entries, shown_details

ROUTER = Router(tags=["audit"])


class Entry(Schema):
    """What was done, by whom and when. Details that would tell what was answered are left out."""

    sequence: int
    at: datetime
    actor: str
    action: str
    round: str
    details: dict[str, Any]


class Head(Schema):
    """The last entry: note it elsewhere, and compare it later."""

    sequence: int
    hash: str


@operation(ROUTER, "GET", "/audit", scope=Scope.ADMIN, role=Role.ADMIN, response=Page[Entry])
def list_entries(
    request: HttpRequest, round: str = "", cursor: str = "", limit: int = 100
) -> dict[str, Any]:
    """List the entries of the audit trail, the newest first."""
    rows = entries(round)
    if names := token_of(request).rounds:
        rows = rows.filter(round_name__in=names)
    return page_of(rows, _entry, cursor=cursor, limit=limit, key="sequence")


@operation(ROUTER, "GET", "/audit/head", scope=Scope.ADMIN, role=Role.ADMIN, response=Head)
def get_head(request: HttpRequest) -> Head:
    """Say where the audit trail ends."""
    head = audit.head()
    return Head(sequence=head.sequence, hash=head.hash)


def _entry(entry: AuditEntry) -> Entry:
    return Entry(
        sequence=entry.sequence,
        at=entry.at,
        actor=entry.actor,
        action=entry.action,
        round=entry.round_name,
        details=shown_details(entry),
    )
