"""What a protocol may say about blind pairs: which of two clips of one scene is preferred. No
Django here.

The questions of pairs are their own, and so are their answers: a protocol without pairs says
nothing here.
"""

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from fartbench.protocol.parts import AnswerText, Key, Part, Text, repeated

Outcome = Literal["a", "b", "tie", "both_bad"]
A, B, TIE, BOTH_BAD = "a", "b", "tie", "both_bad"
DECIDED: tuple[Outcome, ...] = ("a", "b", "tie")
# What the page of a pair does on a key besides answering (static/js/review/keys.js).
PLAYER_KEYS = frozenset("flmos")


class PairAnswer(Part):
    """An answer, the one key that gives it, and how it counts: for clip A, for B, as a tie, or as a
    tie of bad ones.
    """

    value: AnswerText
    label: Text
    key: Annotated[str, StringConstraints(pattern=r"^[a-z0-9]$")]
    counts: Outcome


class PairAnswers(Part):
    """The answers to a question about a pair: one for each clip, one tie, and perhaps one that says
    both are bad.
    """

    options: tuple[PairAnswer, ...] = Field(min_length=3, max_length=4)

    @model_validator(mode="after")
    def _each_outcome_and_key_stands_once(self) -> Self:
        for what, values in (
            ("value", [option.value for option in self.options]),
            ("key", [option.key for option in self.options]),
            ("outcome", [option.counts for option in self.options]),
        ):
            if twice := repeated(values):
                raise ValueError(f"{what} {twice[0]!r} appears twice")
        if missing := [
            outcome
            for outcome in DECIDED
            if outcome not in {option.counts for option in self.options}
        ]:
            raise ValueError(f"no answer counts as {missing[0]!r}")
        if taken := [option.key for option in self.options if option.key in PLAYER_KEYS]:
            raise ValueError(
                f"key {taken[0]!r} is one of the player's ({', '.join(sorted(PLAYER_KEYS))})"
            )
        return self


class PairQuestion(Part):
    """A question about two clips of one scene; ``label`` names what is compared.

    In a protocol of rollouts ``form`` names the form whose windows meet, the same place of two
    rollouts of one scenario, and ``metric`` the column that is held against what people prefer.
    """

    key: Key
    label: Text
    wording: Text
    answers: Key
    form: Key | None = None
    metric: Text | None = None


class Pairs(Part):
    """Blind pairs of a protocol.

    ``meetings`` is how often every two configurations meet in each scene; where ``count`` is said
    instead, each question has so many pairs, spread evenly over scenes and configurations.
    ``reviewers`` is how many of the primary cohort are asked about each pair, ``full_plays`` how
    often each of the two clips is to be played before an answer counts.
    """

    questions: tuple[PairQuestion, ...] = Field(min_length=1)
    answer_sets: dict[Key, PairAnswers]
    meetings: int | None = Field(default=None, ge=1)
    count: int | None = Field(default=None, ge=1)
    reviewers: int = Field(ge=1)
    full_plays: int = Field(ge=0)

    @model_validator(mode="after")
    def _say_how_many_in_one_way(self) -> Self:
        if (self.meetings is None) == (self.count is None):
            raise ValueError("pairs have either “meetings” or a “count”")
        return self

    @model_validator(mode="after")
    def _questions_are_distinct_and_have_answers(self) -> Self:
        if twice := repeated(question.key for question in self.questions):
            raise ValueError(f"question {twice[0]!r} appears twice")
        for question in self.questions:
            if question.answers not in self.answer_sets:
                raise ValueError(
                    f"question {question.key!r}: there is no answer set {question.answers!r}"
                )
        return self

    def question(self, key: str) -> PairQuestion:
        """Return the question with this key. Raises KeyError when there is none."""
        for question in self.questions:
            if question.key == key:
                return question
        raise KeyError(key)

    def options(self, key: str) -> tuple[PairAnswer, ...]:
        """Return the answers to the question with this key, in order.

        Raises KeyError when there is none.
        """
        return self.answer_sets[self.question(key).answers].options

    def outcome(self, key: str, value: str) -> Outcome:
        """Return how an answer to a question counts.

        Raises KeyError for an answer that it does not have.
        """
        for option in self.options(key):
            if option.value == value:
                return option.counts
        raise KeyError(value)

    def answer(self, key: str, outcome: str) -> str | None:
        """Return the answer to a question that counts so, or None when it has none."""
        return next(
            (option.value for option in self.options(key) if option.counts == outcome), None
        )
