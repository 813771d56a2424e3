"""Scripted reviewers for demonstrations: they see the known truth of a clip through eyes that make
mistakes.

Whatever they answer is marked as simulated. No Django here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from statistics import fmean
from typing import Any

from fartbench.protocol import AnswerSet, Form, Pairs, Question, Response
from fartbench.protocol.pairs import BOTH_BAD, TIE, A, B

# Two clips that seem closer than this share of the scale are a tie; a tie in the lowest quarter is
# of two bad ones.
CLOSE, BAD = 0.08, 0.25


@dataclass(frozen=True, slots=True)
class Temper:
    """How one scripted reviewer errs. Probabilities from 0 to 1; ``leniency`` and ``noise`` in
    points of a scale.
    """

    acuity: float
    doubt: float
    leniency: float
    noise: float
    shy: float


# Four people of the ordinary kind: nobody perfect, one strict, one kind, one who likes N/A.
TEMPERS = (
    Temper(acuity=0.97, doubt=0.03, leniency=0.0, noise=0.45, shy=0.8),
    Temper(acuity=0.95, doubt=0.04, leniency=-0.4, noise=0.5, shy=0.6),
    Temper(acuity=0.94, doubt=0.06, leniency=0.4, noise=0.6, shy=0.7),
    Temper(acuity=0.96, doubt=0.05, leniency=0.1, noise=0.5, shy=1.0),
)


def simulated_responses(
    form: Form, truth: Mapping[str, Any], *, temper: Temper, seed: str
) -> dict[str, Response]:
    """Answer every question of ``form`` about a clip of known ``truth`` (see
    simulation.local.Truth).

    Deterministic from ``seed``. A fact is missed, or called unclear, at the reviewer's own rates; a
    rating is the clip's latent quality with the reviewer's leniency and noise. When nothing is
    heard N/A is chosen where the form permits it, as often as the reviewer is shy of answering.
    """
    random = random_of(seed)
    answers = truth["answers"]
    nothing_heard = truth["event_count"] == 0 or not truth["audible"]
    given: dict[str, Response] = {}
    for question in form.questions:
        if not form.asks(question.key):
            given[question.key] = form.settled[question.key]
            continue
        response = _response(form, question, answers[question.key], temper, random)
        # Drawn for every question, so that one answer does not move the luck of the next.
        prefers_na = random.random() < temper.shy
        if nothing_heard and prefers_na:
            response = _na(form, question.key, given) or response
        given[question.key] = response or some_na(form, question.key, given)
    return given


def simulated_preference(
    pairs: Pairs,
    question: str,
    form: Form,
    truths: tuple[Mapping[str, Any], Mapping[str, Any]],
    *,
    temper: Temper,
    seed: str,
) -> str:
    """Answer ``question`` about two clips (A, B) of known truth; ``form`` says what is rated in
    their scene.

    Deterministic from ``seed``. A clip seems as good as the mean of what is rated in it, give or
    take the reviewer's noise; clips that seem alike are a tie, or both bad where that can be
    answered.
    """
    random = random_of(seed)
    seen_a, seen_b = (_appeal(form, truth["answers"], temper, random) for truth in truths)
    outcome = A if seen_a > seen_b else B
    if abs(seen_a - seen_b) < CLOSE:
        outcome = BOTH_BAD if max(seen_a, seen_b) < BAD else TIE
    return pairs.answer(question, outcome) or pairs.answer(question, TIE) or ""


def _appeal(form: Form, latent: Mapping[str, Any], temper: Temper, random: Random) -> float:
    """Return how good a clip seems, from about 0 to 1: the mean over what is rated, each with a
    slip of its own.
    """
    seen = []
    for key in _rated(form):
        if latent[key] is not None:
            for low, high in [_ends(form, key)]:
                seen.append((latent[key] + random.gauss(0, temper.noise) - low) / (high - low))
    return fmean(seen)


def _rated(form: Form) -> list[str]:
    """Return the scales that are asked; of a weighted score its dimensions, for other scales say
    more or less.
    """
    dimensions = {dimension.question for dimension in form.protocol.scoring.dimensions}
    scales = []
    for question in form.questions:
        if form.protocol.is_scale(question) and form.asks(question.key):
            scales.append(question.key)
    return [key for key in scales if not dimensions or key in dimensions]


def _ends(form: Form, question: str) -> tuple[int, int]:
    points = [int(option.value) for option in form.options(question)]
    return points[0], points[-1]


def random_of(seed: str) -> Random:
    """Return a source of luck that is the same for equal seeds."""
    return Random(int.from_bytes(hashlib.sha256(seed.encode()).digest()[:8], "big"))  # noqa: S311 - no secret


def _response(
    form: Form, question: Question, truth: Any, temper: Temper, random: Random
) -> Response | None:
    """Answer one question of any kind; None where there is nothing to answer about."""
    answers = form.protocol.answer_set(question)
    if answers.kind == "scale":
        return _rating(form, question.key, truth, temper, random)
    if answers.is_number:
        return _number(answers, truth, temper, random)
    if answers.kind == "flag":
        misses = random.random() > temper.acuity
        return Response(
            value={"yes": "no", "no": "yes"}[truth] if misses and truth == "yes" else truth
        )
    return _fact(truth, temper, random)


def _number(
    answers: AnswerSet, truth: float | None, temper: Temper, random: Random
) -> Response | None:
    """A count is missed by one at times; a time is read off within a few steps."""
    if answers.kind == "time":
        error = random.gauss(0, 2 * temper.noise)
    else:
        error = float(random.random() > temper.acuity)
    if truth is None:
        return None
    values = [float(option.value) for option in answers.answers]
    felt = truth + error * answers.step
    place = min(range(len(values)), key=lambda number: abs(values[number] - felt))
    return Response(value=answers.answers[place].value)


def some_na(form: Form, question: str, given: Mapping[str, Response]) -> Response:
    """Return the first N/A that may stand. StopIteration when the form has none: then the truth
    lacks an answer.
    """
    return next(
        answer.response for answer, _ in form.na_options(question) if answer.condition_holds(given)
    )


def _fact(truth: str, temper: Temper, random: Random) -> Response:
    luck = random.random()
    if luck < temper.doubt:
        return Response(value="unclear")
    if luck < temper.doubt + 1 - temper.acuity:
        return Response(value="no" if truth == "yes" else "yes")
    return Response(value=truth)


def _rating(form: Form, question: str, latent: float, temper: Temper, random: Random) -> Response:
    low, high = _ends(form, question)
    felt = latent + temper.leniency + random.gauss(0, temper.noise)
    return Response(value=str(min(max(round(felt), low), high)))


def _na(form: Form, question: str, given: Mapping[str, Response]) -> Response | None:
    # An N/A that is allowed without a condition is about something else, such as people out of the
    # picture.
    return next(
        (
            answer.response
            for answer, _ in form.na_options(question)
            if answer.requires_question is not None and answer.condition_holds(given)
        ),
        None,
    )
