"""Shutting a person out: every way in and every session at once."""

from __future__ import annotations

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from fartbench import audit
from fartbench.sessions import end_sessions
from review.errors import AccessRefused
from review.models import Invite


@transaction.atomic
def revoke_access(*, person: str, reason: str, actor: str) -> str:
    """End every session of an account and every way into it: password, return code, invites.

    ``person`` is a reviewer's code or address, or an account's name. Answers stay, and a new invite
    link lets a reviewer in again. Returns the code or name. Raises AccessRefused for nobody's name,
    or without a reason.
    """
    named = Q(username__iexact=person) | Q(email__iexact=person) | Q(reviewer__code__iexact=person)
    user = (
        User.objects.select_related("reviewer").filter(named).order_by("pk").first()
        if person
        else None
    )
    if user is None:
        raise AccessRefused(f"There is no reviewer and no account {person!r}.")
    if not reason.strip():
        raise AccessRefused(
            "Say why: the reason is recorded in the audit trail. Nothing was changed."
        )
    user.set_unusable_password()
    user.save(update_fields=["password"])
    reviewer, invites = getattr(user, "reviewer", None), 0
    if reviewer is not None:
        reviewer.return_code_hash = ""
        reviewer.save(update_fields=["return_code_hash"])
        links = Invite.objects.filter(member__reviewer=reviewer, revoked_at=None)
        invites = links.update(revoked_at=timezone.now())
    name = reviewer.code if reviewer else user.get_username()
    ended = end_sessions(user)
    audit.record(
        "access revoked",
        actor=actor,
        account=name,
        reason=reason.strip(),
        sessions=ended,
        invites=invites,
    )
    return name
