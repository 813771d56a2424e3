"""What a weighted score reports beside the ratings. No Django here."""

from __future__ import annotations

from pydantic import Field

from fartbench.protocol.parts import Part
from scoring.report_classes.base import Everywhere, Report, ReportedEstimate


class CodeCounts(Part):
    """On how many of ``n`` scored clips a failure code holds."""

    held: int
    n: int
    share: ReportedEstimate


class FailureCodesReport(Report):
    """Every failure code, by question."""

    questions: dict[str, Everywhere[CodeCounts]]


class OutcomeCounts(Part):
    """How often each outcome of an observation was found on ``n`` scored clips."""

    n: int
    outcomes: dict[str, int]


class ObservationsReport(Report):
    """Every observation, by question."""

    questions: dict[str, Everywhere[OutcomeCounts]]


class CappedClip(Part):
    """A clip that a ceiling held down, with its score and what it would be without."""

    configuration: str
    scene: str
    replicate: int
    cap: str
    because: str
    score: float
    uncapped: float


class SceneScoresReport(Report):
    """The score of each configuration in each scene, and the clips under a ceiling."""

    by_configuration: dict[str, dict[str, ReportedEstimate]] = Field(default_factory=dict)
    capped: list[CappedClip]


class SmokeVerdict(Part):
    """One point of a smoke test."""

    key: str
    label: str
    verdict: str
    evidence: str


class RedundantScales(Part):
    """Two scales whose clip means correlate, over ``n`` clips; formats 1 and 2 have no interval."""

    questions: list[str]
    correlation: float
    n: int
    interval: ReportedEstimate | None = None


class ScaleToRevise(Part):
    """A scale on which reviewers agree too little."""

    question: str
    alpha: ReportedEstimate


class SmokeReport(Report):
    """What a smoke test settles; a protocol without one has no points and no counts."""

    reviewers: int = 0
    official_needs: int = 0
    is_smoke_test: bool = False
    points: list[SmokeVerdict]
    redundant: list[RedundantScales]
    revise: list[ScaleToRevise]
