"""Reads the votes of a round from the database, and refuses any that is not what was locked."""

from __future__ import annotations

from fartbench.models import Round
from review.models import Vote
from review.pairs.record import VoteRecord
from review.pairs.voting import vote_record
from review.record import played_as_locked
from scoring.errors import RoundAltered
from scoring.records.votes import PairVote


def read_votes(round_: Round) -> tuple[PairVote, ...]:
    """Return the locked votes on pairs of clips that count, in a fixed number of queries; none
    without pairs.

    Raises RoundAltered, naming each vote that is not what its reviewer locked.
    """
    if round_.protocol.rules.pairs is None:
        return ()
    votes = (
        Vote.objects.filter(task__pair__round=round_, locked_at__isnull=False)
        .filter(task__pair__first__retirement=None, task__pair__second__retirement=None)
        .select_related("task__pair__first", "task__pair__second", "task__member__reviewer")
        .order_by("pk")
    )
    found, faults = [], []
    for vote in votes.iterator(chunk_size=2000):
        vote.task.member.round = round_
        assert vote.locked_at is not None  # noqa: S101 - what the query selects
        record = vote_record(vote, vote.task, vote.locked_at)
        playback = played_as_locked(record, vote.playback, vote.digest)
        if playback is None:
            faults.append(f"the vote of {record.reviewer} on {record.pair} is not what was locked")
            continue
        found.append(_vote(vote, record, playback))
    if faults:
        raise RoundAltered(round_.name, faults)
    return tuple(found)


def _vote(vote: Vote, record: VoteRecord, playback_sha256: str) -> PairVote:
    return PairVote(
        pair=record.pair,
        question=record.question,
        scene=vote.task.pair.scene,
        a=record.clip_a,
        b=record.clip_b,
        reviewer=record.reviewer,
        answer=record.answer,
        source=record.source,
        measured=bool(vote.playback),
        playback_sha256=playback_sha256,
        locked_at=record.locked_at,
        digest=vote.digest,
    )
