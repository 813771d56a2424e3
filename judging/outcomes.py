"""What an answer of a judge's service comes to: the next state of the run, and what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from judging.answer_schema import NotAnAnswer, read_answer
from judging.models import JudgeRun, RunState
from judging.ports.port import (
    Answer,
    Blocked,
    Declined,
    NotTransported,
    Replied,
    TimedOut,
    Unusable,
)

NOT_REACHED = "transport"
# The next question would get the same answer: a person has to look at key, credit, name or address
# first.
_STOPS_THE_ACCOUNT = frozenset({301, 302, 303, 307, 308, 401, 402, 403, 404, 410})


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


def outcome_of(run: JudgeRun, answer: Answer, *, latency_ms: int) -> Outcome:
    """Return what an answer comes to. An answer is taken for what it says."""
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
