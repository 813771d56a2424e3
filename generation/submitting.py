"""Sending an order: a row before the socket opens, one POST, and an answer taken for what it
says.
"""

from __future__ import annotations

import time
import uuid
from datetime import timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.utils import timezone

from fartbench import jobs
from generation import dispatching, spool
from generation.cells import COLLECTING
from generation.errors import RequestChanged
from generation.models import (
    Commissioning,
    Origin,
    ProviderAccount,
    Sample,
    SampleState,
    Submission,
    SubmissionState,
)
from generation.ordering import order_of
from generation.providers.access import is_simulated
from generation.providers.port import (
    Absent,
    Accepted,
    CannotTell,
    NeedsOperator,
    NotTaken,
    Provider,
    Refused,
    Request,
    RequestRefused,
    Submitted,
    Unsure,
)
from generation.providers.registry import provider
from generation.states import RETRIES, backoff_s, may_go
from generation.steps import advance, pace, sample_of

FIRST_LOOK_S = 5.0
# A list of jobs may lag behind: what it does not show yet is not absent yet.
FIND_AFTER_S = 60.0
_STOPS_THE_ACCOUNT = (401, 402, 403)


def submit(subject: str, _report: jobs.Report) -> None:
    """Do the submit step of a sample; found already under way, a worker has died over it, and it is
    in doubt.
    """
    sample = sample_of(subject)
    if sample is None:
        return
    if sample.state == SampleState.SUBMITTING:
        _taken_up_again(sample)
    elif sample.state == SampleState.QUEUED:
        source = provider(sample.provider)
        if opened := _open(sample, source):
            submission, request = opened
            conclude(sample, submission, _timed(source, request, submission))


def _open(sample: Sample, source: Provider) -> tuple[Submission, Request] | None:
    """Write the try's row, and return it with the request; None when the sample is not to be sent
    after all.
    """
    if not _may_be_sent(sample):
        return None
    earlier = list(sample.submissions.order_by("number"))
    # One name for all tries of a sample: a provider that knows it then refuses the second by
    # itself.
    token = earlier[0].token if earlier else uuid.uuid4()
    try:
        request = source.request(order_of(sample, str(token)))
        _refuse_changed(sample, request, earlier)
    except (RequestRefused, RequestChanged) as refusal:
        advance(sample, SampleState.BLOCKED, words=str(refusal), reason=str(refusal))
        return None
    with transaction.atomic():
        begun = Sample.every.filter(
            pk=sample.pk, state=SampleState.QUEUED, turn=sample.turn, counts=True
        ).update(state=SampleState.SUBMITTING, origin=_origin(sample))
        if not begun:
            return None
        submission = Submission.objects.create(
            sample=sample,
            number=len(earlier) + 1,
            token=uuid.uuid4() if earlier else token,
            provider=sample.provider,
            request_sha256=request.sha256,
            prompt_sha256=sample.prompt.sha256 if sample.prompt else "",
            endpoint=request.endpoint,
            client=source.client,
            started_at=timezone.now(),
        )
    sample.state = SampleState.SUBMITTING
    return submission, request


def _origin(sample: Sample) -> Origin:
    """Return where the next try goes. A stand-in that was asked once stays in the row: its answer
    may be what comes.
    """
    if sample.origin == Origin.STAND_IN or is_simulated(sample.provider):
        return Origin.STAND_IN
    return Origin.BOUGHT


def _may_be_sent(sample: Sample) -> bool:
    if not sample.counts or sample.cell.round.state not in COLLECTING:
        advance(
            sample,
            SampleState.NOT_GENERATED,
            reason="The round took no more clips when its turn came.",
        )
        return False
    paused = Commissioning.objects.filter(round=sample.cell.round, paused=True).exists()
    if paused or ProviderAccount.objects.filter(provider=sample.provider, paused=True).exists():
        advance(sample, SampleState.READY, words="paused")
        return False
    return True


def _refuse_changed(sample: Sample, request: Request, earlier: list[Submission]) -> None:
    if any(one.request_sha256 != request.sha256 for one in earlier):
        raise RequestChanged(
            f"{sample.cell}: the request is no longer the one that was sent before. A retry has "
            "the same bytes; "
            "a changed prompt is a new pilot version."
        )


def _timed(source: Provider, request: Request, submission: Submission) -> Submitted:
    start = time.monotonic()
    answer = source.submit(request)
    submission.latency_ms = int(1000 * (time.monotonic() - start))
    return answer


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


def _taken_up_again(sample: Sample) -> None:
    submission = sample.submissions.filter(state=SubmissionState.OPEN).get()
    if spooled := spool.get(str(submission.token)):
        accept(sample, submission, spooled)
    else:
        doubt(
            sample,
            submission,
            Unsure("The worker that sent it was lost before it wrote down an answer."),
        )


def find(subject: str, _report: jobs.Report) -> None:
    """Find out what became of a try in doubt.

    Without proof that nothing was accepted it is never sent again.
    """
    sample = sample_of(subject)
    if sample is None or sample.state != SampleState.UNCERTAIN:
        return
    submission = sample.submissions.get(state=SubmissionState.UNCERTAIN)
    finding = spool.get(str(submission.token)) or _ask(sample, submission)
    if isinstance(finding, Accepted):
        accept(sample, submission, finding)
    elif isinstance(finding, Absent):
        release(sample, submission, finding.reason)
    else:
        advance(
            sample,
            SampleState.LOST_UNCERTAIN,
            words=finding.reason,
            reason=finding.reason,
            submission=submission,
        )


def release(sample: Sample, submission: Submission, proof: str, *, actor: str = "system") -> bool:
    """Set a sample ready again after proof that its try in doubt was not accepted."""
    with transaction.atomic():
        _close(submission, "proved_absent", "", proof, None)
        moved = advance(
            sample, SampleState.READY, words=proof, actor=actor, submission=submission, reason=""
        )
        dispatching.wake(sample.provider)
    return moved


def _ask(sample: Sample, submission: Submission) -> Accepted | Absent | CannotTell:
    source = provider(sample.provider)
    first = sample.submissions.order_by("number").values_list("token", flat=True)[0]
    of_provider = Submission.objects.filter(provider=sample.provider)
    since, until = (
        submission.started_at.timestamp(),
        (submission.ended_at or timezone.now()).timestamp(),
    )
    in_doubt = of_provider.filter(
        state__in=(SubmissionState.UNCERTAIN, SubmissionState.OPEN)
    ).exclude(pk=submission.pk)
    return source.find(
        source.request(order_of(sample, str(first))),
        since=since,
        until=until,
        known=frozenset(of_provider.exclude(provider_id="").values_list("provider_id", flat=True)),
        rivals=in_doubt.count(),
    )


def _to(
    sample: Sample, after: SampleState, submission: Submission, words: str, **fields: Any
) -> bool:
    """Take the sample on; one whose try was given up in the meantime is taken from there, if the
    states have that way.
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
