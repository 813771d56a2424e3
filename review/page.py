"""The form of a clip as a page shows it, and the same rules as data for the browser. No Django here.

Everything is read from the protocol's form: questions, options, N/A and its conditions are stated nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import AllowedAnswer, Form, Question, Response


@dataclass(frozen=True, slots=True)
class Choice:
    """One radio button. ``value`` is the answer as it is sent; ``condition`` says in words when an N/A is permitted."""

    value: str
    label: str
    key: str
    is_chosen: bool
    condition: str = ""


@dataclass(frozen=True, slots=True)
class QuestionBlock:
    """One question with its choices: ``choices`` are values, ``na`` the N/A answers of the scene."""

    key: str
    label: str
    text: str
    help: str
    stage: int
    is_scale: bool
    choices: tuple[Choice, ...]
    na: tuple[Choice, ...]
    fault: str = ""

    @property
    def chosen_label(self) -> str:
        """Return the words of the answer given, or an empty text."""
        return next((choice.label for choice in (*self.choices, *self.na) if choice.is_chosen), "")


def question_blocks(
    form: Form, responses: Mapping[str, Response], faults: Mapping[str, str] | None = None
) -> list[QuestionBlock]:
    """Return the form's questions in order, with what is answered and what is wrong."""
    return [_block(form, question, responses.get(question.key), faults or {}) for question in form.questions]


def browser_rules(form: Form) -> dict[str, Any]:
    """Return the form's rules as JSON for ``static/js/review/rules.js``."""
    return {
        "questions": [{"key": question.key, "stage": question.stage} for question in form.questions],
        "allowed": [_allowed(answer) for answer in form.allowed],
        "playback": {
            "fullPlays": form.protocol.playback.full_plays,
            "fraction": form.protocol.playback.played_fraction,
        },
    }


def parse_changes(answers: Mapping[str, Any]) -> dict[str, Response | None]:
    """Return the answers that a browser sent (``yes``, ``na:REASON``, or nothing for none) by question.

    Raises ResponseError for what is no answer at all; whether it is one of its question's is for the form to say.
    """
    return {str(key): Response.parse(str(text)) if text else None for key, text in answers.items()}


def _allowed(answer: AllowedAnswer) -> dict[str, Any]:
    return {
        "question": answer.question,
        "answer": str(answer.response),
        "when": [answer.requires_question, answer.requires_value] if answer.requires_question else None,
    }


def _block(form: Form, question: Question, response: Response | None, faults: Mapping[str, str]) -> QuestionBlock:
    is_scale = form.protocol.is_scale(question)
    chosen = str(response) if response else ""
    return QuestionBlock(
        key=question.key,
        label=question.label,
        text=form.wording(question.key),
        help=form.help(question.key),
        stage=question.stage,
        is_scale=is_scale,
        choices=tuple(
            Choice(option.value, option.label, _key(option.value, is_scale), option.value == chosen)
            for option in form.options(question.key)
        ),
        na=tuple(
            Choice(str(answer.response), text, "a", str(answer.response) == chosen, _condition(form, answer))
            for answer, text in form.na_options(question.key)
        ),
        fault=faults.get(question.key, ""),
    )


def _key(value: str, is_scale: bool) -> str:
    """The key that gives this answer: a digit on a scale, the first letter of a word otherwise."""
    return value if is_scale else value[0]


def _condition(form: Form, answer: AllowedAnswer) -> str:
    if answer.requires_question is None:
        return ""
    earlier = form.protocol.question(answer.requires_question)
    value = next(option.label for option in form.options(earlier.key) if option.value == answer.requires_value)
    return f"only when “{earlier.label}” is {value}"
