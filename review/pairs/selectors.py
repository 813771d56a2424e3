"""What pages and commands read of pairs. Nothing here knows configurations, and nothing writes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q, QuerySet

from fartbench.models import Round
from fartbench.protocol import Pairs
from review.models import CohortMember, Pair, PairTask, Reviewer, Role, Vote
from review.pairs.errors import NoPairs
from review.queues import Queue

ENDED = Q(locked_at__isnull=False) | Q(unplayable_at__isnull=False)


def pair_rules(round: Round) -> Pairs:
    """Return what the round's protocol says of pairs. Raises NoPairs when it says nothing."""
    pairs = round.protocol.rules.pairs
    if pairs is None:
        raise NoPairs(
            f"{round.protocol} has no blind pairs, so none can be planned in round {round}."
        )
    return pairs


def live_pairs(round: Round) -> QuerySet[Pair]:
    """Return the pairs of a round whose clips are both still asked about."""
    return Pair.objects.filter(round=round, first__retirement=None, second__retirement=None)


def live_tasks(round: Round) -> QuerySet[PairTask]:
    """Return who of the primary cohort is asked about which pair, in each one's order."""
    found = PairTask.objects.filter(
        pair__in=live_pairs(round), member__role=Role.PRIMARY, member__left_at=None
    )
    return found.order_by("member__place", "position")


def tasks_of(reviewer: Reviewer, round: Round) -> QuerySet[PairTask]:
    """Return what one reviewer is asked about in a round, in order."""
    return live_tasks(round).filter(member__reviewer=reviewer)


@dataclass(frozen=True, slots=True)
class PairItem:
    """A pair in a reviewer's list, counted from 1, with its vote when there is one."""

    number: int
    task: PairTask
    vote: Vote | None

    @property
    def pair_id(self) -> str:
        return self.task.pair_id

    @property
    def key(self) -> str:
        return self.pair_id

    @property
    def is_begun(self) -> bool:
        return self.vote is not None

    @property
    def is_ended(self) -> bool:
        return self.vote is not None and self.vote.is_ended

    @property
    def is_set_aside(self) -> bool:
        return False  # a pair is never put off


def pair_queue(reviewer: Reviewer, round: Round) -> Queue[PairItem]:
    """Return the reviewer's pairs of a round with the state of each vote, in two queries."""
    tasks = list(tasks_of(reviewer, round).select_related("pair"))
    votes = {vote.task_id: vote for vote in Vote.objects.filter(task__in=tasks).defer("playback")}
    return Queue(
        tuple(PairItem(n, task, votes.get(task.pk)) for n, task in enumerate(tasks, start=1))
    )


def task_of(reviewer: Reviewer, pair_id: str) -> PairTask | None:
    """Return what the reviewer is asked about a pair, with its clips, round and protocol, or
    None.
    """
    return (
        PairTask.objects.filter(pair=pair_id, member__reviewer=reviewer, member__left_at=None)
        .filter(pair__first__retirement=None, pair__second__retirement=None)
        .select_related(
            "pair__first", "pair__second", "member__reviewer", "member__round__protocol"
        )
        .defer("member__round__protocol__content")
        .first()
    )


def next_pair(reviewer: Reviewer, round: Round) -> str | None:
    """Return the id of the pair that is due, or None when the reviewer is done with the pairs."""
    ended = Vote.objects.filter(ENDED, task=OuterRef("pk"))
    return (
        tasks_of(reviewer, round).filter(~Exists(ended)).values_list("pair_id", flat=True).first()
    )


def missing_votes(round: Round) -> list[tuple[CohortMember, int]]:
    """Return the members of the primary cohort with pairs still to do, each with how many, by
    place.
    """
    due = due_tasks([round.pk])
    counts = Counter(due.values_list("member", flat=True))
    members = round.members.filter(role=Role.PRIMARY, left_at=None).select_related("reviewer")
    return [(member, counts[member.pk]) for member in members if counts[member.pk]]


def due_tasks(rounds: Sequence[int]) -> QuerySet[PairTask]:
    """Return what the primary cohorts of these rounds (by key) still have to answer about pairs."""
    ended = Vote.objects.filter(ENDED, task=OuterRef("pk"))
    return PairTask.objects.filter(
        ~Exists(ended),
        pair__round__in=rounds,
        pair__first__retirement=None,
        pair__second__retirement=None,
        member__role=Role.PRIMARY,
        member__left_at=None,
    )


@dataclass(frozen=True, slots=True)
class PairProgress:
    """How far a member is with the pairs of a round. Nothing here says what was answered."""

    code: str
    done: int
    total: int
    unplayable: int

    @property
    def left(self) -> int:
        return self.total - self.done


def pair_progress(round: Round) -> list[PairProgress]:
    """Return how far each member of the primary cohort is, by place."""
    tasks = live_tasks(round)
    totals = Counter(tasks.values_list("member__reviewer__code", flat=True))
    votes = Vote.objects.filter(ENDED, task__in=tasks).values_list(
        "task__member__reviewer__code", "unplayable_at"
    )
    rows = list(votes)
    done = Counter(code for code, _ in rows)
    unplayable = Counter(code for code, at in rows if at)
    return [PairProgress(code, done[code], totals[code], unplayable[code]) for code in totals]
