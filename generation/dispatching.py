"""Who is sent next: places of an account, pauses, waits and ceilings, all before a submission and
never after.

One dispatcher job per provider at a time. It takes ready samples as places come free, sets their
money aside, and comes again while any are left.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import transaction
from django.db.models import Q, QuerySet, Sum
from django.db.models.functions import Coalesce
from django.utils import timezone

from fartbench import jobs
from fartbench.models import Job, JobState, Round
from generation.models import Ceiling, ProviderAccount, Sample, SampleState
from generation.providers.registry import STREAM_KEYS
from generation.steps import advance, make_job, pace

DISPATCH = "dispatch"
AGAIN_S = 2.0

# What has cost nothing and is not about to.
_COSTS_NOTHING = (
    SampleState.PLANNED,
    SampleState.READY,
    SampleState.NOT_GENERATED,
    SampleState.BLOCKED,
)


def wake(provider: str) -> None:
    """Make sure that a dispatcher's turn comes after what the current transaction commits."""
    with transaction.atomic():
        account = _locked(provider)
        make_job(DISPATCH, f"{provider}.{account.turn}", delay_s=0)


def _locked(provider: str) -> ProviderAccount:
    ProviderAccount.objects.get_or_create(provider=provider)
    return ProviderAccount.objects.select_for_update().get(provider=provider)


def ready_samples(provider: str) -> QuerySet[Sample]:
    """Return the samples that a provider's dispatcher may take now, the longest-waiting first."""
    return Sample.every.filter(provider=provider, state=SampleState.READY, counts=True).exclude(
        cell__round__commissioning__paused=True
    )


@transaction.atomic
def dispatch(subject: str, _report: jobs.Report) -> None:
    """Take one turn of a provider's dispatcher."""
    provider, _, turn = subject.partition(".")
    account = _locked(provider)
    if str(account.turn) != turn:
        return
    account.turn += 1
    wait_s = None if account.paused else _admit(account)
    account.save()
    if wait_s is not None:
        make_job(DISPATCH, f"{provider}.{account.turn}", delay_s=wait_s / pace())
    _drop_done(provider, account.turn)


def _drop_done(provider: str, turn: int) -> None:
    # The turn before this one is over; its job says nothing any more.
    Job.objects.filter(
        kind=DISPATCH, subject=f"{provider}.{turn - 2}", state=JobState.DONE
    ).delete()


def _admit(account: ProviderAccount) -> float | None:
    """Take as many samples as there are places; return in how many seconds to come again, or None
    when none is left.
    """
    now = timezone.now()
    if account.cooldown_until and account.cooldown_until > now:
        return (account.cooldown_until - now).total_seconds()
    in_flight = Sample.every.filter(
        provider=account.provider, state__in=_taking_a_place(account.provider)
    ).count()
    purse = Purse()
    due = ready_samples(account.provider).filter(
        Q(not_before__isnull=True) | Q(not_before__lte=now)
    )
    due = due.select_related("cell__round").order_by("not_before", "pk")
    free = max(0, account.max_in_flight - in_flight)
    for sample in due[:free]:
        if purse.set_aside(sample):
            _take(account, sample, now)
    if not ready_samples(account.provider).exclude(cell__round__in=purse.closed).exists():
        return None  # who raises a ceiling, resumes or asks for more wakes the dispatcher
    return AGAIN_S * pace()


def _taking_a_place(provider: str) -> tuple[SampleState, ...]:
    """Return the states that take a place of an account: a stream is made while it is fetched, so
    it takes one then.
    """
    states = SampleState.in_flight()
    if provider in STREAM_KEYS:
        return (*states, SampleState.OUTPUT_READY)
    return states


def _take(account: ProviderAccount, sample: Sample, now: datetime) -> None:
    start = max(now, account.next_submit_at or now)
    if advance(
        sample,
        SampleState.QUEUED,
        delay_s=(start - now).total_seconds() / pace(),
        not_before=None,
        reason="",
    ):
        account.next_submit_at = start + timedelta(seconds=account.min_interval_s * pace())


@dataclass
class Purse:
    """What is left under each ceiling during one turn.

    ``closed`` are the rounds whose next sample does not fit.
    """

    left: dict[tuple[int, str], Decimal | None] = field(default_factory=dict)
    closed: set[int] = field(default_factory=set)

    def set_aside(self, sample: Sample) -> bool:
        """Take a sample's estimate out of the purse; False, with the reason on it, when a ceiling
        forbids that.
        """
        round_ = sample.cell.round
        # One turn at a time sets aside for a round: two providers may share its ceiling.
        Round.objects.select_for_update().filter(pk=round_.pk).first()
        keys = [(round_.pk, ""), (round_.pk, sample.provider)]
        limits = {key: left for key in keys if (left := self._left(key)) is not None}
        if not limits:
            return True
        if sample.estimate_usd is None:
            return self._refuse(sample, "A ceiling is set, and the cost of this clip is unknown.")
        for (_, provider), left in limits.items():
            if sample.estimate_usd > left:
                of = f"for {provider}" if provider else "of the round"
                words = (
                    f"The ceiling {of} has ${left:.2f} left, and this clip should cost "
                    f"${sample.estimate_usd:.2f}."
                )
                return self._refuse(sample, words)
        for key, left in limits.items():
            self.left[key] = left - sample.estimate_usd
        return True

    def _refuse(self, sample: Sample, words: str) -> bool:
        self.closed.add(sample.cell.round_id)
        Sample.every.filter(pk=sample.pk, state=SampleState.READY).update(reason=words)
        return False

    def _left(self, key: tuple[int, str]) -> Decimal | None:
        if key not in self.left:
            round_id, provider = key
            ceiling = Ceiling.objects.filter(
                commissioning__round=round_id, provider=provider
            ).first()
            self.left[key] = (
                None if ceiling is None else ceiling.usd - committed(round_id, provider)
            )
        return self.left[key]


def committed(round_id: int, provider: str = "") -> Decimal:
    """Return what a round has spent and set aside, in US dollars: known costs, and estimates where
    none is known yet.

    What is in doubt counts as spent, and so does what an earlier pilot version cost.
    """
    samples = Sample.every.filter(cell__round=round_id).exclude(state__in=_COSTS_NOTHING)
    if provider:
        samples = samples.filter(provider=provider)
    total = samples.aggregate(total=Sum(Coalesce("cost_usd", "estimate_usd")))["total"]
    return Decimal(total or 0)


def by_provider(round_: Round) -> dict[str, Decimal]:
    """Return what each provider's samples of a round have cost or set aside."""
    spent: dict[str, Decimal] = defaultdict(Decimal)
    rows = (
        Sample.every.filter(cell__round=round_)
        .exclude(state__in=_COSTS_NOTHING)
        .exclude(provider="")
    )
    for row in rows.values("provider").annotate(total=Sum(Coalesce("cost_usd", "estimate_usd"))):
        spent[row["provider"]] = Decimal(row["total"] or 0)
    return dict(spent)
