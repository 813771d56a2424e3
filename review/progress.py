"""How far the members of a round are, for staff. Nothing here says what was answered."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, Max, OuterRef, Q
from django.utils import timezone

from fartbench.models import Round
from review.models import AnswerSheet, Assignment, CohortMember, Invite, Role


@dataclass(frozen=True, slots=True)
class MemberProgress:
    """How far a member of a round is. Nothing here says what was answered.

    ``email`` is for admins only.
    """

    code: str
    email: str
    role: str
    is_primary: bool
    done: int
    locked: int
    unplayable: int
    unmeasured: int
    drafts: int
    total: int
    last_activity: datetime | None
    invite_state: str

    @property
    def left(self) -> int:
        return self.total - self.done


def progress_of_round(round: Round) -> list[MemberProgress]:
    """Return how far each member is, by place, in three queries."""
    asked = Assignment.objects.filter(member__round=round, stimulus__retirement=None).order_by()
    totals = Counter(dict(asked.values_list("member").annotate(rows=Count("pk"))))
    sheets = _sheet_counts(round)
    invites = _invite_states(round)
    members = round.members.select_related("reviewer")
    return [
        MemberProgress(
            code=member.reviewer.code,
            email=member.reviewer.email,
            role=member.get_role_display(),
            is_primary=member.role == Role.PRIMARY,
            total=totals[member.pk],
            invite_state=invites.get(member.pk, "none"),
            **sheets.get(member.reviewer_id, _NO_SHEETS),
        )
        for member in members
    ]


_NO_SHEETS: dict[str, Any] = {
    "done": 0,
    "locked": 0,
    "unplayable": 0,
    "unmeasured": 0,
    "drafts": 0,
    "last_activity": None,
}


def _sheet_counts(round: Round) -> dict[int, dict[str, Any]]:
    locked, unplayable = Q(locked_at__isnull=False), Q(unplayable_at__isnull=False)
    counted = (
        AnswerSheet.objects.filter(stimulus__round=round, stimulus__retirement=None)
        .values("reviewer")
        .annotate(
            done=Count("pk", filter=locked | unplayable),
            locked=Count("pk", filter=locked),
            unplayable=Count("pk", filter=unplayable),
            unmeasured=Count("pk", filter=locked & Q(playback={})),
            drafts=Count("pk", filter=~(locked | unplayable)),
            last_activity=Max("changed_at"),
        )
    )
    return {
        row["reviewer"]: {name: value for name, value in row.items() if name != "reviewer"}
        for row in counted
    }


def _invite_states(round: Round) -> dict[int, str]:
    """Return for each member the state of the newest invite: revoked, used, opened, open or
    expired.

    It is “opened” until the member agrees to take part: perhaps only a program that checks e-mail
    opened it.
    """
    invites = (
        Invite.objects.filter(member__round=round)
        .select_related("member")
        .order_by("created_at", "pk")
    )
    return {invite.member_id: _invite_state(invite) for invite in invites}


def _invite_state(invite: Invite) -> str:
    if invite.revoked_at:
        return "revoked"
    if invite.used_at and invite.member.consented_at:
        return "used"
    if invite.expires_at <= timezone.now():
        return "expired"
    return "opened" if invite.used_at else "open"


def missing_sheets(round: Round) -> list[tuple[CohortMember, int]]:
    """Return the members of the primary cohort with sheets still to end, each with how many, by
    place.
    """
    ended = AnswerSheet.objects.filter(
        reviewer=OuterRef("member__reviewer"), stimulus=OuterRef("stimulus")
    ).exclude(locked_at=None, unplayable_at=None)
    due = Assignment.objects.filter(
        ~Exists(ended), member__round=round, member__role=Role.PRIMARY, stimulus__retirement=None
    )
    counts = Counter(due.values_list("member", flat=True))
    members = round.members.filter(role=Role.PRIMARY).select_related("reviewer")
    return [(member, counts[member.pk]) for member in members if counts[member.pk]]
