"""The table of votes in a release: its rows, and reading them back. No Django here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from fartbench.protocol import Pairs, Protocol
from review.pairs.record import VoteRecord
from review.record import lock_digest
from scoring.errors import ReleaseRefused
from scoring.records import ReviewerRecord, RoundRecord
from scoring.records.votes import PairVote
from scoring.release.rows import RowOfCells, every_row
from scoring.release.writers import read_csv

FILE = "pairs.csv"


def vote_rows(record: RoundRecord) -> Iterator[RowOfCells]:
    """Yield a row per locked vote."""
    pairs = record.protocol.pairs
    roles = {reviewer.code: reviewer.role for reviewer in record.reviewers}
    for vote in record.pair_votes if pairs else ():
        yield (
            *every_row(record),
            vote.pair,
            vote.question,
            vote.scene,
            record.cell_of[vote.a].configuration,
            vote.a,
            record.cell_of[vote.b].configuration,
            vote.b,
            vote.reviewer,
            roles[vote.reviewer],
            vote.answer,
            pairs.outcome(vote.question, vote.answer) if pairs else "",
            vote.source,
            "yes" if vote.measured else "no",
            vote.playback_sha256,
            vote.locked_at,
            vote.digest,
        )


def load_votes(
    folder: Path,
    protocol: Protocol,
    scene_of: Mapping[str, str],
    reviewers: tuple[ReviewerRecord, ...],
) -> tuple[PairVote, ...]:
    """Return the votes of a release; none for a protocol without pairs. ``scene_of`` gives the
    scene of each stimulus.

    Raises ReleaseRefused, naming the row, for one that no round of this protocol gives.
    """
    pairs = protocol.pairs
    if pairs is None:
        return ()
    codes, found, seen = {reviewer.code for reviewer in reviewers}, [], set[tuple[str, str]]()
    for number, row in enumerate(read_csv(folder / FILE), start=2):
        vote = _vote(row)
        is_possible = {
            "stimulus": vote.a != vote.b and vote.a in scene_of and vote.b in scene_of,
            "scene": scene_of.get(vote.a) == scene_of.get(vote.b) == vote.scene,
            "reviewer": vote.reviewer in codes,
            "answer": _is_answer(pairs, vote),
            "second vote": (vote.pair, vote.reviewer) not in seen,
        }
        if not all(is_possible.values()):
            wrong = next(what for what, possible in is_possible.items() if not possible)
            raise ReleaseRefused(folder, [f"{FILE}, row {number}: this {wrong} is not possible"])
        if not _is_as_locked(row, vote):
            words = f"the vote of {vote.reviewer} on {vote.pair} is not what was locked"
            raise ReleaseRefused(folder, [f"{FILE}, row {number}: {words}"])
        seen.add((vote.pair, vote.reviewer))
        found.append(vote)
    return tuple(found)


def _is_answer(pairs: Pairs, vote: PairVote) -> bool:
    if vote.question not in {question.key for question in pairs.questions}:
        return False
    return vote.answer in {option.value for option in pairs.options(vote.question)}


def _is_as_locked(row: Mapping[str, str], vote: PairVote) -> bool:
    """Say whether a vote has the digest that it states. That of an older version covers what no
    release contains, and is not computed again.
    """
    if not vote.playback_sha256:
        return True
    record = VoteRecord(
        reviewer=vote.reviewer,
        pair=vote.pair,
        question=vote.question,
        clip_a=vote.a,
        clip_b=vote.b,
        protocol_digest=row["protocol_digest"],
        source=vote.source,
        answer=vote.answer,
        locked_at=vote.locked_at,
    )
    return lock_digest(record, vote.playback_sha256, is_measured=vote.measured) == vote.digest


def _vote(row: dict[str, str]) -> PairVote:
    return PairVote(
        pair=row["pair"],
        question=row["question"],
        scene=row["scene"],
        a=row["a_stimulus"],
        b=row["b_stimulus"],
        reviewer=row["reviewer"],
        answer=row["answer"],
        source=row["source"],
        measured=row["playback_measured"] == "yes",
        locked_at=row["locked_at"],
        digest=row["vote_digest"],
        playback_sha256=row.get("playback_sha256", ""),
    )
