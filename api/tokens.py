"""Tokens: made by a person, shown once, found again by their SHA-256."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import User
from django.db import transaction
from django.utils import timezone

from api.errors import NotAllowed, TokenRefused, Unauthorised
from api.models import Token
from api.scopes import Role, Scope
from fartbench import audit
from fartbench.models import Round
from review.selectors import rounds_reviewed_by
from web.views.access import may_run_rounds, may_see_rounds

PREFIX = "fbk_"
LONGEST_DAYS = 365
# 256 random bits in base64, and six digits over them by which a scanner knows a token from a word.
_TOKEN = re.compile(r"fbk_[A-Za-z0-9_-]{43}[0-9a-f]{6}")
_HINT = 10
OF_ADMINS = frozenset({Scope.ROUNDS_WRITE, Scope.SPEND, Scope.MEMBERS})


def is_role(user: Any, role: Role) -> bool:
    """Say whether an account may call the operations of a role."""
    if role == Role.ADMIN:
        return may_run_rounds(user)
    return role == Role.EVERYONE or may_see_rounds(user)


@transaction.atomic
def make_token(
    *, user: User, name: str, scopes: Collection[str], days: int, rounds: Sequence[str] = ()
) -> tuple[Token, str]:
    """Make a token and return it with its text, which is stored nowhere.

    Raises TokenRefused with every reason why it cannot be made.
    """
    if reasons := _faults(user, name, scopes, days, rounds):
        raise TokenRefused("The token", reasons)
    text = _new_text()
    now = timezone.now()
    token = Token.objects.create(
        user=user,
        name=name.strip(),
        hint=text[:_HINT],
        digest=digest_of(text),
        scopes=[scope.value for scope in Scope if scope in scopes],
        rounds=sorted(set(rounds)),
        made_at=now,
        expires_at=now + timedelta(days=days),
    )
    audit.record(
        "token made",
        actor=user.get_username(),
        token=token.hint,
        name=token.name,
        scopes=token.scopes,
        rounds=token.rounds,
        days=days,
    )
    return token, text


def _faults(
    user: User, name: str, scopes: Collection[str], days: int, rounds: Sequence[str]
) -> list[str]:
    reasons = []
    if not may_see_rounds(user):
        reasons.append("your account has no staff rights, and tokens are for staff and admins")
    if names := rounds_reviewed_by(user):
        reasons.append(f"your account reviews in round {names[0]!r}, which is not published")
    if not name.strip():
        reasons.append("name: say what the token is for")
    if unknown := sorted(set(scopes) - set(Scope)):
        reasons.append(f"scopes: there is no scope {unknown[0]!r}")
    if not scopes:
        reasons.append("scopes: choose at least one")
    if OF_ADMINS & set(scopes) and not may_run_rounds(user):
        reasons.append(f"scopes: {', '.join(sorted(OF_ADMINS & set(scopes)))} are for admins")
    if not 1 <= days <= LONGEST_DAYS:
        reasons.append(f"days: a token lasts 1 to {LONGEST_DAYS} days")
    known = set(Round.objects.filter(name__in=rounds).values_list("name", flat=True))
    reasons += [f"rounds: there is no round {name!r}" for name in rounds if name not in known]
    return reasons


def _new_text() -> str:
    secret = secrets.token_urlsafe(32)
    return f"{PREFIX}{secret}{_checksum(secret)}"


def _checksum(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()[:6]


def digest_of(text: str) -> str:
    """Return what is stored of a token."""
    return hashlib.sha256(text.encode()).hexdigest()


@transaction.atomic
def revoke_token(*, token: Token, actor: str) -> None:
    """End a token now. Doing so again changes nothing."""
    if Token.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        audit.record("token revoked", actor=actor, token=token.hint, name=token.name)


def find_token(text: str) -> Token:
    """Return the token of this text. Raises Unauthorised, and NotAllowed for an account that has
    no staff rights any more or reviews in a round that is not published.
    """
    token = None
    if _TOKEN.fullmatch(text):
        token = Token.objects.select_related("user").filter(digest=digest_of(text)).first()
    if token is None:
        raise Unauthorised("This token is not known. Make one on the page “Tokens”.")
    if token.revoked_at is not None:
        raise Unauthorised("This token was revoked. Make another on the page “Tokens”.")
    if token.expires_at <= timezone.now():
        raise Unauthorised("This token has expired. Make another on the page “Tokens”.")
    if not may_see_rounds(token.user):
        raise NotAllowed("The account of this token has no staff rights.")
    if names := rounds_reviewed_by(token.user):
        raise NotAllowed(
            f"The account of this token reviews in round {names[0]!r}, which is not published."
        )
    return token


def note_use(token: Token, at: datetime) -> None:
    """Note when a token was used last."""
    Token.objects.filter(pk=token.pk).update(last_used_at=at)
