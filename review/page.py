"""The form of a clip as a page shows it. No Django here.

Everything is read from the protocol's form: questions, options, N/A and its conditions are stated
nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from fartbench.protocol import AllowedAnswer, AnswerSet, Form, Question, Response

NA_KEY = "a"
# What ticks a flag, in the order of the flags: letters that neither a page nor an ordinary answer
# takes.
FLAG_KEYS = "bcdeghijkopqrtvwxz"
# What the player and the page do on a key (static/js/review/keys.js); no answer takes these.
RESERVED_KEYS = frozenset("amfsl")


@dataclass(frozen=True, slots=True)
class Choice:
    """One button. ``value`` is the answer as it is sent; ``condition`` says in words when an N/A is
    permitted.

    ``anchor`` says what a point of a scale means.
    """

    value: str
    label: str
    key: str
    is_chosen: bool
    condition: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class NumberBox:
    """A number that is typed: which values it may have, and how it is written."""

    lowest: str
    highest: str
    step: str
    value: str
    is_time: bool


@dataclass(frozen=True, slots=True)
class QuestionBlock:
    """One question with its choices: ``choices`` are values, ``na`` the N/A answers of the scene.

    ``place`` counts all that is asked; ``number`` is what a page shows and leaves out flags, which
    are boxes to tick. Both are 0 where there is none.
    ``kind`` is that of its answers. A number is typed into ``box`` and has no choices. A question
    that does not apply in the scene has ``settled``, the words of its only answer, and nothing to
    choose.
    """

    key: str
    label: str
    text: str
    help: str
    stage: int
    kind: str
    choices: tuple[Choice, ...]
    na: tuple[Choice, ...]
    fault: str = ""
    box: NumberBox | None = None
    settled: str = ""
    place: int = 0
    number: int = 0

    @property
    def is_scale(self) -> bool:
        return self.kind == "scale"

    @property
    def chosen_label(self) -> str:
        """Return the words of the answer given, or an empty text."""
        typed = self.box.value if self.box else ""
        chosen = next(
            (choice.label for choice in (*self.choices, *self.na) if choice.is_chosen), ""
        )
        return self.settled or chosen or typed

    def words_of(self, response: Response) -> str:
        """Return an answer to this question as people read it."""
        labels = {choice.value: choice.label for choice in self.choices}
        labels |= {choice.value: f"N/A: {choice.label}" for choice in self.na}
        return labels.get(str(response), self.settled or str(response))


def question_blocks(
    form: Form, responses: Mapping[str, Response], faults: Mapping[str, str] | None = None
) -> list[QuestionBlock]:
    """Return the form's questions in order, with what is answered and what is wrong."""
    asked = list(filter(form.asks, form.keys))
    flags = form.protocol.keys_of("flag")
    places = {key: place for place, key in enumerate(asked, start=1)}
    numbered = (key for key in asked if key not in flags)
    numbers = {key: number for number, key in enumerate(numbered, start=1)}
    wrong = faults or {}
    blocks = []
    for question in form.questions:
        key = question.key
        block = _block(form, question, responses.get(key), wrong.get(key, ""))
        blocks.append(replace(block, place=places.get(key, 0), number=numbers.get(key, 0)))
    return blocks


@dataclass(frozen=True, slots=True)
class Stage:
    """The questions that open together.

    ``is_titled`` says whether the protocol gives it a title of its own.
    """

    number: int
    title: str
    is_titled: bool
    is_first_impression: bool
    blocks: tuple[QuestionBlock, ...]

    @property
    def flags(self) -> tuple[QuestionBlock, ...]:
        return tuple(block for block in self.blocks if block.kind == "flag" and not block.settled)

    @property
    def questions(self) -> tuple[QuestionBlock, ...]:
        return tuple(block for block in self.blocks if block.kind != "flag" and not block.settled)

    @property
    def settled(self) -> tuple[QuestionBlock, ...]:
        return tuple(block for block in self.blocks if block.settled)

    @property
    def anchors(self) -> tuple[tuple[Choice, ...], ...]:
        """The scales of this stage whose points are explained, each once."""
        scales = {
            tuple(replace(choice, is_chosen=False) for choice in block.choices): None
            for block in self.questions
        }
        return tuple(scale for scale in scales if any(choice.anchor for choice in scale))


