"""Storing what came of a try, and taking its sample where that leads."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from generation import dispatching, spool
from generation.models import (
    ProviderAccount,
    Sample,
    SampleState,
    Submission,
    SubmissionState,
)
from generation.providers.port import (
    Accepted,
    NeedsOperator,
    NotTaken,
    Refused,
    Submitted,
    Unsure,
)
from generation.states import RETRIES, backoff_s, may_go
from generation.steps import advance, pace

FIRST_LOOK_S = 5.0
# A list of jobs may lag behind: what it does not show yet is not absent yet.
FIND_AFTER_S = 60.0
_STOPS_THE_ACCOUNT = (401, 402, 403)


def conclude(sample: Sample, submission: Submission, answer: Submitted) -> None:
    """Store what came of a try and take the sample where that leads."""
    if isinstance(answer, Accepted):
        accept(sample, submission, answer)
    elif isinstance(answer, Refused):
        with transaction.atomic():
            _close(submission, "refused", answer.code, answer.reason, answer.trace)
            _to(sample, SampleState.REFUSED, submission, answer.reason, generated_at=timezone.now())
    elif isinstance(answer, NotTaken):
        _send_again(sample, submission, answer)
    elif isinstance(answer, NeedsOperator):
        with transaction.atomic():
            _close(submission, "operator", answer.code, answer.reason, answer.trace)
            _to(sample, SampleState.BLOCKED, submission, answer.reason)
            if answer.trace.http_status in _STOPS_THE_ACCOUNT:
                # The next order would get the same answer.
                ProviderAccount.objects.filter(provider=sample.provider).update(paused=True)
    else:
        doubt(sample, submission, answer)


def accept(sample: Sample, submission: Submission, answer: Accepted) -> None:
    """Store an acceptance, on disk first. From here on whatever comes is the sample's result."""
    spool.put(str(submission.token), answer)
    now = timezone.now()
    try:
        with transaction.atomic():
            _write(
                submission, SubmissionState.ACCEPTED, "accepted", "", "", answer.trace,
                provider_id=answer.provider_id, handle=dict(answer.handle),
            )  # fmt: skip
            _to(
                sample,
                SampleState.ACCEPTED,
                submission,
                "",
                delay_s=FIRST_LOOK_S,
                accepted_at=now,
                reason="",
            )
    except IntegrityError:
        words = (
            f"The provider answered with the id {answer.provider_id!r}, which belongs to another "
            "order already."
        )
        spool.drop(str(submission.token))
        submission.refresh_from_db()
        doubt(sample, submission, Unsure(words, answer.trace))
        return
    spool.drop(str(submission.token))


def _send_again(sample: Sample, submission: Submission, answer: NotTaken) -> None:
    wait_s = backoff_s(submission.number, answer.retry_after_s) * pace()
    later = timezone.now() + timedelta(seconds=wait_s)
    with transaction.atomic():
        _close(submission, "not_taken", answer.code, answer.reason, answer.trace)
        if answer.retry_after_s is not None:
            ProviderAccount.objects.filter(provider=sample.provider).update(cooldown_until=later)
        if submission.number >= RETRIES:
            words = (
                f"Given up after {submission.number} tries, none of them accepted. The last: "
                f"{answer.reason}"
            )
            _to(sample, SampleState.BLOCKED, submission, words)
        elif _to(sample, SampleState.READY, submission, answer.reason, not_before=later):
            dispatching.wake(sample.provider)


def doubt(sample: Sample, submission: Submission, answer: Unsure) -> None:
    """Note that a try may or may not have been accepted; what can be found out is found out
    later.
    """
    with transaction.atomic():
        _write(submission, SubmissionState.UNCERTAIN, "unsure", "", answer.reason, answer.trace)
        _to(sample, SampleState.UNCERTAIN, submission, answer.reason, delay_s=FIND_AFTER_S)


def release(sample: Sample, submission: Submission, proof: str, *, actor: str = "system") -> bool:
    """Set a sample ready again after proof that its try in doubt was not accepted."""
    with transaction.atomic():
        _close(submission, "proved_absent", "", proof, None)
        moved = advance(
            sample, SampleState.READY, words=proof, actor=actor, submission=submission, reason=""
        )
        dispatching.wake(sample.provider)
    return moved


def _to(
    sample: Sample, after: SampleState, submission: Submission, words: str, **fields: Any
) -> bool:
    """Take the sample on; one whose try was given up before is taken from there, if the states
    have that way.
    """
    sample.refresh_from_db(fields=["state", "turn"])
    if not may_go(sample.state, after):
        return False
    fields.setdefault("reason", words)
    return advance(sample, after, words=words, submission=submission, **fields)


def _close(submission: Submission, kind: str, code: str, words: str, trace: Any) -> None:
    _write(submission, SubmissionState.CLOSED, kind, code, words, trace)


def _write(  # noqa: PLR0917 - the columns of one row
    submission: Submission,
    state: SubmissionState,
    kind: str,
    code: str,
    words: str,
    trace: Any,
    **fields: Any,
) -> None:
    submission.state, submission.answer_class, submission.code, submission.words = (
        state,
        kind,
        code[:120],
        words,
    )
    submission.ended_at = submission.ended_at or timezone.now()
    if trace is not None:
        submission.http_status, submission.response = trace.http_status, trace.text
        submission.provider_request_ids = dict(trace.request_ids)
    for name, value in fields.items():
        setattr(submission, name, value)
    submission.save()
