"""What the pages and commands read of the review.

Nothing here knows configurations, and nothing writes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth.models import AbstractBaseUser, AnonymousUser
from django.db.models import Case, Exists, FilteredRelation, OuterRef, Q, QuerySet, When

from blinding.models import Stimulus
from fartbench.compiled import CompiledQuery, Part
from fartbench.models import Round, RoundState
from review.models import (
    AnswerSheet,
    Assignment,
    CohortMember,
    Reviewer,
    TrainingClip,
)
from review.queues import Queue

Person = AbstractBaseUser | AnonymousUser


def reviewer_of(user: Person) -> Reviewer | None:
    """Return the reviewer behind an account, or None. An account with staff rights never
    reviews.
    """
    if not user.is_authenticated or getattr(user, "is_staff", False):
        return None
    return getattr(user, "reviewer", None)  # came with the account: see review.backend


def memberships_of(reviewer: Reviewer) -> list[CohortMember]:
    """Return the reviewer's places in opened rounds, the newest round first."""
    members = reviewer.memberships.filter(left_at=None, round__opened_at__isnull=False)
    return list(members.select_related("round__protocol", "reviewer").order_by("-round__opened_at"))


def rounds_reviewed_by(user: AbstractBaseUser) -> list[str]:
    """Return the names of the unpublished rounds whose cohort an account is or was in."""
    places = CohortMember.objects.filter(reviewer__user=user.pk).exclude(
        round__state=RoundState.PUBLISHED
    )
    return sorted(set(places.values_list("round__name", flat=True)))


def protocols_under_review(user: Person) -> set[str]:
    """Return the names of the protocols of the open rounds that an account reviews in."""
    if reviewer_of(user) is None:
        return set()
    places = CohortMember.objects.filter(
        reviewer__user=user.pk, left_at=None, round__state=RoundState.REVIEWING
    )
    return set(places.values_list("round__protocol__name", flat=True))


def membership(reviewer: Reviewer, round: Round) -> CohortMember | None:
    """Return the reviewer's place in ``round``, or None."""
    return CohortMember.objects.filter(reviewer=reviewer, round=round, left_at=None).first()


@dataclass(frozen=True, slots=True)
class QueueItem:
    """A clip in a reviewer's list, counted from 1, with its sheet when there is one."""

    number: int
    assignment: Assignment
    sheet: AnswerSheet | None

    @property
    def stimulus_id(self) -> str:
        return self.assignment.stimulus_id

    @property
    def key(self) -> str:
        return self.stimulus_id

    @property
    def is_begun(self) -> bool:
        return self.sheet is not None

    @property
    def is_ended(self) -> bool:
        return self.sheet is not None and self.sheet.is_ended

    @property
    def is_set_aside(self) -> bool:
        return (
            self.sheet is not None
            and not self.sheet.is_ended
            and self.sheet.set_aside_at is not None
        )


def assignments_of(reviewer: Reviewer | int, round: Round | int) -> QuerySet[Assignment]:
    """Return the reviewer's assignments in the round's stored order, without retired stimuli."""
    return Assignment.objects.filter(
        member__reviewer=reviewer,
        member__round=round,
        member__left_at=None,
        stimulus__retirement=None,
    ).order_by("position")


def queue_of(reviewer: Reviewer, round: Round) -> Queue[QueueItem]:
    """Return the reviewer's list of a round with the state of each sheet, in two queries."""
    sheets = {
        sheet.stimulus_id: sheet
        for sheet in AnswerSheet.objects.filter(reviewer=reviewer, stimulus__round=round).defer(
            "playback"
        )
    }
    return Queue(
        tuple(
            QueueItem(number, assignment, sheets.get(assignment.stimulus_id))
            for number, assignment in enumerate(assignments_of(reviewer, round), start=1)
        )
    )


def training_of(round: Round) -> list[TrainingClip]:
    """Return the training clips of a round: those of its protocol in its scenes, in their order."""
    return list(
        TrainingClip.objects.filter(protocol=round.protocol_id, scene__in=round.scenes).order_by(
            "place"
        )
    )


def training_due(member: CohortMember) -> TrainingClip | None:
    """Return the training clip that comes next, or None when all are done, or when there are
    none.
    """
    return next(
        (clip for clip in training_of(member.round) if clip.pk not in member.practised), None
    )


def next_assignment(reviewer: Reviewer, round: Round) -> Assignment | None:
    """Return the assignment that is due (see `Queue.next`), or None when the reviewer is done with
    the round.
    """
    rows = _next_assignment.rows(reviewer=reviewer.pk, round_=round.pk)
    return _ASSIGNMENT.stored(rows[0]) if rows else None


def _left(reviewer: int, round_: int) -> QuerySet[Assignment, Any]:
    own_sheet = FilteredRelation(
        "stimulus__sheets", condition=Q(stimulus__sheets__reviewer=reviewer)
    )
    left = assignments_of(reviewer, round_).annotate(sheet=own_sheet)
    left = left.filter(sheet__locked_at=None, sheet__unplayable_at=None)
    was_set_aside = Case(When(sheet__set_aside_at=None, then=0), default=1)
    return left.order_by(was_set_aside, "position").values_list(*_ASSIGNMENT.columns)[:1]


_ASSIGNMENT = Part(Assignment)
_next_assignment = CompiledQuery(_left)


def assignment_of(reviewer: Reviewer, stimulus_id: str) -> Assignment | None:
    """Return the reviewer's assignment of a stimulus of an opened round, with round and protocol,
    or None.
    """
    return (
        Assignment.objects.filter(
            stimulus=stimulus_id, member__reviewer=reviewer, member__left_at=None
        )
        .filter(stimulus__retirement=None)
        .select_related("stimulus", "member__reviewer", "member__round__protocol")
        .defer("member__round__protocol__content")
        .first()
    )


def visible_stimulus(user: Person, stimulus_id: str) -> Stimulus | None:
    """Return the stimulus when this account may play it, else None.

    Reviewers play what is assigned to them while its round is open, once they have passed its start
    page (as `CohortMember.is_ready` says); staff play any, by its opaque id.
    """
    if getattr(user, "is_staff", False) and user.is_active:
        return Stimulus.objects.filter(pk=stimulus_id).first()
    if not user.is_authenticated:
        return None
    return Stimulus.objects.filter(
        pk=stimulus_id,
        round__state=RoundState.REVIEWING,
        retirement=None,
        assignments__member__reviewer__user=user.pk,
        assignments__member__left_at=None,
        assignments__member__consented_at__isnull=False,
        assignments__member__sound_checked_at__isnull=False,
    ).first()


def visible_training(user: Person, clip_id: str) -> TrainingClip | None:
    """Return the training clip when this account may play it: staff, and reviewers of an open round
    it belongs to.
    """
    clips = TrainingClip.objects.filter(pk=clip_id)
    if getattr(user, "is_staff", False) and user.is_active:
        return clips.first()
    members = CohortMember.objects.filter(
        reviewer__user=user.pk,
        left_at=None,
        round__protocol=OuterRef("protocol"),
        round__state=RoundState.REVIEWING,
    )
    return clips.filter(Exists(members)).first() if user.is_authenticated else None


def locked_times(reviewer: Reviewer, round: Round) -> list[datetime]:
    """Return when the reviewer locked each sheet of a round, the newest first."""
    locked = AnswerSheet.objects.filter(
        reviewer=reviewer, stimulus__round=round, locked_at__isnull=False
    )
    return [
        moment
        for moment in locked.order_by("-locked_at").values_list("locked_at", flat=True)
        if moment
    ]
