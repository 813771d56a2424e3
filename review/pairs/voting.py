"""Answers about pairs: drafts that nobody overwrites when they are newer, and the two ends of a
vote.

Rows are held in one order: round (only for what ends a vote), then vote, then the head of the audit
trail.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.models import RoundState
from fartbench.protocol import Pairs
from fartbench.times import utc
from review.drafts import VoteDraft
from review.ending import hold_open_round, set_locked, set_unplayable
from review.errors import BadPlayback, RoundNotOpen
from review.models import PairTask, Reviewer, Vote
from review.pairs.errors import (
    NotYourPair,
    PairNotDue,
    PairNotPlayed,
    StaleVote,
    UnknownAnswer,
    VoteEnded,
    VoteLockedOtherwise,
)
from review.pairs.record import VoteRecord
from review.pairs.selectors import next_pair, pair_rules, task_of
from review.playback import is_played, parse_playback
from review.selectors import next_assignment

SIDES = ("a", "b")
CHANGED = ("answer", "revision", "playback", "changed_at")
Report = Mapping[str, Any]


@transaction.atomic
def save_vote(
    *, reviewer: Reviewer, pair_id: str, revision: int, answer: str, playback: Report | None = None
) -> VoteDraft:
    """Store a draft (an empty answer clears it) and what the player measured; return what is stored
    then.

    ``revision`` is the one that the change was made on. What is stored may be newer: then StaleVote
    is raised with it, unless it already says the same. Raises UnknownAnswer, VoteEnded,
    NotYourPair, PairNotDue, RoundNotOpen and BadPlayback.
    """
    task = _task_in_open_round(reviewer, pair_id)
    vote = _vote_for_change(task)
    _refuse_ended(vote)
    draft = _change(vote, task, revision, answer, playback)
    vote.save(update_fields=CHANGED)
    return draft


@transaction.atomic
def lock_vote(
    *,
    reviewer: Reviewer,
    pair_id: str,
    answer: str,
    revision: int | None = None,
    playback: Report | None = None,
) -> Vote:
    """Lock a vote and return it; one that is locked already with the same answer is returned as it
    is.

    Without a ``revision`` the answer applies to what is stored, whatever it is. Raises
    PairNotPlayed when the player measured too little of a clip, VoteLockedOtherwise when it was
    locked with another answer, and the refusals of `save_vote`.
    """
    task = _task_in_open_round(reviewer, pair_id)
    hold_open_round(task.member.round)
    vote = _vote_for_change(task)
    if vote.locked_at is not None:
        if answer not in ("", vote.answer):
            raise VoteLockedOtherwise(task.pair.question, vote.answer)
        return vote
    _refuse_ended(vote)
    _change(vote, task, vote.revision if revision is None else revision, answer, playback)
    if not vote.answer:
        raise UnknownAnswer("Choose an answer before you lock it.")
    _refuse_unplayed(vote, task)
    end_as_locked(vote, task, timezone.now())
    vote.save(update_fields=[*CHANGED, "locked_at", "digest"])
    record_lock(vote, task)
    return vote


@transaction.atomic
def report_pair_unplayable(
    *, reviewer: Reviewer, pair_id: str, reason: str, playback: Report | None = None
) -> Vote:
    """End a vote because a clip will not play; its draft is removed. The second report finds the
    first.

    Raises VoteEnded for a locked one, and the refusals of `save_vote`.
    """
    task = _task_in_open_round(reviewer, pair_id)
    hold_open_round(task.member.round)
    vote = _vote_for_change(task)
    if vote.unplayable_at is not None:
        return vote
    _refuse_ended(vote)
    if playback is not None:
        vote.playback = _parsed(playback)
    vote.answer = ""
    set_unplayable(vote, reason)
    vote.save()
    round_ = task.member.round
    audit.record(
        "vote ended as unplayable",
        actor=reviewer.code,
        round_name=round_.name,
        pair=task.pair_id,
        ended_at=utc(vote.unplayable_at),
    )
    return vote


def end_as_locked(vote: Vote, task: PairTask, at: datetime) -> None:
    """Set what a lock sets on ``vote``; the caller saves it, and the database's guard then looks at
    the answer.
    """
    set_locked(vote, vote_record(vote, task, at), at)


def vote_record(vote: Vote, task: PairTask, at: datetime) -> VoteRecord:
    """Return what a lock at this time fixes."""
    return VoteRecord(
        reviewer=task.member.reviewer.code,
        pair=task.pair_id,
        question=task.pair.question,
        clip_a=task.clip_a.pk,
        clip_b=task.clip_b.pk,
        protocol_digest=task.member.round.protocol.digest,
        source=vote.source,
        answer=vote.answer,
        locked_at=utc(at),
    )


def record_lock(vote: Vote, task: PairTask) -> None:
    """Write the audit entry of a lock."""
    audit.record(
        "vote locked",
        actor=task.member.reviewer.code,
        round_name=task.member.round.name,
        pair=task.pair_id,
        digest=vote.digest,
        source=vote.source,
        started_at=utc(vote.started_at),
    )


def refuse_unknown(rules: Pairs, question: str, answer: str) -> None:
    """Raise UnknownAnswer for an answer that the question does not have."""
    known = [option.value for option in rules.options(question)]
    if answer not in known:
        raise UnknownAnswer(
            f"{answer!r} is not an answer to “{rules.question(question).label}”: "
            f"{', '.join(known)}."
        )


def _task_in_open_round(reviewer: Reviewer, pair_id: str) -> PairTask:
    task = task_of(reviewer, pair_id)
    if task is None:
        raise NotYourPair
    if task.member.round.state != RoundState.REVIEWING:
        raise RoundNotOpen(task.member.round.name)
    return task


def _vote_for_change(task: PairTask) -> Vote:
    """Return the vote of a task, locked against other changes, made when there is none and the pair
    is due.
    """
    votes = Vote.objects.select_for_update(no_key=True).filter(task=task)
    if vote := votes.first():
        vote.task = task  # with all that hangs on it
        return vote
    member = task.member
    if (
        next_assignment(member.reviewer, member.round)
        or next_pair(member.reviewer, member.round) != task.pair_id
    ):
        raise PairNotDue
    Vote.objects.bulk_create(
        [Vote(task=task)], ignore_conflicts=True
    )  # two tabs may come at once: one vote for both
    vote = votes.get()
    vote.task = task
    return vote


def _refuse_ended(vote: Vote) -> None:
    if vote.is_ended:
        raise VoteEnded


def _change(
    vote: Vote, task: PairTask, revision: int, answer: str, playback: Report | None
) -> VoteDraft:
    """Apply changes to a vote that the caller's transaction holds, and that the caller saves."""
    if answer:
        refuse_unknown(pair_rules(task.member.round), task.pair.question, answer)
    if revision != vote.revision:
        if answer != vote.answer:
            raise StaleVote(_draft(vote, task))
        return _draft(vote, task)
    vote.answer = answer
    vote.revision += 1
    if playback is not None:
        vote.playback = _parsed(playback)
    return _draft(vote, task)


def _draft(vote: Vote, task: PairTask) -> VoteDraft:
    return VoteDraft(task.pair.question, vote.revision, vote.answer, vote.playback)


def _parsed(playback: Report) -> dict[str, Any]:
    if set(playback) - set(SIDES) or not all(
        isinstance(report, Mapping) for report in playback.values()
    ):
        raise BadPlayback(
            "The playback report of a pair has one part for each of its clips, “a” and “b”."
        )
    return {side: parse_playback(report) for side, report in playback.items()}


def _refuse_unplayed(vote: Vote, task: PairTask) -> None:
    rules = pair_rules(task.member.round)
    fraction = task.member.round.protocol.rules.playback.played_fraction
    clips = {"a": task.clip_a, "b": task.clip_b}
    if not vote.playback:
        return  # nothing was measured, as without the page's script: the vote says so
    for side in SIDES:
        duration = float(clips[side].facts["duration_s"])
        if not is_played(
            vote.side(side), duration=duration, full_plays=rules.full_plays, fraction=fraction
        ):
            raise PairNotPlayed(rules.full_plays)
