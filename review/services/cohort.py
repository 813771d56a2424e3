"""Who reviews a round, and the links by which they come in."""

from __future__ import annotations

from collections import Counter
from datetime import timedelta
from itertools import count

from django.conf import settings
from django.contrib.auth.models import User
from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.protocol.schema import Cohort
from review.codes import new_reviewer_code
from review.errors import CohortRefused
from review.links import InviteLink, write_link
from review.models import CohortMember, Invite, Reviewer, Role

LONGEST_USERNAME = 150  # an account is named by its address


@transaction.atomic
def set_cohort(*, round: Round, emails: list[str], actor: str) -> list[InviteLink]:
    """Make these people the primary cohort of ``round`` and return a fresh invite link for each, in
    their order.

    Before the round opens this replaces the cohort; afterwards the same addresses get new links and
    any other set is refused. Earlier links stop working. Raises CohortRefused.
    """
    emails = [email.strip().lower() for email in emails]
    round = Round.objects.select_for_update(no_key=True).get(pk=round.pk)
    _check_addresses(emails, round.protocol.rules.cohort)
    if round.state in {RoundState.LOCKED, RoundState.PUBLISHED}:
        raise CohortRefused(f"Round {round} is closed; no one can join it any more.")
    if round.opened_at is None:
        _replace_members(round, emails)
    members = {member.reviewer.email: member for member in primary_members(round)}
    if set(members) != set(emails):
        raise CohortRefused(
            f"Round {round} is open and its cohort is fixed. Give the same {len(members)} "
            "addresses for new links."
        )
    links = [invite(members[email]) for email in emails]
    audit.record(
        "cohort set",
        actor=actor,
        round_name=round.name,
        reviewers=sorted(link.code for link in links),
    )
    return links


def invite(member: CohortMember) -> InviteLink:
    """Return a new link for ``member``; links made before stop working. Part of a transaction."""
    now = timezone.now()
    member.invites.filter(revoked_at=None).update(revoked_at=now)
    expires_at = now + timedelta(days=settings.INVITE_DAYS)
    return write_link(Invite(member=member, expires_at=expires_at))


def primary_members(round: Round) -> list[CohortMember]:
    """Return the members whose sheets count, by place, each with its reviewer."""
    return list(round.members.filter(role=Role.PRIMARY).select_related("reviewer"))


def _check_addresses(emails: list[str], cohort: Cohort) -> None:
    if twice := sorted(email for email, times in Counter(emails).items() if times > 1):
        raise CohortRefused(
            f"{twice[0]} is named twice; a cohort has {cohort.size} different people."
        )
    if not cohort.fewest <= len(emails) <= cohort.most:
        raise CohortRefused(
            f"The protocol asks for a cohort of {cohort.sizes}; {len(emails)} addresses were given."
        )
    for email in emails:
        _check_address(email)


def _check_address(email: str) -> None:
    try:
        validate_email(email)
    except ValidationError as error:
        raise CohortRefused(f"“{email}” is not an e-mail address.") from error
    if len(email) > LONGEST_USERNAME:
        raise CohortRefused(f"The address {email[:20]}… is too long.")


def _replace_members(round: Round, emails: list[str]) -> None:
    reviewers = [reviewer_with(email) for email in emails]
    round.members.exclude(reviewer__in=reviewers).delete()
    members = {member.reviewer_id: member for member in round.members.all()}
    taken = {member.place for member in members.values()}
    free = (place for place in count() if place not in taken)
    for reviewer in reviewers:
        if reviewer.pk not in members:
            CohortMember.objects.create(round=round, reviewer=reviewer, place=next(free))


def reviewer_with(email: str) -> Reviewer:
    """Return the reviewer with this address, made with an account that has no password yet when
    there is none.

    Raises CohortRefused for what is no address, and for an account with staff rights.
    """
    email = email.strip().lower()
    _check_address(email)
    user = (
        User.objects.filter(Q(username__iexact=email) | Q(email__iexact=email))
        .order_by("pk")
        .first()
    )
    if user is not None and (user.is_staff or user.is_superuser):
        raise CohortRefused(
            f"{email} has a staff account, which could see into the round. Reviewers need another "
            "one."
        )
    if reviewer := Reviewer.objects.filter(email=email).select_related("user").first():
        if reviewer.user.is_staff or reviewer.user.is_superuser:
            raise CohortRefused(
                f"The account of {email} has staff rights and could see into the round."
            )
        return reviewer
    return Reviewer.objects.create(
        user=user or User.objects.create_user(email, email), email=email, code=_free_code()
    )


def _free_code() -> str:
    taken = set(Reviewer.objects.values_list("code", flat=True))
    return next(code for code in iter(new_reviewer_code, None) if code not in taken)
