"""What a protocol file may say. Unknown keys, and rules that name what is not there, are refused.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Literal, Self, TypeVar

from pydantic import Field, StringConstraints, model_validator

from fartbench.protocol.judges import Judges
from fartbench.protocol.pairs import Pairs
from fartbench.protocol.parts import AnswerText, Key, Name, Part, Text, Version
from fartbench.protocol.questions import AnswerSet, Consistency, NaRule, Option, Question, ValueRule
from fartbench.protocol.rollouts.whole import Rollouts
from fartbench.protocol.scoring import Metric, Scoring, Smoke
from fartbench.protocol.specification import Specification
from fartbench.protocol.words import OF_CLIPS, OF_ROLLOUTS, Words

PER_SCENE = "per_scene"
SHAPE_TOLERANCE = 0.01  # of the ratio of the sides


class Clip(Part):
    """What a clip of this protocol should be; durations in seconds."""

    duration_s: float = Field(gt=0)
    duration_tolerance_s: float = Field(ge=0)
    aspect_ratio: Annotated[str, StringConstraints(pattern=r"^[1-9]\d{0,3}:[1-9]\d{0,3}$")]
    audio: Literal["native", "any", "none"]
    candidate_index: int = Field(ge=0)

    def has_shape(self, width: int, height: int) -> bool:
        """Say whether a picture has the shape asked for; 854 x 480 passes for 16:9, as encoders
        need even sizes.
        """
        wide, high = map(int, self.aspect_ratio.split(":"))
        return abs(width * high / (height * wide) - 1) < SHAPE_TOLERANCE


class CommonFormat(Part):
    """What every clip of a normalised round is re-encoded to: pixels, exact frame rate, seconds,
    bits per second.
    """

    width: int = Field(ge=16, le=4096, multiple_of=2)
    height: int = Field(ge=16, le=4096, multiple_of=2)
    frame_rate: Annotated[str, StringConstraints(pattern=r"^[1-9]\d{0,6}/[1-9]\d{0,4}$")]
    seconds: float = Field(gt=0)
    video_bit_rate: int = Field(gt=0)
    audio_bit_rate: int = Field(gt=0)
    key_spacing: int = Field(ge=1)


class Blinding(Part):
    """How blind copies are made: all as stream copies, or all normalised to ``format``. Sizes in
    bytes.

    A round of copies whose clips cannot all be copied may be normalised as a whole, so the format
    is always stated.
    """

    method: Literal["copy", "normalise"]
    container: Literal["mp4"]
    padding: Literal["common_size"]
    largest_bytes: int = Field(gt=0)
    format: CommonFormat


class Cohort(Part):
    """How many reviewers form the primary cohort, and how many equal answers make a consensus.

    A round may have from ``smallest`` to ``largest`` reviewers where the protocol says so, else
    exactly ``size``. One of fewer than ``size`` is a smoke test: it says so, and no figure of it is
    official.
    """

    size: int = Field(ge=1)
    quorum: int | Literal["majority"]
    smallest: int | None = Field(default=None, ge=1)
    largest: int | None = None

    @property
    def fewest(self) -> int:
        return self.smallest or self.size

    @property
    def most(self) -> int:
        return self.largest or self.size

    @property
    def sizes(self) -> str:
        """The sizes that a round's cohort may have, in words."""
        if self.fewest == self.most:
            return str(self.size)
        return f"{self.fewest} to {self.most}"

    def quorum_of(self, reviewers: int) -> int:
        """Return how many equal answers of so many reviewers make a consensus: more than half, or
        the fixed number.
        """
        if self.quorum == "majority":
            return reviewers // 2 + 1
        return self.quorum

    def count(self, reviewers: int) -> int:
        """Return the size that a round's cohort is held to, of which so many are there."""
        return min(max(reviewers, self.fewest), self.most)

    @property
    def consensus(self) -> int:
        """How many equal answers of a whole cohort make a consensus."""
        return self.quorum_of(self.size)

    @model_validator(mode="after")
    def _quorum_is_a_majority_of_the_cohort(self) -> Self:
        if not self.fewest <= self.size <= self.most:
            raise ValueError(
                f"a cohort of {self.size} does not lie between {self.fewest} and {self.most}"
            )
        if self.quorum != "majority" and self.fewest != self.most:
            raise ValueError("a cohort that may have several sizes needs “quorum: majority”")
        if not self.size / 2 < self.consensus <= self.size:
            raise ValueError(f"quorum {self.quorum} is not a majority of a cohort of {self.size}")
        return self


class Playback(Part):
    """How much of a clip must be played before its form can be locked in the browser.

    ``first_impression`` names the questions that are answered from those plays alone: they are kept
    as they were given, and only then do the other questions and the player's tools (frame steps,
    loops, half speed) open.
    """

    full_plays: int = Field(ge=0)
    played_fraction: float = Field(gt=0, le=1)
    first_impression: tuple[Key, ...] = ()


