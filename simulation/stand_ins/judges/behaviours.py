"""How a scripted judge answers: from what is right about a clip, through eyes of a stated kind. No
Django here.

Questions and permitted values are read from the schema of the request, so a judge fits any form.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from judging.answer_schema import ANSWERS

YES, NO = "yes", "no"
SLOW_S = 1.5

Answers = Mapping[str, str]


@dataclass(frozen=True)
class Question:
    """What a stand-in was asked.

    ``truth`` are the right answers about the clip, None where they are unknown.
    """

    model: str
    text: str
    schema: Mapping[str, Any]
    sha256: str
    truth: Answers | None

    @property
    def first_branch(self) -> dict[str, list[str]]:
        """The values of each question when nothing depends on anything: the branch without
        conditions.
        """
        branch = self.schema["properties"][ANSWERS]["anyOf"][0]
        return {question: sorted(part["enum"]) for question, part in branch["properties"].items()}

    @property
    def seen(self) -> Answers:
        """The right answers; about a clip that nobody described, a guess by its bytes."""
        if self.truth is not None:
            asked = self.first_branch  # a file may be asked about with several forms
            return {
                question: answer for question, answer in self.truth.items() if question in asked
            }
        number = int(self.sha256[:8], 16)
        return {
            question: values[number % len(values)] for question, values in self.first_branch.items()
        }


@dataclass(frozen=True)
class Said:
    """What a stand-in says: a text, or a block; perhaps as another model, perhaps late."""

    text: str = ""
    blocked: str = ""
    model: str = ""
    delay_s: float = 0.0


Behaviour = Callable[[Question], Said]


def said(answers: Answers) -> Said:
    """Return answers as a judge writes them."""
    return Said(json.dumps({ANSWERS: dict(answers)}))


def perfect(question: Question) -> Said:
    """Answer what is right."""
    return said(question.seen)


def constant_middle(question: Question) -> Said:
    """Say yes to every fact and the middle of every scale, whatever the clip."""
    return said({key: _middle(values) for key, values in question.first_branch.items()})


def lenient(question: Question) -> Said:
    """See everything, but believe every source: a cause that is a No becomes a Yes."""
    return said(
        {
            key: YES if key == "cause" and answer == NO else answer
            for key, answer in question.seen.items()
        }
    )


def scene_only(question: Question) -> Said:
    """Know the scene and not the clip: all clips of a scene get the same."""
    title = next((line for line in question.text.splitlines() if line.startswith("Scene: ")), "")
    number = hashlib.sha256(title.encode()).digest()[0]
    return said({key: _of_scene(values, number) for key, values in question.first_branch.items()})


def blocked(_question: Question) -> Said:
    """Decline."""
    return Said(blocked="SAFETY")


def schema_breaking(question: Question) -> Said:
    """Say N/A where it is not permitted, as a service without strict output might."""
    return said({**question.seen, next(iter(question.first_branch)): "na:no_event"})


def wrong_model(question: Question) -> Said:
    """Answer as a model that was not asked, as a service that routes retired names elsewhere
    does.
    """
    return replace(perfect(question), model=f"{question.model}-successor")


def slow(question: Question) -> Said:
    """Answer what is right, late."""
    return replace(perfect(question), delay_s=SLOW_S)


BEHAVIOURS: dict[str, Behaviour] = {
    behaviour.__name__: behaviour
    for behaviour in (
        perfect,
        constant_middle,
        lenient,
        scene_only,
        blocked,
        schema_breaking,
        wrong_model,
        slow,
    )
}


def _middle(values: list[str]) -> str:
    numbers = [value for value in values if value.isdigit()]
    if numbers:
        return numbers[len(numbers) // 2]
    if YES in values:
        return YES
    return values[0]


def _of_scene(values: list[str], number: int) -> str:
    numbers = [value for value in values if value.isdigit()]
    if numbers:
        return numbers[number % len(numbers)]
    if YES in values:
        return YES
    return values[0]
