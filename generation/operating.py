"""What an operator can do while clips are bought: pause, resume, cancel, send again, settle what is
in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.utils import timezone

from fartbench import audit
from fartbench.models import Round
from generation import dispatching, steps
from generation.concluding import accept, release
from generation.errors import NotForOperators
from generation.models import (
    Commissioning,
    ProviderAccount,
    Sample,
    SampleState,
    Submission,
    SubmissionState,
)
from generation.providers.port import Accepted

CANCELLABLE = (SampleState.PLANNED, SampleState.READY, SampleState.QUEUED, SampleState.BLOCKED)


@transaction.atomic
def set_paused(*, round_: Round, paused: bool, actor: str) -> None:
    """Pause a round, or resume it. What was accepted already continues; nothing new is sent."""
    Commissioning.objects.update_or_create(round=round_, defaults={"paused": paused})
    audit.record(
        "commissioning paused" if paused else "commissioning resumed",
        actor=actor,
        round_name=round_.name,
    )
    if not paused:
        _wake(Sample.objects.filter(cell__round=round_))
        steps.revive(Sample.every.filter(cell__round=round_))


@transaction.atomic
def set_account(
    *, provider: str, actor: str, paused: bool, max_in_flight: int, min_interval_s: float
) -> None:
    """Set how much an account takes, or stop it.

    Raises NotForOperators for figures that make no sense.
    """
    if max_in_flight < 1 or min_interval_s < 0:
        raise NotForOperators(
            "An account takes one order at a time at least, and an interval is not negative."
        )
    figures: dict[str, Any] = {
        "paused": paused,
        "max_in_flight": max_in_flight,
        "min_interval_s": min_interval_s,
    }
    ProviderAccount.objects.update_or_create(provider=provider, defaults=figures)
    audit.record("account set", actor=actor, provider=provider, **figures)
    dispatching.wake(provider)


@transaction.atomic
def cancel(*, samples: Iterable[Sample], actor: str, reason: str) -> int:
    """Cancel what is not accepted, and return how many samples were; what is in doubt may cost, and
    stays.
    """
    _need(reason)
    cancelled = []
    for sample in samples:
        if sample.state not in CANCELLABLE or _was_accepted(sample):
            continue
        if steps.advance(
            sample,
            SampleState.NOT_GENERATED,
            actor=actor,
            words=reason,
            reason=f"Cancelled: {reason}",
        ):
            cancelled.append(str(sample.cell))
            round_name = sample.cell.round.name
    if cancelled:
        audit.record(
            "cells cancelled", actor=actor, round_name=round_name, cells=cancelled, reason=reason
        )
    return len(cancelled)


@transaction.atomic
def send_again(*, samples: Iterable[Sample], actor: str) -> int:
    """Set blocked samples ready again, with the very bytes of before, and return how many.

    Accepted ones stay.
    """
    count = 0
    for sample in samples:
        if sample.state == SampleState.BLOCKED and not _was_accepted(sample):
            count += steps.advance(
                sample,
                SampleState.READY,
                actor=actor,
                words="sent again",
                reason="",
                not_before=None,
            )
            dispatching.wake(sample.provider)
    return count


def _was_accepted(sample: Sample) -> bool:
    return sample.submissions.exclude(state=SubmissionState.CLOSED).exists()


@transaction.atomic
def settle_found(*, sample: Sample, provider_id: str, actor: str, reason: str) -> None:
    """Enter the provider's id for a try in doubt, as its own pages show it; from there on it is
    followed like any other.
    """
    _need(reason)
    if not provider_id.strip():
        raise NotForOperators("Give the id that the provider's own pages show for this job.")
    if Submission.objects.filter(
        provider=sample.provider, provider_id=provider_id.strip()
    ).exists():
        raise NotForOperators(f"The id {provider_id.strip()!r} belongs to another order already.")
    accept(sample, _in_doubt(sample), Accepted(provider_id.strip()))
    _record("doubt settled: accepted", sample, actor, reason)


@transaction.atomic
def settle_absent(*, sample: Sample, actor: str, reason: str) -> None:
    """Say that the provider's own pages show no such job: the sample is sent again, with the very
    bytes of before.
    """
    _need(reason)
    release(sample, _in_doubt(sample), reason, actor=actor)
    _record("doubt settled: not accepted", sample, actor, reason)


@transaction.atomic
def settle_lost(*, sample: Sample, actor: str, reason: str) -> None:
    """Give a try in doubt up: it counts as lost, and as possibly paid."""
    _need(reason)
    submission = _in_doubt(sample)
    words = f"It could not be found out whether it was accepted. {reason}"
    steps.advance(
        sample, SampleState.LOST, actor=actor, words=reason, reason=words, submission=submission,
        generated_at=timezone.now(), cost_basis="unknown",
    )  # fmt: skip
    _record("doubt settled: given up", sample, actor, reason)


def _in_doubt(sample: Sample) -> Submission:
    if sample.state != SampleState.LOST_UNCERTAIN:
        raise NotForOperators(
            f"{sample.cell} is “{sample.get_state_display()}”: there is no doubt to settle."
        )
    return sample.submissions.get(state=SubmissionState.UNCERTAIN)


def _need(reason: str) -> None:
    if not reason.strip():
        raise NotForOperators("Say why; the reason is recorded in the audit trail.")


def _record(action: str, sample: Sample, actor: str, reason: str) -> None:
    audit.record(
        action, actor=actor, round_name=sample.cell.round.name, cell=str(sample.cell), reason=reason
    )


def _wake(samples: object) -> None:
    ready = samples.filter(state=SampleState.READY)  # type: ignore[attr-defined]
    for provider in ready.values_list("provider", flat=True).distinct().order_by("provider"):
        dispatching.wake(provider)
