"""Asking a judge about a clip: a row before the socket opens, one POST, and an answer taken for
what it says.

Only faults of transport are sent again. An answer, a block, a reply that is no answer and a silence
are ends. A try that a killed worker left open is looked for on disk; where it is not, nobody knows
what the judge said, and the run ends as lost without asking twice.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import asdict

from django.db import transaction
from django.utils import timezone

from blinding.models import Stimulus
from fartbench import audit, jobs, spool
from fartbench.errors import Refusal
from fartbench.models import RoundState
from judging import limits
from judging.errors import JudgeChanged, ServicePaused
from judging.freezing import listed, refuse_changed, request_for
from judging.media import clip_bytes
from judging.models import JudgeRun, JudgeTry, RunState, TryState
from judging.outcomes import NOT_REACHED, Outcome, outcome_of
from judging.ports.access import access
from judging.ports.port import (
    Request,
)
from judging.ports.registry import port
from judging.record import ANSWERED, run_digest
from judging.storable import storable
from judging.wording import about_text

JUDGE = "judge"
TRIES = 5
BACKOFF_S = (2.0, 10.0, 30.0, 120.0)
ASKED_WHILE = (RoundState.REVIEWING, RoundState.LOCKED)

LOST = "lost"
# Of these errors nobody knows an answer, so that asking once more chooses none.
UNHEARD = (LOST, NOT_REACHED)
LOST_WORDS = (
    "The worker that asked was lost before it wrote down an answer; it may have been answered."
)


def ask(subject: str, _report: jobs.Report) -> None:
    """Do the job of a run: ask once, or find out what a lost worker left."""
    runs = JudgeRun.objects.select_related("judge__round__protocol", "stimulus")
    run = runs.filter(pk=subject).first()
    if run is None or run.state in RunState.ended():
        return
    if run.state == RunState.ASKING:
        _take_up_again(run)
        return
    model = run.judge.model
    request, clip = _prepared(run)
    opened = _open(run, request, hashlib.sha256(clip).hexdigest())
    if opened is None:
        return
    start = time.monotonic()
    try:
        answer = port(model.service).send(request, clip)
    except Refusal as refusal:  # a key is missing: nothing was sent
        _conclude(run, opened, Outcome(RunState.DUE, "not_sent", reason=str(refusal)))
        raise
    meant = outcome_of(run, answer, latency_ms=int(1000 * (time.monotonic() - start)))
    outcome = Outcome(**storable(asdict(meant), access(model.service).redacted))
    spool.put(str(opened.token), asdict(outcome))
    _conclude(run, opened, outcome)


def _prepared(run: JudgeRun) -> tuple[Request, bytes]:
    """Return what is sent.

    Raises JudgeChanged unless round, clip and request are those that were frozen.
    """
    judge, stimulus = run.judge, run.stimulus
    if judge.round.state not in ASKED_WHILE:
        raise JudgeChanged(
            f"Round {judge.round.name!r} is “{judge.round.get_state_display()}”: its judges are "
            "done."
        )
    refuse_changed(judge, form=stimulus.form_key)
    retired = not Stimulus.objects.filter(pk=stimulus.pk, retirement=None).exists()
    if retired or listed(stimulus) not in judge.content["clips"]:
        raise JudgeChanged(
            f"{stimulus} is not in the list of clips that {judge} was frozen with. It was not sent."
        )
    blind = stimulus.path.read_bytes()
    if hashlib.sha256(blind).hexdigest() != stimulus.sha256:
        raise JudgeChanged(f"{stimulus}: its blind copy was changed in storage. It was not sent.")
    form, about = judge.round.protocol.form(stimulus.form_key), about_text(stimulus.context)
    return request_for(form, judge.model, judge.variant, about=about), clip_bytes(
        stimulus.path, judge.variant
    )


def _open(run: JudgeRun, request: Request, media_sha256: str) -> JudgeTry | None:
    """Take a place and write the try's row; None when somebody else was quicker."""
    model = run.judge.model
    with transaction.atomic():
        limits.admit(run, model)
        begun = JudgeRun.objects.filter(pk=run.pk, state=RunState.DUE).update(
            state=RunState.ASKING, reason=""
        )
        if not begun:
            return None
        run.state = RunState.ASKING
        return JudgeTry.objects.create(
            run=run,
            number=run.tries.count() + 1,
            request_sha256=request.sha256(media_sha256),
            media_sha256=media_sha256,
            endpoint=request.endpoint,
            client=port(model.service).client,
            started_at=timezone.now(),
        )


