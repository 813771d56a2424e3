"""The ways in: an invite that opens once, and a personal code for coming back."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from review.codes import new_return_code, normal_return_code, token_hash
from review.errors import InviteExpired, InviteRefused, InviteRevoked, InviteUnknown, InviteUsed
from review.models import Invite, Reviewer


class ReturnCodeUnknown(InviteRefused):
    """No reviewer has this return code."""

    def __init__(self) -> None:
        super().__init__("No reviewer has this return code. Check each group, or ask for a new invite link.")


def openable_invite(token: str) -> Invite:
    """Return the invite that ``token`` opens, with its member, reviewer and account; nothing is used up.

    Raises InviteUnknown, InviteUsed, InviteRevoked or InviteExpired.
    """
    found = Invite.objects.filter(token_hash=token_hash(token))
    invite = found.select_related("member__reviewer__user", "member__round").first()
    if invite is None or invite.member.left_at is not None:
        raise InviteUnknown
    if invite.used_at is not None:
        raise InviteUsed
    if invite.revoked_at is not None:
        raise InviteRevoked
    if invite.expires_at <= timezone.now():
        raise InviteExpired
    return invite


@transaction.atomic
def use_invite(token: str) -> Reviewer:
    """Use an invite up and return whose it is. Of two that come at once, one gets InviteUsed."""
    invite = openable_invite(token)
    if not Invite.objects.filter(pk=invite.pk, used_at=None, revoked_at=None).update(used_at=timezone.now()):
        raise InviteUsed
    member = invite.member
    audit.record("invite used", actor=member.reviewer.code, round_name=member.round.name)
    return member.reviewer


@transaction.atomic
def issue_return_code(reviewer: Reviewer) -> str:
    """Give ``reviewer`` a new personal return code; the old one stops working. It is shown once and kept as a hash."""
    code = new_return_code()
    reviewer.return_code_hash = token_hash(code)
    reviewer.save(update_fields=["return_code_hash"])
    audit.record("return code issued", actor=reviewer.code)
    return code


def use_return_code(typed: str) -> Reviewer:
    """Return whose return code this is. Raises ReturnCodeUnknown."""
    hashed = token_hash(normal_return_code(typed))
    reviewer = Reviewer.objects.filter(return_code_hash=hashed).select_related("user").first()
    if reviewer is None or not reviewer.user.is_active:
        raise ReturnCodeUnknown
    return reviewer
