"""Whether the next question may be sent now: the service's account and the round's ceiling, before
and never after.
"""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from os import environ

from django.db.models import Avg, Sum
from django.utils import timezone

from fartbench import jobs
from fartbench.models import Round
from fartbench.protocol import JudgeModel, Judges
from judging.errors import OverCeiling, ServicePaused
from judging.models import JudgeAccount, JudgeCeiling, JudgeRun, RunState

AGAIN_S = 1.0
# Upper figures of the Gemini API's pages on tokens, for a judge that has not answered yet.
TOKENS_PER_FRAME, TOKENS_PER_SECOND_OF_SOUND = 258, 32
TOKENS_OF_TEXT, TOKENS_OF_ANSWER = 2_000, 2_000
MILLION = Decimal(1_000_000)


def pace() -> float:
    """Return the factor on every wait: the stand-in judges answer at once, so nobody waits minutes
    for them.
    """
    if environ.get("STAND_IN_JUDGES_URL", ""):
        return 0.05
    return 1.0


def account_of(service: str) -> JudgeAccount:
    """Return the account of a service; inside a transaction its row is locked."""
    JudgeAccount.objects.get_or_create(service=service)
    return JudgeAccount.objects.select_for_update().get(service=service)


def admit(run: JudgeRun, model: JudgeModel) -> None:
    """Take a place for one question. Must run in the transaction that marks the run as being asked.

    Raises jobs.NotYet while the service is busy or wants to be left alone, ServicePaused, or
    OverCeiling.
    """
    account, now = account_of(model.service), timezone.now()
    if account.paused_because:
        raise ServicePaused(f"{model.service} is paused: {account.paused_because}")
    start = max(filter(None, (account.cooldown_until, account.next_at)), default=now)
    if start > now:
        raise jobs.NotYet((start - now).total_seconds())
    asked = JudgeRun.objects.filter(
        state=RunState.ASKING, judge__content__judge__service=model.service
    )
    if asked.count() >= account.max_in_flight:
        raise jobs.NotYet(AGAIN_S * pace())
    _refuse_over_ceiling(run, model)
    account.next_at = now + timedelta(seconds=account.min_interval_s * pace())
    account.save(update_fields=["next_at"])


def _refuse_over_ceiling(run: JudgeRun, model: JudgeModel) -> None:
    round_ = run.judge.round
    Round.objects.select_for_update().filter(pk=round_.pk).first()
    ceiling = JudgeCeiling.objects.filter(round=round_).first()
    if ceiling is None:
        return
    estimate = estimate_usd(run, model)
    if estimate is None:
        raise OverCeiling(
            f"A ceiling is set for the judges of {round_.name!r}, and nobody knows what "
            f"{run.judge} costs."
        )
    left = ceiling.usd - committed_usd(round_)
    if estimate > left:
        raise OverCeiling(
            f"The ceiling of the judges of {round_.name!r} has ${max(left, Decimal(0)):.4f} left, "
            "and the next "
            f"question may cost ${estimate:.4f}. Raise it with “judge {round_.name} --ceiling USD”."
        )


def committed_usd(round_: Round) -> Decimal:
    """Return what the judges of a round have cost, with estimates for what is being asked."""
    runs = JudgeRun.objects.filter(judge__round=round_)
    spent = runs.aggregate(total=Sum("cost_usd"))["total"] or Decimal(0)
    asking = runs.filter(state=RunState.ASKING).select_related("judge", "stimulus")
    return Decimal(spent) + sum(
        (estimate_usd(run, run.judge.model) or Decimal(0) for run in asking), Decimal(0)
    )


def estimate_usd(run: JudgeRun, model: JudgeModel) -> Decimal | None:
    """Return what a question may cost: as the answers with this form cost on average, else by upper
    figures.
    """
    if model.price is None:
        return None
    alike = run.judge.runs.filter(stimulus__form=run.stimulus.form)
    if known := alike.aggregate(mean=Avg("cost_usd"))["mean"]:
        return Decimal(known)
    rules = run.judge.round.protocol.rules
    seconds = float(run.stimulus.facts.get("duration_s") or rules.clip.duration_s)
    return upper_usd(model, rules.judges, run.stimulus.form_key, seconds)


def upper_usd(model: JudgeModel, rules: Judges | None, form: str, seconds: float) -> Decimal | None:
    """Return the most that a question with a form about so many seconds should cost; None where no
    price is known.
    """
    if rules:
        frames = seconds * rules.media.rate(form)
    else:
        frames = 0.0
    read = frames * TOKENS_PER_FRAME + seconds * TOKENS_PER_SECOND_OF_SOUND + TOKENS_OF_TEXT
    return cost_usd(model, round(read), TOKENS_OF_ANSWER)


def cost_usd(model: JudgeModel, read: int | None, written: int | None) -> Decimal | None:
    """Return the price of these tokens, or None where price or counts are unknown."""
    if model.price is None or read is None or written is None:
        return None
    total = read * Decimal(model.price.input_usd) + written * Decimal(model.price.output_usd)
    return (total / MILLION).quantize(Decimal("0.000001"))


def leave_alone(service: str, seconds: float) -> None:
    """Send nothing to a service for a while."""
    JudgeAccount.objects.filter(service=service).update(
        cooldown_until=timezone.now() + timedelta(seconds=seconds)
    )


def pause(service: str, because: str) -> None:
    """Send nothing more to a service until somebody looks at it."""
    JudgeAccount.objects.filter(service=service).update(paused_because=because)
