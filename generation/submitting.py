"""Sending an order: a row before the socket opens, one POST, and an answer taken for what it
says.
"""

from __future__ import annotations

import time
import uuid

from django.db import transaction
from django.utils import timezone

from fartbench import jobs
from generation import spool
from generation.cells import COLLECTING
from generation.concluding import accept, conclude, doubt, release
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
from generation.providers.order import Request, RequestRefused
from generation.providers.port import Absent, Accepted, CannotTell, Provider, Submitted, Unsure
from generation.providers.registry import provider
from generation.steps import advance, sample_of


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
    """Return where the next try is sent. A stand-in that was asked once stays in the row:
    its answer may be what comes.
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
