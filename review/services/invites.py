"""The ways in: an invite link, and a personal code for coming back.

Programs that check e-mail open links, and some press the button behind them. So a link lets a
person in again until they have agreed to take part: only a person counts tones and agrees. From
then on, anyone who has the link gets nothing by it. A new link for a person who has agreed before
opens once, and only with the address that it was made for, which such programs do not type.
"""

from __future__ import annotations

from datetime import timedelta

from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from fartbench import audit
from fartbench.models import AuditEntry
from review.codes import new_return_code, normal_return_code, token_hash
from review.errors import (
    InviteAddressWrong,
    InviteExpired,
    InviteRefused,
    InviteRevoked,
    InviteUnknown,
    InviteUsed,
    TooManyNotes,
)
from review.models import CohortMember, Invite, Reviewer

ISSUED, MOST_CODES_A_DAY = "return code issued", 5


class ReturnCodeUnknown(InviteRefused):
    """No reviewer has this return code."""

    def __init__(self) -> None:
        super().__init__(
            "No reviewer has this return code. Check each group, or ask for a new invite link."
        )


def openable_invite(token: str) -> Invite:
    """Return the invite that ``token`` opens, with its member, reviewer and account; nothing is
    used up.

    Raises InviteUnknown, InviteRevoked, InviteUsed or InviteExpired.
    """
    invites = Invite.objects.filter(token_hash=token_hash(token))
    invite = invites.select_related("member__reviewer__user", "member__round").first()
    if invite is None or invite.member.left_at is not None:
        raise InviteUnknown
    if invite.revoked_at is not None:
        raise InviteRevoked
    if invite.used_at is not None and has_begun(invite.member.reviewer):
        raise InviteUsed
    if invite.expires_at <= timezone.now():
        raise InviteExpired
    return invite


def has_begun(reviewer: Reviewer) -> bool:
    """Say whether this person has agreed to take part in a round, be it this one or an earlier
    one.
    """
    # A member who is asked anew has begun as well.
    agreed = Q(consented_at__isnull=False) | Q(consents__isnull=False)
    return CohortMember.objects.filter(agreed, reviewer=reviewer).exists()


@transaction.atomic
def use_invite(token: str, address: str = "") -> Reviewer:
    """Open an invite and return whose it is. A person who has begun must give the address that it
    was made for.

    Raises InviteAddressWrong, which uses nothing up, and what openable_invite() raises. Of two
    people who come at once with the link of a reviewer who has begun, one gets InviteUsed.
    """
    invite = openable_invite(token)
    member = invite.member
    begun = has_begun(member.reviewer)
    if begun and address.strip().lower() != member.reviewer.email.lower():
        raise InviteAddressWrong
    first = Invite.objects.filter(pk=invite.pk, used_at=None, revoked_at=None).update(
        used_at=timezone.now()
    )
    if begun and not first:
        raise InviteUsed
    action = "invite used" if first else "invite opened again"
    audit.record(action, actor=member.reviewer.code, round_name=member.round.name)
    return member.reviewer


@transaction.atomic
def issue_return_code(reviewer: Reviewer) -> str:
    """Give ``reviewer`` a new personal return code; the old one stops working. It is shown once and
    kept as a hash.

    Raises TooManyNotes when many were asked for within a day.
    """
    Reviewer.objects.select_for_update(no_key=True).get(pk=reviewer.pk)
    issued = AuditEntry.objects.filter(
        action=ISSUED, actor=reviewer.code, at__gte=timezone.now() - timedelta(days=1)
    )
    if issued.count() >= MOST_CODES_A_DAY:
        raise TooManyNotes(
            f"{MOST_CODES_A_DAY} return codes were made within a day. The last one is good; try "
            "tomorrow."
        )
    code = new_return_code()
    reviewer.return_code_hash = token_hash(code)
    reviewer.save(update_fields=["return_code_hash"])
    audit.record(ISSUED, actor=reviewer.code)
    return code


def use_return_code(typed: str) -> Reviewer:
    """Return whose return code this is. Raises ReturnCodeUnknown."""
    hashed = token_hash(normal_return_code(typed))
    reviewer = Reviewer.objects.filter(return_code_hash=hashed).select_related("user").first()
    if reviewer is None or not reviewer.user.is_active:
        raise ReturnCodeUnknown
    return reviewer