class Track(Part):
    """A track a configuration can belong to, and whether its results are ranked with the active
    ones or apart.
    """

    key: Key
    label: Text
    commissionable: bool
    ranked: Literal["active", "apart", "never"]
    about: Text | None = None


class Scene(Part):
    """A scene: what happens in it, how it words its own questions, and what a clip that complies
    shows.

    ``expects`` are the hard checks: the answer that each of these questions has in a compliant
    clip. ``required_events`` is how many events were asked for.
    """

    key: Key
    title: Text
    setting: Text
    objective: Text | None = None
    wording: dict[Key, Text] = Field(default_factory=dict)
    help: dict[Key, Text] = Field(default_factory=dict)
    expects: dict[Key, AnswerText] = Field(default_factory=dict)
    required_events: int | None = Field(default=None, ge=1)


class Report(Part):
    """A report of the results, by key, with the name it carries on pages."""

    key: Key
    label: Text


class Rule(Part):
    """A sentence of the method, and whether the seed document or this project decided it."""

    text: Text
    source: Literal["seed", "ours"]


class Protocol(Part):
    """A whole protocol file. One with ``rollouts`` has no questions of its own: each kind of unit
    has its forms.

    ``briefs`` are the specifications by scene where reviewers are shown what was asked for; a
    protocol that hides it has none.
    """

    name: Name
    version: Version
    maturity: Literal["pilot", "official"] = "official"
    title: Text
    summary: Text
    clip: Clip
    blinding: Blinding
    cohort: Cohort
    playback: Playback
    tracks: tuple[Track, ...] = Field(min_length=1)
    answer_sets: dict[Key, AnswerSet] = Field(default_factory=dict)
    stages: tuple[Text, ...] = ()
    questions: tuple[Question, ...] = ()
    na_reasons: dict[Key, Text] = Field(default_factory=dict)
    na_rules: tuple[NaRule, ...] = ()
    value_rules: tuple[ValueRule, ...] = ()
    consistency: tuple[Consistency, ...] = ()
    scenes: tuple[Scene, ...] = Field(min_length=1)
    scoring: Scoring
    metrics: tuple[Metric, ...] = ()
    smoke: Smoke | None = None
    pairs: Pairs | None = None
    judges: Judges | None = None
    rollouts: Rollouts | None = None
    reports: tuple[Report, ...] = ()
    rules: tuple[Rule, ...] = ()
    briefs: dict[Key, Specification] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _every_scene_has_its_brief(self) -> Self:
        if not self.briefs:
            return self
        for scene in sorted({scene.key for scene in self.scenes} ^ self.briefs.keys()):
            raise ValueError(f"briefs: {scene!r} is not both a scene and the key of a brief")
        for scene, brief in self.briefs.items():
            if brief.key != scene:
                raise ValueError(f"briefs.{scene}.key: it is {brief.key!r}")
        return self

    @property
    def label(self) -> str:
        """Name and version as people write them: ``core-r01@1.0.0``."""
        return f"{self.name}@{self.version}"

    @property
    def words(self) -> Words:
        """What its results are called on pages."""
        if self.rollouts is None:
            return OF_CLIPS
        return OF_ROLLOUTS

    @property
    def is_pilot(self) -> bool:
        """Say whether its results are development data, which never become official."""
        return self.maturity == "pilot"

    def scene(self, key: str) -> Scene:
        """Return the scene with this key. Raises KeyError when the protocol has none."""
        return _with_key(self.scenes, key)

    def question(self, key: str) -> Question:
        """Return the question with this key. Raises KeyError when the protocol has none."""
        return _with_key(self.questions, key)

    def answer_set(self, question: Question) -> AnswerSet:
        """Return what can be answered to ``question``."""
        return self.answer_sets[question.answers]

    def options(self, question: Question) -> tuple[Option, ...]:
        """Return the answers that ``question`` offers, in order."""
        return self.answer_set(question).answers

    def is_scale(self, question: Question) -> bool:
        """Say whether answers to ``question`` are numbers on a scale."""
        return self.answer_set(question).kind == "scale"

    def keys_of(self, *kinds: str) -> tuple[str, ...]:
        """Return the questions whose answers are of one of these kinds, in order."""
        return tuple(
            question.key for question in self.questions if self.answer_set(question).kind in kinds
        )

    @property
    def facts(self) -> tuple[str, ...]:
        """The questions that a clip's facts are: the gates, or where dimensions are scored every
        one but the scales.
        """
        return self.scoring.gates or self.keys_of("choice", "flag", "count", "time")

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
