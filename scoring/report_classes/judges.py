"""How AI judges compare with people. No Django here."""

from __future__ import annotations

from pydantic import Field

from fartbench.protocol.judges import Share
from fartbench.protocol.parts import Part
from scoring.report_classes.base import Report, ReportedEstimate


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
