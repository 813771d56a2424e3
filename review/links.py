"""Invite links: their secret follows from the invite and the installation's key.

So a link can be shown again and need not be stored. The database alone, or a backup of it, gives
no link: it holds the SHA-256 of the secret, and the key lies outside of it.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass

from django.conf import settings
from django.urls import reverse

from fartbench.times import utc
from review.codes import invite_token, token_hash
from review.models import Invite

PURPOSE = "fartbench.invite"


@dataclass(frozen=True, slots=True)
class InviteLink:
    """A link for one reviewer."""

    email: str
    url: str
    code: str


def write_link(invite: Invite) -> InviteLink:
    """Store a new invite and return its link. Part of a transaction."""
    # The secret follows from the row's key, so the row comes first: with a hash that nothing opens.
    invite.token_hash = token_hash(secrets.token_urlsafe())
    invite.save()
    token = _token(invite)
    invite.token_hash = token_hash(token)
    invite.save(update_fields=["token_hash"])
    return _link(invite, token)


def link_of(invite: Invite) -> InviteLink | None:
    """Return the link of a stored invite, or None when it was made with another key."""
    token = _token(invite)
    return _link(invite, token) if token_hash(token) == invite.token_hash else None


def _token(invite: Invite) -> str:
    named = f"{PURPOSE}|{invite.pk}|{invite.member_id}|{utc(invite.created_at)}"
    return invite_token(settings.SECRET_KEY.encode(), named)


def _link(invite: Invite, token: str) -> InviteLink:
    reviewer = invite.member.reviewer
    url = settings.BASE_URL + reverse("invite", args=[token])
    return InviteLink(reviewer.email, url, reviewer.code)
