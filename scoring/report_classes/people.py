"""What people answered about clips, and what was delivered to them. No Django here."""

from __future__ import annotations

from pydantic import Field

from fartbench.protocol.parts import Part
from scoring.report_classes.base import Everywhere, Report, ReportedEstimate


class GateCounts(Part):
    """How many scored clips passed a gate, and how many did not for each reason.

    ``incomplete`` clips are no part of ``n``. Over several gates at once only those that passed are
    counted.
    """

    passed: int
    n: int
    incomplete: int = 0
    not_passed: dict[str, int] = Field(default_factory=dict)
    share: ReportedEstimate


class GateReport(Report):
    """One gate of the whole round."""

    question: str
    overall: GateCounts
    by_scene: dict[str, GateCounts]
    by_configuration: dict[str, GateCounts] = Field(default_factory=dict)


class SceneGates(Part):
    """Every gate of one scene, and the clips that passed all of them."""

    gates: dict[str, GateCounts]
    all_gates: GateCounts


class FactualReport(Report):
    """The clips with every fact right."""

    all_gates: GateCounts
    by_scene: dict[str, SceneGates]
    by_configuration: dict[str, GateCounts] = Field(default_factory=dict)


class NotRated(Part):
    """How often N/A was given, by reason."""

    n: int
    by_reason: dict[str, int]


class RatingCounts(Part):
    """The ratings on one scale; ``n`` are ratings, and ``counts`` go from the lowest up."""

    n: int
    clips: int
    mean: ReportedEstimate
    median: float | None
    quartiles: list[float] | None
    sd: float | None
    counts: dict[str, int]
    na: NotRated


class RatingsReport(Report):
    """Every scale of the protocol."""

    questions: dict[str, Everywhere[RatingCounts]]


class AnswersGiven(Part):
    """How the cohort agreed on one question; ``patterns`` are votes per clip, such as ``3-1``."""

    clips: int
    answers: dict[str, int]
    unanimous: int
    majority: int
    split: int
    patterns: dict[str, int]
    level: str
    alpha: ReportedEstimate
    applicability_alpha: ReportedEstimate
    revise_wording: bool


class AgreementReport(Report):
    """How the cohort agreed, by question."""

    questions: dict[str, Everywhere[AnswersGiven]]


class Outcomes(Part):
    """How many cells there are, and how many of each outcome."""

    cells: int
    outcomes: dict[str, int]


class NotScored(Part):
    """A cell without a scored clip, and why."""

    configuration: str
    scene: str
    replicate: int
    outcome: str
    reason: str


class UnitCount(Part):
    """Windows of one kind: how many were shown, and how many were answered."""

    shown: int
    answered: int


class JudgeCount(Part):
    """Windows that a judge was asked about, and those it answered."""

    asked: int
    answered: int


class FormCount(Part):
    """Windows and sheets of one form; ``judges`` are in the order of the report."""

    shown: int
    sheets: int
    judges: list[JudgeCount]


class CoverageReport(Report):
    """What was delivered; of rollouts also what was answered."""

    overall: Outcomes
    by_scene: dict[str, Outcomes]
    by_configuration: dict[str, Outcomes] = Field(default_factory=dict)
    reasons: dict[str, dict[str, int]]
    not_scored: list[NotScored]
    units: dict[str, UnitCount] = Field(default_factory=dict)
    judges: list[str] = Field(default_factory=list)
    forms: dict[str, FormCount] = Field(default_factory=dict)
