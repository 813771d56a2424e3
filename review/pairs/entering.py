"""Whole votes at once, for answers collected elsewhere and for scripted reviewers: the same checks
as the page's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils import timezone

from fartbench.models import Round, RoundState
from review.errors import RoundNotOpen
from review.models import PairTask, Reviewer, Vote
from review.pairs.errors import BadVotes, UnknownAnswer
from review.pairs.selectors import live_tasks, pair_rules
from review.pairs.voting import end_as_locked, record_lock, refuse_unknown

ROWS_PER_STATEMENT = 200


@dataclass(frozen=True, slots=True)
class VoteEntry:
    """One whole vote: ``answer`` in terms of what this reviewer sees as A and B; ``label`` says
    where it came from.
    """

    reviewer: Reviewer
    pair_id: str
    answer: str
    label: str = ""
    at: datetime | None = None


@transaction.atomic
def enter_votes(*, round: Round, entries: Sequence[VoteEntry], source: str) -> list[Vote]:
    """Enter and lock whole votes of one round, all or none, with one audit entry each.

    Playback was not measured for them. ``source`` is a `review.models.Source`. Raises RoundNotOpen,
    and BadVotes with every fault of every entry: nobody who is asked about the pair, a second vote,
    an answer that there is not.
    """
    round = Round.objects.select_for_update(no_key=True).select_related("protocol").get(pk=round.pk)
    if round.state != RoundState.REVIEWING:
        raise RoundNotOpen(round.name)
    tasks = _tasks(round)
    if faults := vote_faults(round, entries, tasks):
        raise BadVotes("The votes", faults)
    own = [tasks[entry.reviewer.pk, entry.pair_id] for entry in entries]
    votes = Vote.objects.bulk_create(
        [
            Vote(task=task, answer=entry.answer, source=source)
            for task, entry in zip(own, entries, strict=True)
        ],
        batch_size=ROWS_PER_STATEMENT,
    )
    now = timezone.now()
    for vote, task, entry in zip(votes, own, entries, strict=True):
        end_as_locked(vote, task, entry.at or now)
    Vote.objects.bulk_update(votes, ["locked_at", "digest"], batch_size=ROWS_PER_STATEMENT)
    for vote, task in zip(votes, own, strict=True):
        record_lock(vote, task)
    return votes


def vote_faults(
    round: Round,
    entries: Sequence[VoteEntry],
    tasks: dict[tuple[int, str], PairTask] | None = None,
) -> list[str]:
    """Return every fault of the entries in words, in their order; nothing is changed."""
    rules, tasks = pair_rules(round), _tasks(round) if tasks is None else tasks
    voted = set(
        Vote.objects.filter(task__pair__round=round).values_list(
            "task__member__reviewer", "task__pair"
        )
    )
    faults = []
    for entry in entries:
        place = (entry.reviewer.pk, entry.pair_id)
        label = entry.label or f"{entry.reviewer.code} on {entry.pair_id}"
        task = tasks.get(place)
        if task is None:
            faults.append(f"{label}: {entry.reviewer.code} is not asked about this pair")
            continue
        if place in voted:
            faults.append(f"{label}: {entry.reviewer.code} has a vote on this pair already")
        voted.add(place)
        try:
            refuse_unknown(rules, task.pair.question, entry.answer)
        except UnknownAnswer as refusal:
            faults.append(f"{label}: {refusal}")
    return faults


def _tasks(round: Round) -> dict[tuple[int, str], PairTask]:
    found = live_tasks(round).select_related(
        "pair__first", "pair__second", "member__reviewer", "member__round__protocol"
    )
    return {(task.member.reviewer_id, task.pair_id): task for task in found}
