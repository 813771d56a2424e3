"""How a sheet and a vote end: in an open round, locked with a digest or as unplayable."""

from __future__ import annotations

from datetime import datetime

from django.utils import timezone

from fartbench.compiled import CompiledQuery
from fartbench.models import Round, RoundState
from fartbench.wording import printable
from review.errors import RoundNotOpen
from review.models import AnswerSheet, Vote
from review.record import Locked, digest_of_lock

REASON_LENGTH = 200
_round_state = CompiledQuery(
    lambda pk: Round.objects.select_for_update(no_key=True).filter(pk=pk).values_list("state")
)


def hold_open_round(round_: Round) -> None:
    """Keep the round from being closed until this transaction ends. Raises RoundNotOpen."""
    if _round_state.rows(pk=round_.pk) != [(RoundState.REVIEWING,)]:
        raise RoundNotOpen(round_.name)


def set_locked(answers: AnswerSheet | Vote, record: Locked, at: datetime) -> None:
    """Set the time and the digest of a lock; the caller saves them."""
    answers.locked_at = at
    answers.digest = digest_of_lock(record, answers.playback)


def set_unplayable(answers: AnswerSheet | Vote, reason: str) -> None:
    """Set the time and the reason of an end without answers; the caller saves them."""
    answers.unplayable_at = timezone.now()
    answers.unplayable_reason = printable(" ".join(reason.split()))[:REASON_LENGTH]
