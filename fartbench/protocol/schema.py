"""What a protocol file may say. Unknown keys, and rules that name what is not there, are refused. No Django here."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, StringConstraints, model_validator

from fartbench.protocol.pairs import Pairs
from fartbench.protocol.parts import AnswerText, Key, Part, Text, repeated

Version = Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+(-[a-z0-9.]+)?$")]

PER_SCENE = "per_scene"


class Clip(Part):
    """What a clip of this protocol should be; durations in seconds."""

    duration_s: float = Field(gt=0)
    duration_tolerance_s: float = Field(ge=0)
    aspect_ratio: Text
    audio: Literal["native", "any", "none"]
    candidate_index: int = Field(ge=0)


class CommonFormat(Part):
    """What every clip of a normalised round is re-encoded to: pixels, exact frame rate, seconds, bits per second."""

    width: int = Field(ge=16, le=4096, multiple_of=2)
    height: int = Field(ge=16, le=4096, multiple_of=2)
    frame_rate: Annotated[str, StringConstraints(pattern=r"^[1-9]\d{0,6}/[1-9]\d{0,4}$")]
    seconds: float = Field(gt=0)
    video_bit_rate: int = Field(gt=0)
    audio_bit_rate: int = Field(gt=0)
    key_spacing: int = Field(ge=1)


class Blinding(Part):
    """How blind copies are made: all as stream copies, or all normalised to ``format``. Sizes in bytes.

    A round of copies whose clips cannot all be copied may be normalised as a whole, so the format is always stated.
    """

    method: Literal["copy", "normalise"]
    container: Literal["mp4"]
    padding: Literal["common_size"]
    largest_bytes: int = Field(gt=0)
    format: CommonFormat


class Cohort(Part):
    """How many reviewers form the primary cohort, and how many equal answers make a consensus."""

    size: int = Field(ge=1)
    quorum: int = Field(ge=1)

    @model_validator(mode="after")
    def _quorum_is_a_majority_of_the_cohort(self) -> Self:
        if not self.size / 2 < self.quorum <= self.size:
            raise ValueError(f"quorum {self.quorum} is not a majority of a cohort of {self.size}")
        return self


class Playback(Part):
    """How much of a clip must be played before its form can be locked in the browser."""

    full_plays: int = Field(ge=0)
    played_fraction: float = Field(gt=0, le=1)


class Track(Part):
    """A track a configuration can belong to, and whether its results are ranked with the active ones or apart."""

    key: Key
    label: Text
    commissionable: bool
    ranked: Literal["active", "apart", "never"]


class Option(Part):
    """One answer a reviewer can choose."""

    value: AnswerText
    label: Text


class AnswerSet(Part):
    """The options of a question: a ``choice`` has no order, a ``scale`` goes up by one from its first integer."""

    kind: Literal["choice", "scale"]
    options: tuple[Option, ...] = Field(min_length=2)

    @model_validator(mode="after")
    def _values_are_distinct_and_a_scale_counts_up(self) -> Self:
        values = [option.value for option in self.options]
        if twice := repeated(values):
            raise ValueError(f"value {twice[0]!r} appears twice")
        if "na" in values:
            raise ValueError("'na' is no answer value: N/A has rules of its own")
        if self.kind == "scale":
            if not all(re.fullmatch(r"\d+", value) for value in values):
                raise ValueError("the values of a scale are whole numbers")
            first = int(values[0])
            if [int(value) for value in values] != list(range(first, first + len(values))):
                raise ValueError("the values of a scale go up by one")
        return self


class Question(Part):
    """A question; ``wording`` is its text, or ``per_scene`` when each scene words it."""

    key: Key
    label: Text
    stage: int = Field(ge=1)
    answers: Key
    wording: Text
    primary: bool = False


class When(Part):
    """A condition: the earlier question was answered with this value."""

    question: Key
    value: AnswerText


class NaRule(Part):
    """N/A is permitted to ``question`` for ``reason``, under a condition or always, in some scenes or in all."""

    question: Key
    reason: Key
    when: When | None = None
    scenes: tuple[Key, ...] | None = None


class Scene(Part):
    """A scene: what happens in it, and how it words its own questions."""

    key: Key
    title: Text
    setting: Text
    wording: dict[Key, Text] = Field(default_factory=dict)
    help: dict[Key, Text] = Field(default_factory=dict)


class PointRule(Part):
    """Points for a yes consensus on ``question``, given only when ``needs`` was a yes consensus too."""

    question: Key
    points: int = Field(ge=1)
    needs: Key | None = None


class Scoring(Part):
    """Which questions are gates, what they earn, and how configurations are ordered."""

    gates: tuple[Key, ...] = Field(min_length=1)
    points: tuple[PointRule, ...] = Field(min_length=1)
    rank_by: tuple[Literal["factual_score", "scenes_all_right"], ...] = Field(min_length=1)
    ranking: Literal["standard_competition"]


class Report(Part):
    """A report of the results, by key, with the name it carries on pages."""

    key: Key
    label: Text


class Rule(Part):
    """A sentence of the method, and whether the seed document or this project decided it."""

    text: Text
    source: Literal["seed", "ours"]


class Protocol(Part):
    """A whole protocol file."""

    name: Key
    version: Version
    title: Text
    summary: Text
    clip: Clip
    blinding: Blinding
    cohort: Cohort
    playback: Playback
    tracks: tuple[Track, ...] = Field(min_length=1)
    answer_sets: dict[Key, AnswerSet]
    questions: tuple[Question, ...] = Field(min_length=1)
    na_reasons: dict[Key, Text] = Field(default_factory=dict)
    na_rules: tuple[NaRule, ...] = ()
    scenes: tuple[Scene, ...] = Field(min_length=1)
    scoring: Scoring
    pairs: Pairs | None = None
    reports: tuple[Report, ...] = ()
    rules: tuple[Rule, ...] = ()

    @property
    def label(self) -> str:
        """Name and version as people write them: ``core-r01@1.0.0``."""
        return f"{self.name}@{self.version}"

    def scene(self, key: str) -> Scene:
        """Return the scene with this key. Raises KeyError when the protocol has none."""
        return _with_key(self.scenes, key)

    def question(self, key: str) -> Question:
        """Return the question with this key. Raises KeyError when the protocol has none."""
        return _with_key(self.questions, key)

    def options(self, question: Question) -> tuple[Option, ...]:
        """Return the answers that ``question`` offers, in order."""
        return self.answer_sets[question.answers].options

    def is_scale(self, question: Question) -> bool:
        """Say whether answers to ``question`` are numbers on a scale."""
        return self.answer_sets[question.answers].kind == "scale"

    @property
    def points_per_clip(self) -> int:
        """The points that a clip with every point rule met earns."""
        return sum(rule.points for rule in self.scoring.points)


KeyedT = TypeVar("KeyedT", Scene, Question)


def _with_key(items: Iterable[KeyedT], key: str) -> KeyedT:
    for item in items:
        if item.key == key:
            return item
    raise KeyError(key)
