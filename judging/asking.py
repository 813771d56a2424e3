"""Asking a judge about a clip: a row before the socket opens, one POST, and an answer taken for
what it says.

Only faults of transport are sent again. An answer, a block, a reply that is no answer and a silence
are ends. A try that a killed worker left open is looked for on disk; where it is not, nobody knows
what the judge said, and the run ends as lost without asking twice.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from django.db import transaction
from django.utils import timezone

from blinding.models import Stimulus
from fartbench import audit, jobs, spool
from fartbench.errors import Refusal
from fartbench.models import RoundState
from judging import limits
from judging.answer_schema import NotAnAnswer, read_answer
from judging.errors import JudgeChanged, ServicePaused
from judging.freezing import listed, refuse_changed, request_for
from judging.media import clip_bytes
from judging.models import JudgeRun, JudgeTry, RunState, TryState
from judging.ports.access import access
from judging.ports.port import (
    Answer,
    Blocked,
    Declined,
    NotTransported,
    Replied,
    Request,
    TimedOut,
    Unusable,
)
from judging.ports.registry import port
from judging.record import ANSWERED, run_digest
from judging.storable import storable
from judging.wording import about_text

JUDGE = "judge"
TRIES = 5
BACKOFF_S = (2.0, 10.0, 30.0, 120.0)
# The next question would get the same answer: a person has to look at key, credit, name or address
# first.
_STOPS_THE_ACCOUNT = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404, 410})
ASKED_WHILE = (RoundState.REVIEWING, RoundState.LOCKED)

LOST, NOT_REACHED = "lost", "transport"
# Of these errors nobody knows an answer, so that asking once more chooses none.
UNHEARD = (LOST, NOT_REACHED)
LOST_WORDS = (
    "The worker that asked was lost before it wrote down an answer; it may have been answered."
)


@dataclass(frozen=True)
class Outcome:
    """What a try came to. ``state`` is the run's next state; ``again_s`` says when it is due again,
    if it is.
    """

    state: str
    answer_class: str
    code: str = ""
    reason: str = ""
    answers: Mapping[str, str] | None = None
    model_version: str = ""
    response_id: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)
    input_tokens: int | None = None
    output_tokens: int | None = None
    http_status: int | None = None
    response: str = ""
    latency_ms: int = 0
    retry_after_s: float | None = None


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
    meant = _outcome(run, answer, latency_ms=int(1000 * (time.monotonic() - start)))
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


def _outcome(run: JudgeRun, answer: Answer, *, latency_ms: int) -> Outcome:
    common: dict[str, Any] = {
        "http_status": answer.exchange.http_status,
        "response": answer.exchange.response,
        "latency_ms": latency_ms,
    }
    if isinstance(answer, NotTransported):
        common["retry_after_s"] = answer.retry_after_s
        return Outcome(RunState.DUE, "transport", NOT_REACHED, answer.reason, **common)
    if isinstance(answer, TimedOut):
        return Outcome(RunState.ERROR, "timeout", "timeout", answer.reason, **common)
    if isinstance(answer, Declined):
        return _declined(run, answer, common)
    common |= {
        "model_version": answer.model_version,
        "usage": dict(answer.usage.details),
        "input_tokens": answer.usage.input,
        "output_tokens": answer.usage.output,
    }
    return _spoken(run, answer, common)


def _spoken(run: JudgeRun, answer: Replied | Blocked | Unusable, common: dict[str, Any]) -> Outcome:
    """Return what an answer of the service itself comes to.

    Another model's is none, whatever it says.
    """
    if isinstance(answer, Blocked):
        return Outcome(RunState.BLOCKED, "blocked", "", answer.reason, **common)
    wanted = run.judge.model.version
    if isinstance(answer, Unusable) and not answer.model_version:
        return Outcome(RunState.INVALID, "invalid", "", answer.reason, **common)
    if answer.model_version != wanted:
        words = (
            f"The service answered with model {answer.model_version or 'unnamed'!r}; frozen is "
            f"{wanted!r}."
        )
        return Outcome(RunState.ERROR, "wrong_model", "wrong_model", words, **common)
    if isinstance(answer, Unusable):
        return Outcome(RunState.INVALID, "invalid", "", answer.reason, **common)
    return _read(run, answer, common)


def _declined(run: JudgeRun, answer: Declined, common: dict[str, Any]) -> Outcome:
    # A judge that never answered may be refused for what is the same in every request; one that
    # did, for this clip.
    never_answered = not run.judge.runs.filter(state=RunState.ANSWERED).exists()
    if answer.http_status in _STOPS_THE_ACCOUNT or never_answered:
        return Outcome(RunState.DUE, "declined", "declined", answer.reason, **common)
    return Outcome(RunState.ERROR, "declined", "declined", answer.reason, **common)


def _read(run: JudgeRun, answer: Replied, common: dict[str, Any]) -> Outcome:
    form = run.judge.round.protocol.form(run.stimulus.form_key)
    common |= {"response_id": answer.response_id}
    try:
        responses = read_answer(answer.text, form)
    except NotAnAnswer as fault:
        return Outcome(RunState.INVALID, "invalid", "", str(fault), **common)
    answers = {question: str(response) for question, response in responses.items()}
    return Outcome(RunState.ANSWERED, "answered", answers=answers, **common)


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
