"""The form of a clip as a page shows it, and the same rules as data for the browser. No Django here.

Everything is read from the protocol's form: questions, options, N/A and its conditions are stated nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import AllowedAnswer, Form, Question, Response

NA_KEY = "a"
# What the player and the page do on a key (static/js/review/keys.js); no answer takes these.
RESERVED_KEYS = frozenset("amfsl")


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

    number: int
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
    return [
        _block(form, number, question, responses.get(question.key), (faults or {}).get(question.key, ""))
        for number, question in enumerate(form.questions, start=1)
    ]


@dataclass(frozen=True, slots=True)
class Stage:
    """The questions that open together."""

    number: int
    title: str
    blocks: tuple[QuestionBlock, ...]


def stages(blocks: Sequence[QuestionBlock]) -> list[Stage]:
    """Return the questions by stage, in order."""
    return [
        Stage(number, "Ratings" if all(block.is_scale for block in group) else "Facts", group)
        for number in sorted({block.stage for block in blocks})
        for group in [tuple(block for block in blocks if block.stage == number)]
    ]


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


def _block(form: Form, number: int, question: Question, response: Response | None, fault: str) -> QuestionBlock:
    options = form.options(question.key)
    keys = answer_keys([option.value for option in options])
    chosen = str(response) if response else ""
    return QuestionBlock(
        number=number,
        key=question.key,
        label=question.label,
        text=form.wording(question.key),
        help=form.help(question.key),
        stage=question.stage,
        is_scale=form.protocol.is_scale(question),
        choices=tuple(
            Choice(option.value, option.label, key, option.value == chosen)
            for option, key in zip(options, keys, strict=True)
        ),
        na=tuple(
            Choice(str(answer.response), text, NA_KEY, str(answer.response) == chosen, _condition(form, answer))
            for answer, text in form.na_options(question.key)
        ),
        fault=fault,
    )


def answer_keys(values: Sequence[str]) -> list[str]:
    """Return one key per answer: its first letter or digit, or its place when those would not tell answers apart."""
    first = [value[0] for value in values]
    if len(set(first)) == len(first) and not set(first) & RESERVED_KEYS and all(map(_is_one_key, values)):
        return first
    return [str(place) for place in range(1, len(values) + 1)]


def _is_one_key(value: str) -> bool:
    # A number of two digits is not given by its first one.
    return len(value) == 1 or not value[0].isdigit()


def _condition(form: Form, answer: AllowedAnswer) -> str:
    if answer.requires_question is None:
        return ""
    earlier = form.protocol.question(answer.requires_question)
    value = next(option.label for option in form.options(earlier.key) if option.value == answer.requires_value)
    return f"only when “{earlier.label}” is {value}"
