"""Questions, what can be answered to them, and where N/A is permitted. No Django here.

Whatever the kind of a question, its answers are a finite list of texts: a count goes from its
lowest to its highest, a time is a step on a ruler, a flag is yes or no. So form, browser, database,
imports and judges share one list.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cached_property
from typing import Literal, Self

from pydantic import Field, model_validator

from fartbench.protocol.parts import AnswerText, Key, Part, Text, repeated

# Answers are stored as small codes, and nobody can choose from a list longer than this.
MOST_VALUES = 101


class Option(Part):
    """One answer a reviewer can choose; ``anchor`` says what it means, where the label is too
    short for it.
    """

    value: AnswerText
    label: Text
    anchor: Text | None = None


FLAG_OPTIONS = (Option(value="no", label="No"), Option(value="yes", label="Yes"))


class AnswerSet(Part):
    """The answers of a question, by kind.

    A ``choice`` has no order; a ``scale`` goes up by one from its first integer; both list their
    ``options``. A ``count`` is a whole number and a ``time`` a number of seconds, both from
    ``lowest`` to ``highest`` by ``step``. A ``flag`` is a box to tick: yes, and no when it is left
    as it is.
    """

    kind: Literal["choice", "scale", "count", "time", "flag"]
    options: tuple[Option, ...] = ()
    lowest: float = Field(default=0, ge=0)
    highest: float | None = None
    step: float = Field(default=1, gt=0)

    @property
    def can_be_compared(self) -> bool:
        """Say whether every value is a number: of a scale, a count or a time."""
        return self.kind in {"scale", "count", "time"}

    @property
    def is_number(self) -> bool:
        """Say whether the answer is typed as a number."""
        return self.kind in {"count", "time"}

    @cached_property
    def answers(self) -> tuple[Option, ...]:
        """Every value that can be answered, in order."""
        if self.kind == "flag":
            return FLAG_OPTIONS
        if self.is_number:
            return tuple(Option(value=text, label=text) for text in self._numbers())
        return self.options

    def has(self, value: str) -> bool:
        """Say whether ``value`` can be answered."""
        return any(option.value == value for option in self.answers)

    def _numbers(self) -> list[str]:
        first, last, step = (
            Decimal(str(number)) for number in (self.lowest, self.highest, self.step)
        )
        return [_plain(first + step * place) for place in range(int((last - first) / step) + 1)]

    @model_validator(mode="after")
    def _each_kind_has_what_it_needs(self) -> Self:
        if self.kind in {"choice", "scale"}:
            self._refuse_odd_options()
        elif self.options:
            raise ValueError(f"a {self.kind} has no options")
        if self.is_number:
            self._refuse_odd_range()
        elif self.highest is not None or {"lowest", "step"} & self.model_fields_set:
            raise ValueError(f"a {self.kind} has no lowest, highest or step")
        return self

    def _refuse_odd_options(self) -> None:
        values = [option.value for option in self.options]
        if len(values) < 2:  # noqa: PLR2004 - one answer is no question
            raise ValueError(f"a {self.kind} needs at least two options")
        if twice := repeated(values):
            raise ValueError(f"value {twice[0]!r} appears twice")
        if "na" in values:
            raise ValueError("'na' is not an answer value: N/A has its own rules")
        if self.kind == "scale":
            if not all(re.fullmatch(r"\d+", value) for value in values):
                raise ValueError("the values of a scale are whole numbers")
            first = int(values[0])
            if [int(value) for value in values] != list(range(first, first + len(values))):
                raise ValueError("the values of a scale go up by one")

    def _refuse_odd_range(self) -> None:
        if self.highest is None or self.highest <= self.lowest:
            raise ValueError(
                f"a {self.kind} needs a highest value above its lowest, {self.lowest:g}"
            )
        if self.kind == "count" and not all(
            float(number).is_integer() for number in (self.lowest, self.step)
        ):
            raise ValueError("a count starts at a whole number and has whole steps")
        if (self.highest - self.lowest) / self.step > MOST_VALUES - 1:
            raise ValueError(f"this makes more than {MOST_VALUES} answers: take a larger step")


class Question(Part):
    """A question; ``wording`` is its text, or ``per_scene`` when each scene words it.

    ``help`` is below it.
    """

    key: Key
    label: Text
    stage: int = Field(ge=1)
    answers: Key
    wording: Text
    help: Text | None = None
    primary: bool = False


class When(Part):
    """A condition: the earlier question was answered with this value."""

    question: Key
    value: AnswerText


class NaRule(Part):
    """N/A is permitted to ``question`` for ``reason``, under a condition or always, in some scenes
    or in all.

    With ``only`` it is the one answer there: the question does not apply in these scenes, and
    nobody is asked.
    """

    question: Key
    reason: Key
    when: When | None = None
    scenes: tuple[Key, ...] | None = None
    only: bool = False

    @property
    def named(self) -> set[str]:
        """The questions that the rule is about."""
        return {self.question} | ({self.when.question} if self.when else set())

    @model_validator(mode="after")
    def _the_only_answer_needs_no_condition(self) -> Self:
        if self.only and self.when:
            raise ValueError("an N/A that is the only answer has no condition")
        return self


class ValueRule(Part):
    """A value of ``question`` may stand only under a condition. An N/A to it has rules of its
    own.
    """

    question: Key
    when: When

    @property
    def named(self) -> set[str]:
        """The questions that the rule is about."""
        return {self.question, self.when.question}


class Consistency(Part):
    """Two answers that must not contradict each other once a sheet is locked; ``text`` says how
    they would.

    The number answered to ``question`` is not below that answered to ``not_below``; or it is
    ``at_least`` so much where ``beside`` was answered with a value. Nothing is asked of an N/A.
    """

    question: Key
    text: Text
    not_below: Key | None = None
    beside: Key | None = None
    at_least: float | None = None

    @property
    def named(self) -> set[str]:
        """The questions that the rule is about."""
        return {self.question, self.other}

    @property
    def compared(self) -> set[str]:
        """The questions whose answers must be numbers."""
        return {self.question} | ({self.not_below} if self.not_below else set())

    @property
    def other(self) -> str:
        """The question whose answer the one of ``question`` is held to."""
        return self.not_below or self.beside or ""

    @model_validator(mode="after")
    def _one_way_of_comparing(self) -> Self:
        if (self.not_below is None) == (self.beside is None) or (self.beside is None) != (
            self.at_least is None
        ):
            raise ValueError("state either not_below, or beside with at_least")
        return self


def _plain(number: Decimal) -> str:
    """Write a number as a browser does: 3, 3.4."""
    text = f"{number:f}"
    if "." in text:
        return text.rstrip("0").rstrip(".")
    return text
