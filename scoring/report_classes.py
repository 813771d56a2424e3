"""The reports of a round as classes, each written once. No Django here.

`scoring.reports` makes them, `Report.document` writes their JSON, and `Report.model_validate`
reads it back and refuses what no class knows. Fields stand in the order of the JSON. A field with
a default is missing where it says nothing, or in releases of an older format.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, Self, TypeVar

from pydantic import Field

from fartbench.protocol.judges import Share
from fartbench.protocol.parts import Part

PartT = TypeVar("PartT", bound=Part)


class Report(Part):
    """What every report has: its label in the protocol, which is written above it."""

    label: str = ""

    def document(self) -> dict[str, Any]:
        """Return the report as JSON, with the fields that it was made from."""
        return self.model_dump(exclude_unset=True)


class ReportedEstimate(Part):
    """An estimate as reports write it: numbers have ten digits; what is undefined has no value and
    a note that says why (`scoring.reports.shape`).
    """

    value: float | None
    low: float | None
    high: float | None
    n: int
    method: str
    note: str

    @classmethod
    def of_document(cls, document: Mapping[str, Any]) -> Self:
        """Read the JSON of an estimate, which may have more beside it."""
        return cls.model_validate({name: document[name] for name in cls.model_fields})


class Everywhere(Part, Generic[PartT]):
    """The same figures over all cells, in each scene, and of each configuration."""

    overall: PartT
    by_scene: dict[str, PartT]
    by_configuration: dict[str, PartT] = Field(default_factory=dict)


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


class EloLine(Part):
    """The strength of a configuration, and how its clips fared."""

    configuration: str
    elo: ReportedEstimate
    won: int
    lost: int
    tied: int
    both_bad: int


class EloTable(Part):
    """Configurations on one scale, strongest first."""

    battles: int
    regularised: bool
    configurations: list[EloLine]


class Meeting(Part):
    """How the row fared against the column; shares count a tie as half a win, ``expected`` is what
    the strengths predict.
    """

    won: int
    lost: int
    tied: int
    both_bad: int
    n: int
    share: float
    expected: float

    @property
    def ties(self) -> int:
        """Ties of both kinds."""
        return self.tied + self.both_bad


class PairQuestion(Part):
    """One question about pairs. ``matrix`` is by row and column; two that never met are not in
    it.
    """

    label: str
    wording: str
    votes: int
    pairs: int
    reviewers: int
    tie_rate: ReportedEstimate
    both_bad_rate: ReportedEstimate | None
    left_rate: ReportedEstimate
    groups: list[EloTable]
    not_compared: list[str]
    matrix: dict[str, dict[str, Meeting]]

    def rows(self) -> list[tuple[str, list[Meeting | None]]]:
        """Return the matrix with a cell for every two configurations, None where they never met."""
        return [
            (row, [against.get(column) for column in self.matrix])
            for row, against in self.matrix.items()
        ]


class PreferenceReport(Report):
    """What blind pairs say, by question."""

    questions: dict[str, PairQuestion]


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


class Commonest(Part):
    """The commonest answer of people, and its share: what always giving it would reach."""

    answer: str
    share: ReportedEstimate


class LeftOut(Part):
    """Clips that a comparison leaves out, by reason."""

    split: int
    na: int
    incomplete: int
    not_asked: int


class JudgedFact(Part):
    """How a judge agreed with people on one gate somewhere.

    ``confusion`` has a row for each answer of people. ``met`` is null without a verdict.
    """

    n: int
    agreed: int
    share: ReportedEstimate
    verdict: str
    met: bool | None
    commonest: Commonest
    confusion: dict[str, dict[str, int]]
    left_out: LeftOut
    human_ceiling: ReportedEstimate


class Leniency(Part):
    """How often a judge says Yes where people agree on No."""

    overall: ReportedEstimate
    by_scene: dict[str, ReportedEstimate]


class JudgedGate(Part):
    """A gate with its threshold; leniency is known of the primary question only."""

    primary: bool
    threshold: Share
    overall: JudgedFact
    by_scene: dict[str, JudgedFact]
    leniency: Leniency | None = None


class BestConstant(Part):
    """The constant rating with the least error. Releases of formats 1 and 2 have no intervals."""

    rating: float | None
    mae: ReportedEstimate | float | None
    skill: ReportedEstimate | float | None


class Discrimination(Part):
    """Whether a judge's ratings tell clips apart: within-scene Somers' D."""

    d: ReportedEstimate
    ordered_rightly: ReportedEstimate
    pairs: int
    configurations: int
    demonstrated: bool
    not_estimable: str


class JudgedScale(Part):
    """How near a judge's ratings on one scale are to people's."""

    n: int
    clips: int
    missing: int
    not_asked: int
    mae: ReportedEstimate
    best_constant: BestConstant
    criterion: str
    discrimination: Discrimination
    reads: str


class JudgeRun(Part):
    """Who a judge is and how its requests ended; ``runs`` and ``errors`` are counts."""

    judge: str
    variant: str
    label: str
    service: str
    model: str
    digest: str
    frozen_at: str
    frozen_before_close: bool
    runs: dict[str, int]
    errors: dict[str, int]
    cost_usd: str


class Calibrated(JudgeRun):
    """A judge with its calibration, by question."""

    facts: dict[str, JudgedGate]
    ratings: dict[str, JudgedScale]


class Sensitivity(Part):
    """How often the answer to a question stayed the same, and how far ratings moved."""

    kept: ReportedEstimate
    moved: ReportedEstimate | None = None


class SensitivityRun(JudgeRun):
    """A run in which something was taken away from a judge, by question."""

    questions: dict[str, Sensitivity]


class JudgeReport(Report):
    """How AI judges compare with people."""

    judges: list[Calibrated]
    sensitivity: list[SensitivityRun] = Field(default_factory=list)
    note: str