def stages(form: Form, blocks: Sequence[QuestionBlock]) -> list[Stage]:
    """Return the questions by stage, in order."""
    numbers = sorted({block.stage for block in blocks})
    return [
        _stage(form, number, tuple(block for block in blocks if block.stage == number))
        for number in numbers
    ]


def _stage(form: Form, number: int, blocks: tuple[QuestionBlock, ...]) -> Stage:
    titles = dict(enumerate(form.protocol.stages, start=1))
    of_ratings = all(block.is_scale for block in blocks)
    is_first = any(block.key in form.first_impression for block in blocks)
    title = titles.get(number) or ("Ratings" if of_ratings else "Facts")
    return Stage(number, title, number in titles, is_first, blocks)


def _block(form: Form, question: Question, response: Response | None, fault: str) -> QuestionBlock:
    answers, settled = form.protocol.answer_set(question), form.settled.get(question.key)
    text = form.protocol.question(question.key).label if settled else form.wording(question.key)
    block = QuestionBlock(
        key=question.key,
        label=question.label,
        text=text,
        help=form.help(question.key),
        stage=question.stage,
        kind=answers.kind,
        choices=(),
        na=(),
        fault=fault,
    )
    if settled:
        return replace(block, settled=form.protocol.na_reasons[str(settled.na_reason)])
    chosen = str(response) if response else ""
    block = replace(block, na=_na_choices(form, question, chosen))
    if answers.is_number:
        return replace(block, box=_number_box(answers, chosen))
    return replace(block, choices=_choices(form, question, chosen))


def _choices(form: Form, question: Question, chosen: str) -> tuple[Choice, ...]:
    options = form.options(question.key)
    if form.protocol.answer_set(question).kind == "flag":
        place = form.protocol.keys_of("flag").index(question.key)
        keys = [FLAG_KEYS[place : place + 1]] * len(options)
    else:
        keys = answer_keys([option.value for option in options])
    return tuple(
        Choice(option.value, option.label, key, option.value == chosen, anchor=option.anchor or "")
        for option, key in zip(options, keys, strict=True)
    )


def _na_choices(form: Form, question: Question, chosen: str) -> tuple[Choice, ...]:
    return tuple(
        Choice(
            str(answer.response),
            text,
            NA_KEY,
            str(answer.response) == chosen,
            _condition(form, answer),
        )
        for answer, text in form.na_options(question.key)
    )


def _number_box(answers: AnswerSet, chosen: str) -> NumberBox:
    values = [option.value for option in answers.answers]
    return NumberBox(
        values[0],
        values[-1],
        f"{answers.step:g}",
        chosen if chosen in values else "",
        answers.kind == "time",
    )


def answer_keys(values: Sequence[str]) -> list[str]:
    """Return one key per answer: its first letter or digit, or its place when those would not tell
    answers apart.
    """
    first = [value[0] for value in values]
    if (
        len(set(first)) == len(first)
        and not set(first) & RESERVED_KEYS
        and all(map(_is_one_key, values))
    ):
        return first
    return [str(place) for place in range(1, len(values) + 1)]


def _is_one_key(value: str) -> bool:
    # A number of two digits is not given by its first one.
    return len(value) == 1 or not value[0].isdigit()


def _condition(form: Form, answer: AllowedAnswer) -> str:
    if answer.requires_question is None:
        return ""
    earlier = form.protocol.question(answer.requires_question)
    value = next(
        option.label
        for option in form.options(earlier.key)
        if option.value == answer.requires_value
    )
    return f"only when “{earlier.label}” is {value}"
