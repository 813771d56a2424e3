"""How answers become a score: gates that earn points, or weighted dimensions with ceilings; and
what is shown beside it.

No Django here.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from fartbench.protocol.parts import Key, Part, Text
from fartbench.protocol.questions import When


class PointRule(Part):
    """Points for a yes consensus on ``question``, given only when ``needs`` was a yes consensus
    too.
    """

    question: Key
    points: int = Field(ge=1)
    needs: Key | None = None


class Dimension(Part):
    """A scale that enters the score with a weight; ``code`` is its short name."""

    question: Key
    code: Text
    weight: int = Field(ge=1)


class Cap(Part):
    """A ceiling on a clip's score when every condition of ``when`` is the clip's fact, in some
    scenes or in all.
    """

    key: Key
    label: Text
    ceiling: int = Field(ge=0, lt=100)
    when: tuple[When, ...] = Field(min_length=1)
    scenes: tuple[Key, ...] | None = None


class Scoring(Part):
    """Which questions make the score, and how configurations are ordered.

    Either ``gates`` with the ``points`` they earn, or ``dimensions`` with their weights and perhaps
    ``caps``. Neither where metrics stand side by side and nothing is ranked.
    """

    gates: tuple[Key, ...] = ()
    points: tuple[PointRule, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    caps: tuple[Cap, ...] = ()
    rank_by: tuple[Literal["factual_score", "scenes_all_right", "fartscore"], ...] = ()
    ranking: Literal["standard_competition"]

    @property
    def is_weighted(self) -> bool:
        """Say whether the score is a weighted mean of dimensions, out of 100."""
        return bool(self.dimensions)

    @property
    def score_label(self) -> str:
        """What the score is called on pages."""
        return {"factual_score": "Factual Score", "fartscore": "FARTScore"}.get(
            next(iter(self.rank_by), ""), "Scenes all right"
        )

    @property
    def is_empty(self) -> bool:
        """Say whether there is no score at all."""
        return not (self.gates or self.dimensions)

    @model_validator(mode="after")
    def _one_way_of_scoring(self) -> Self:
        if self.is_empty and not (self.points or self.caps or self.rank_by):
            return self
        if not self.rank_by:
            raise ValueError("a score ranks by something: rank_by is empty")
        if bool(self.gates) == self.is_weighted:
            raise ValueError("a score is made of gates or of dimensions: state one of them")
        if self.is_weighted and (self.points or self.rank_by != ("fartscore",)):
            raise ValueError("dimensions earn no points and are ranked by fartscore alone")
        if not self.is_weighted and (self.caps or not self.points or "fartscore" in self.rank_by):
            raise ValueError("gates need points, have no caps and are not ranked by fartscore")
        return self


class Metric(Part):
    """A figure beside the score. No metric can enter it: nothing here has a weight.

    ``question`` is the answer that ``median``, ``mean`` and ``events_per_dollar`` read.
    """

    key: Key
    label: Text
    short: Text
    kind: Literal[
        "compliance_rate", "median", "mean", "events_per_dollar", "score_per_cost", "deferred"
    ]
    definition: Text
    question: Key | None = None

    @model_validator(mode="after")
    def _what_reads_an_answer_names_it(self) -> Self:
        reads = self.kind in {"median", "mean", "events_per_dollar"}
        if reads != (self.question is not None):
            raise ValueError(
                f"a metric of kind {self.kind} {'needs a' if reads else 'has no'} question"
            )
        return self


class SmokePoint(Part):
    """One of the points that a smoke test is to settle, and how its evidence is found."""

    key: Literal[
        "prompt_clarity",
        "timing_feasibility",
        "source_identifiability",
        "rater_agreement",
        "provenance_completeness",
        "safety_conflicts",
    ]
    label: Text
    questions: tuple[Key, ...] = ()


class Smoke(Part):
    """A small round before the large one: its size, the points it settles, and when a scale is
    flagged.

    ``redundant_above`` is a correlation between two scales, ``agreement_below`` an alpha, ``share``
    the part of clips on which reviewers must be able to settle a point's questions.
    """

    scene: Key
    configurations: int = Field(ge=1)
    replicates: int = Field(ge=1)
    points: tuple[SmokePoint, ...] = Field(min_length=1)
    redundant_above: float = Field(gt=0, lt=1)
    agreement_below: float = Field(gt=0, lt=1)
    share: float = Field(gt=0, le=1)
