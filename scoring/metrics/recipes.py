"""From the answers of one form to one number, or none. No Django here.

An answer is a number, a yes or no, or None: a criterion that the prompt does not have, a target
that was not reached, a source that never came about. None is left out and never counts as a low
score. Definitions: arXiv:2608.26336v1, §B.1-B.6.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from fartbench.errors import Refusal

Answer = float | bool | None
CAP_S = 30.0  # what an update that was never fulfilled is counted as where that is asked for


class CriteriaDiffer(Refusal):
    """The two ends of a rollout were not asked the same questions, so no drift can be known."""


@dataclass(frozen=True, slots=True)
class Form:
    """The answers of one judge, or one person, about one unit of a rollout.

    ``kind`` and ``place`` name the unit: an interval 1 to 6, the full rollout, an update P1 to P5;
    ``end_s`` is the last moment of the rollout that was looked at, in seconds.
    """

    case: str
    kind: str
    place: str
    end_s: float
    judge: str
    answers: Mapping[str, Answer]


def mean(values: Iterable[Answer]) -> float | None:
    """Return the mean of what was answered, None when nothing was."""
    known = [float(value) for value in values if value is not None]
    return fsum(known) / len(known) if known else None


def of_questions(answers: Mapping[str, Answer], questions: Sequence[str]) -> float | None:
    """Return the mean of a form's ratings (recipes ``mean`` and ``criteria``)."""
    return mean(answers.get(question) for question in questions)


def achieved(answers: Mapping[str, Answer], questions: Sequence[str]) -> float | None:
    """Return 1 when the target was reached, 0 when not, None when the form does not ask for it."""
    asked = [answers[question] for question in questions if question in answers]
    return mean(float(value is not None) for value in asked)


def latency(answers: Mapping[str, Answer], questions: Sequence[str]) -> float | None:
    """Return the seconds of media time until the target was reached, None when it was not."""
    return of_questions(answers, questions)


def capped_latency(answers: Mapping[str, Answer], questions: Sequence[str]) -> float | None:
    """Return the same with 30 s for a target that was not reached (appendix SA-PVRL and SA-PARL,
    §D.4).
    """
    asked = [answers[question] for question in questions if question in answers]
    return mean(CAP_S if value is None else value for value in asked)


def if_established(
    answers: Mapping[str, Answer], questions: Sequence[str], established_by: str
) -> float | None:
    """Return the rating of how history was followed, None when the source never came about."""
    return of_questions(answers, questions) if answers.get(established_by) else None


def criteria_change(
    first: Mapping[str, Answer], last: Mapping[str, Answer], questions: Sequence[str], *, case: str
) -> float | None:
    """Return the mean absolute change of the criteria between the two ends.

    Raises CriteriaDiffer unless the same criteria were rated at both.
    """
    early, late = (
        {key for key in questions if found.get(key) is not None} for found in (first, last)
    )
    if early != late:
        odd = ", ".join(sorted(early ^ late))
        raise CriteriaDiffer(
            f"{case}: {odd} was rated at one end of the rollout only. Rate both ends, or neither."
        )
    return mean(abs(float(last[key] or 0) - float(first[key] or 0)) for key in sorted(early))


def endpoint_change(values: Sequence[float | None]) -> tuple[float, float] | None:
    """Return the absolute and the signed change from the first value to the last; None when either
    is missing.
    """
    if len(values) < 2 or values[0] is None or values[-1] is None:  # noqa: PLR2004
        return None
    change = values[-1] - values[0]
    return abs(change), change


ONE_FORM: dict[str, Callable[[Mapping[str, Answer], Sequence[str]], float | None]] = {
    "mean": of_questions,
    "criteria": of_questions,
    "achieved": achieved,
    "latency": latency,
    "capped_latency": capped_latency,
}
"""Recipes that read one form and nothing else."""
