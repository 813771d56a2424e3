"""Who calls, and how the installation is."""

from __future__ import annotations

from datetime import datetime

from django.http import HttpRequest
from ninja import Router, Schema

from api.guard import operation, token_of
from api.scopes import Scope
from web.pages.health import health_lines

ROUTER = Router(tags=["about"])


class Me(Schema):
    """The token of a call. Empty ``rounds`` stand for every round."""

    account: str
    token: str
    scopes: list[str]
    rounds: list[str]
    expires_at: datetime


class HealthPart(Schema):
    """A part of the installation; ``todo`` says what to do where something is amiss."""

    part: str
    state: str
    words: str
    todo: str


@operation(ROUTER, "GET", "/me", scope=None, response=Me)
def me(request: HttpRequest) -> Me:
    """Say whose token this is and what it allows."""
    token = token_of(request)
    return Me(
        account=token.user.get_username(),
        token=token.hint,
        scopes=token.scopes,
        rounds=token.rounds,
        expires_at=token.expires_at,
    )


@operation(ROUTER, "GET", "/health", scope=Scope.ROUNDS_READ, response=list[HealthPart])
def health(request: HttpRequest) -> list[HealthPart]:
    """Say how the installation is."""
    return [
        HealthPart(part=line.part, state=line.state, words=line.words, todo=line.todo)
        for line in health_lines()
    ]
