"""A round's judging from start to end: who is frozen, what is due, and the work done here and
now.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from decimal import Decimal

from django.db import connection, transaction
from django.utils import timezone

from fartbench import audit, jobs
from fartbench.models import Job, JobState, Round
from fartbench.protocol import JudgeModel
from judging.asking import ASKED_WHILE, JUDGE
from judging.errors import CannotFreeze, NoJudges
from judging.freezing import freeze_judge, refuse_changed, rules_of
from judging.models import Judge, JudgeAccount, JudgeCeiling, JudgeRun, RunState, Variant

IDLE_S = 0.1
LOOK_EVERY_S = 1.0
LONG = timedelta(seconds=20)


def chosen_models(
    round_: Round, names: Sequence[str], own: Sequence[JudgeModel]
) -> list[JudgeModel]:
    """Return the judges to work with: those of the protocol, one's own, and one's own that were
    frozen before; or of these the named ones.

    Raises NoJudges for a name that is nobody's, or that two have.
    """
    every = [*rules_of(round_).models, *own]
    by_name = {model.name: model for model in every}
    if len(by_name) != len(every):
        raise NoJudges("Two judges have one name. Give your own judge another.")
    frozen = Judge.objects.filter(round=round_, variant=Variant.FROZEN).exclude(name__in=by_name)
    by_name |= {judge.name: judge.model for judge in frozen}
    if unknown := [name for name in names if name not in by_name]:
        raise NoJudges(f"There is no judge {unknown[0]!r}. Judges: {', '.join(by_name)}.")
    return [by_name[name] for name in names or by_name]


def request_judging(
    *, round_: Round, models: Sequence[JudgeModel], actor: str, variant: str = Variant.FROZEN
) -> list[Judge]:
    """Freeze what is not frozen and make a job for every question that is due; return the judges.

    A service that was paused is taken up again: anyone who asks has looked at it. Raises what
    `freeze_judge` raises.
    """
    if round_.state not in ASKED_WHILE:
        raise CannotFreeze(
            f"Round {round_.name!r} is “{round_.get_state_display()}”: judges are asked once it "
            "was opened and before "
            "it is published."
        )
    with transaction.atomic():
        judges = [
            freeze_judge(round_=round_, model=model, actor=actor, variant=variant)
            for model in models
        ]
        services = {model.service for model in models}
        JudgeAccount.objects.filter(service__in=services).exclude(paused_because="").update(
            paused_because=""
        )
        for judge in judges:
            refuse_changed(judge)
            due = judge.runs.exclude(state__in=RunState.ended()).filter(stimulus__retirement=None)
            _make_due(list(due.values_list("pk", flat=True)), round_)
    return judges


def _make_due(runs: list[int], round_: Round) -> None:
    # A job that ended while its run is due was one of a run that is asked again.
    keys = [str(run) for run in runs]
    Job.objects.filter(kind=JUDGE, subject__in=keys, state=JobState.DONE).delete()
    jobs.enqueue(JUDGE, runs, round_name=round_.name)


def set_pace(models: Sequence[JudgeModel], *, at_once: int | None, interval_s: float | None) -> int:
    """Say how many questions the services of these judges get at one time, and how far apart; None
    leaves it as it is.

    Returns how many questions all of them together may get at one time.
    """
    total = 0
    for service in {model.service for model in models}:
        account, _ = JudgeAccount.objects.get_or_create(service=service)
        account.max_in_flight = account.max_in_flight if at_once is None else at_once
        account.min_interval_s = account.min_interval_s if interval_s is None else interval_s
        account.save(update_fields=["max_in_flight", "min_interval_s"])
        total += account.max_in_flight
    return total


@transaction.atomic
def set_ceiling(*, round_: Round, usd: Decimal, actor: str) -> None:
    """Say what the judges of a round may cost together."""
    JudgeCeiling.objects.update_or_create(round=round_, defaults={"usd": usd})
    audit.record("judge ceiling set", actor=actor, round_name=round_.name, usd=str(usd))


@transaction.atomic
def pause_judging(*, round_: Round, reason: str, actor: str) -> list[str]:
    """Send nothing more to the services of a round's judges; return which. Asking the judges takes
    them up again.
    """
    judges = Judge.objects.filter(round=round_)
    services: list[str] = sorted({judge.model.service for judge in judges})
    for service in services:
        JudgeAccount.objects.get_or_create(service=service)
    JudgeAccount.objects.filter(service__in=services).update(paused_because=reason)
    audit.record("judges paused", actor=actor, round_name=round_.name, services=services)
    return services


def work_through(
    round_: Round,
    *,
    at_once: int,
    judges: Sequence[Judge] | None = None,
    on_end: Callable[[], None] = lambda: None,
    on_wait: Callable[[str], None] = lambda _: None,
) -> list[str]:
    """Ask what is due, ``at_once`` questions at a time, and return the words of the jobs that
    failed: of these judges, or of all.

    ``on_wait`` is given when a service asks to be left alone for long. On Ctrl-C every thread ends
    the question it is at.
    """
    stop = threading.Event()
    with ThreadPoolExecutor(at_once + 1, thread_name_prefix="judge") as pool:
        workers = [pool.submit(_work, round_.name, stop, on_end) for _ in range(at_once)]
        watch = pool.submit(_watch, stop, on_wait)
        try:
            for worker in workers:
                worker.result()
        finally:
            stop.set()
        watch.result()
    failed = Job.objects.filter(kind=JUDGE, round_name=round_.name, state=JobState.FAILED)
    if judges is not None:
        runs = JudgeRun.objects.filter(judge__in=judges).values_list("pk", flat=True)
        failed = failed.filter(subject__in=[str(pk) for pk in runs])
    return sorted(set(failed.values_list("error", flat=True)))


def _watch(stop: threading.Event, on_wait: Callable[[str], None]) -> None:
    """Tell of each long pause once, until there is nothing to wait for."""
    told: set[tuple[str, datetime]] = set()
    try:
        while not stop.wait(LOOK_EVERY_S):
            paused = JudgeAccount.objects.filter(cooldown_until__gt=timezone.now() + LONG)
            for service, until in paused.values_list("service", "cooldown_until"):
                if until and (service, until) not in told:
                    told.add((service, until))
                    on_wait(f"{service} asks to be left alone until {until:%Y-%m-%d %H:%M} UTC.")
    finally:
        connection.close()


def _work(round_name: str, stop: threading.Event, on_end: Callable[[], None]) -> None:
    waiting = Job.objects.filter(
        kind=JUDGE, round_name=round_name, state__in=(JobState.DUE, JobState.RUNNING)
    )
    try:
        while not stop.is_set():
            if claim := jobs.claim_next([jobs.JUDGE], round_name=round_name):
                # A killed worker may have left a job whose question has ended.
                open_run = JudgeRun.objects.filter(pk=claim.job.subject).exclude(
                    state__in=RunState.ended()
                )
                was_open = open_run.exists()
                jobs.run(claim)
                if was_open and not open_run.exists():
                    on_end()
            elif waiting.exists():
                time.sleep(IDLE_S)
            else:
                return
    finally:
        connection.close()