def _take_up_again(run: JudgeRun) -> None:
    open_try = run.tries.filter(state=TryState.OPEN).first()
    if open_try is None:
        return  # the worker that had it came back between the look and now
    spooled = spool.get(str(open_try.token))
    _conclude(
        run,
        open_try,
        Outcome(**spooled) if spooled else Outcome(RunState.ERROR, LOST, LOST, LOST_WORDS),
    )


def _conclude(run: JudgeRun, open_try: JudgeTry, outcome: Outcome) -> None:
    """Store what came of a try, once. Raises jobs.NotYet when the question is due again,
    ServicePaused when a person has to look first.
    """
    service = run.judge.model.service
    again_s = _again_s(open_try.number, outcome)
    state = outcome.state
    if outcome.answer_class == "transport" and again_s is None:
        state = RunState.ERROR
    with transaction.atomic():
        if not _close(open_try, outcome):
            return  # another worker took this one for dead and has written that down
        _store(run, state, outcome)
        if outcome.retry_after_s is not None:
            limits.leave_alone(service, outcome.retry_after_s * limits.pace())
        if outcome.answer_class == "declined" and state == RunState.DUE:
            limits.pause(service, outcome.reason)
    spool.drop(str(open_try.token))
    if again_s is not None:
        raise jobs.NotYet(again_s)
    if outcome.answer_class == "declined" and state == RunState.DUE:
        raise ServicePaused(
            f"{service} does not take the question of {run.judge}: {outcome.reason}"
        )


def _close(open_try: JudgeTry, outcome: Outcome) -> int:
    return JudgeTry.objects.filter(pk=open_try.pk, state=TryState.OPEN).update(
        state=TryState.CLOSED,
        ended_at=timezone.now(),
        latency_ms=outcome.latency_ms,
        http_status=outcome.http_status,
        answer_class=outcome.answer_class,
        words=outcome.reason,
        usage=outcome.usage,
        response=outcome.response,
    )


def _store(run: JudgeRun, state: str, outcome: Outcome) -> None:
    JudgeRun.objects.filter(pk=run.pk, state=RunState.ASKING).update(
        state=state,
        code=outcome.code if state == RunState.ERROR else "",
        reason=outcome.reason,
        answers=dict(outcome.answers) if outcome.answers else None,
        model_version=outcome.model_version,
        response_id=outcome.response_id,
        input_tokens=outcome.input_tokens,
        output_tokens=outcome.output_tokens,
        cost_usd=limits.cost_usd(run.judge.model, outcome.input_tokens, outcome.output_tokens),
        ended_at=None if state == RunState.DUE else timezone.now(),
    )
    if state in RunState.ended():
        _record(run)


def _record(run: JudgeRun) -> None:
    """Append an entry that fixes what came of a run, with the clip by its opaque id."""
    ended, judge = JudgeRun.objects.get(pk=run.pk), run.judge
    audit.record(
        ANSWERED,
        round_name=judge.round.name,
        judge=judge.name,
        variant=str(judge.variant),
        stimulus=run.stimulus_id,
        digest=run_digest(ended),
    )


def _again_s(number: int, outcome: Outcome) -> float | None:
    # Tries are numbered on when lost questions are asked again, and then there are as many anew.
    if outcome.answer_class != "transport" or number % TRIES == 0:
        return None
    own = BACKOFF_S[number % TRIES - 1]
    return max(own, outcome.retry_after_s or 0.0) * limits.pace()


@transaction.atomic
def ask_lost_again(runs: list[JudgeRun], *, actor: str, reason: str) -> int:
    """Make runs that were lost or not reached due again and return how many: nobody has seen an
    answer of theirs.

    Recorded with its reason.
    """
    count = 0
    for run in runs:
        count += JudgeRun.objects.filter(pk=run.pk, state=RunState.ERROR, code__in=UNHEARD).update(
            state=RunState.DUE, code="", reason="", ended_at=None
        )
    if count:
        audit.record(
            "lost judge runs asked again",
            actor=actor,
            round_name=runs[0].judge.round.name,
            runs=count,
            reason=reason,
        )
    return count
