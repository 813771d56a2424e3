"""The reports of a release as tables for people, in the words of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.numbers import number_text
from fartbench.protocol import Protocol, Scene
from scoring.report_classes.base import Everywhere
from scoring.report_classes.people import (
    AgreementReport,
    AnswersGiven,
    CoverageReport,
    FactualReport,
    GateCounts,
    GateReport,
    NotScored,
    RatingCounts,
    RatingsReport,
)
from web.pages.figures import Figure, figure

NA_LABEL = "N/A"
_WAYS = {"na": NA_LABEL, "split": "Split"}
EVERYWHERE = "All scenes"

Document = Mapping[str, Any]
Counts = tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class GateLine:
    """How many clips passed a gate somewhere, and the ways the others did not."""

    label: str
    share: Figure
    passed: int
    ways: Counts
    incomplete: int


def gate_line(label: str, counts: GateCounts, protocol: Protocol) -> GateLine:
    """Return the counts of a gate as a line."""
    labels = {
        option.value: option.label
        for question in protocol.questions
        for option in protocol.options(question)
        if question.key in protocol.scoring.gates
    } | _WAYS
    return GateLine(
        label=label,
        share=figure(counts.share, percent=True),
        passed=counts.passed,
        ways=tuple((labels.get(way, way), count) for way, count in counts.not_passed.items()),
        incomplete=counts.incomplete,
    )


@dataclass(frozen=True, slots=True)
class SceneFacts:
    """Every gate of one scene, and the clips with all of them right."""

    scene: Scene
    gates: tuple[GateLine, ...]
    all_gates: GateLine


def scene_facts(key: str, report: FactualReport, protocol: Protocol) -> SceneFacts:
    """Return one scene's part of the report on factual success."""
    part = report.by_scene[key]
    return SceneFacts(
        scene=protocol.scene(key),
        gates=tuple(
            gate_line(protocol.question(gate).label, counts, protocol)
            for gate, counts in part.gates.items()
        ),
        all_gates=gate_line("Every one of them", part.all_gates, protocol),
    )


def lines_by_scene(report: GateReport, protocol: Protocol) -> list[GateLine]:
    """Return a report on one gate: over all scenes, then in each."""
    lines = [gate_line(EVERYWHERE, report.overall, protocol)]
    for scene, counts in report.by_scene.items():
        lines.append(gate_line(protocol.scene(scene).title, counts, protocol))
    return lines


@dataclass(frozen=True, slots=True)
class RatingLine:
    """What the ratings of one scale say somewhere. ``counts`` go from the lowest rating up."""

    label: str
    mean: Figure
    median: str
    spread: str
    counts: Counts
    na: Counts
    na_total: int


def rating_line(label: str, ratings: RatingCounts, protocol: Protocol) -> RatingLine:
    """Return the ratings of a scale as a line; N/A is counted by reason and is not a rating."""
    reasons = ratings.na.by_reason.items()
    return RatingLine(
        label=label,
        mean=figure(ratings.mean),
        median=_number(ratings.median),
        spread=_number(ratings.sd, digits=2),
        counts=tuple(ratings.counts.items()),
        na=tuple((protocol.na_reasons[reason], count) for reason, count in reasons if count),
        na_total=ratings.na.n,
    )


def _number(value: float | None, digits: int | None = None) -> str:
    if value is None:
        return "–"
    return number_text(value, "g" if digits is None else f".{digits}f")


@dataclass(frozen=True, slots=True)
class Scale:
    """A scale of the form with its lines: over all scenes, then in each."""

    label: str
    options: Counts | tuple[tuple[str, str], ...]
    lines: tuple[RatingLine, ...]


def scales(report: RatingsReport, protocol: Protocol) -> list[Scale]:
    """Return the report on the ratings."""
    return [_scale(key, ratings, protocol) for key, ratings in report.questions.items()]


def _scale(key: str, ratings: Everywhere[RatingCounts], protocol: Protocol) -> Scale:
    question = protocol.question(key)
    lines = [rating_line(EVERYWHERE, ratings.overall, protocol)]
    for scene, part in ratings.by_scene.items():
        lines.append(rating_line(protocol.scene(scene).title, part, protocol))
    options = tuple((option.value, option.label) for option in protocol.options(question))
    return Scale(question.label, options, tuple(lines))


@dataclass(frozen=True, slots=True)
class AgreementLine:
    """How the cohort agreed on one question somewhere, with the answers in words."""

    label: str
    given: AnswersGiven
    answers: Counts

    @property
    def patterns(self) -> Counts:
        """The patterns of votes, the most frequent first."""
        return tuple(sorted(self.given.patterns.items(), key=lambda item: -item[1]))


@dataclass(frozen=True, slots=True)
class QuestionAgreement:
    """A question with its agreement over all scenes, and in each."""

    overall: AgreementLine
    by_scene: tuple[AgreementLine, ...]


def agreement_lines(report: AgreementReport, protocol: Protocol) -> list[QuestionAgreement]:
    """Return the report on reviewer agreement."""
    lines = []
    for key, agreement in report.questions.items():
        question = protocol.question(key)
        labels = {option.value: option.label for option in protocol.options(question)}
        labels["na"] = NA_LABEL
        by_scene = [
            _agreement_line(protocol.scene(scene).title, given, labels)
            for scene, given in agreement.by_scene.items()
        ]
        overall = _agreement_line(question.label, agreement.overall, labels)
        lines.append(QuestionAgreement(overall, tuple(by_scene)))
    return lines


def _agreement_line(label: str, given: AnswersGiven, labels: Mapping[str, str]) -> AgreementLine:
    answers = tuple((labels[value], count) for value, count in given.answers.items())
    return AgreementLine(label, given, answers)


@dataclass(frozen=True, slots=True)
class Coverage:
    """What was delivered and what was not.

    ``lines`` hold for all scenes and for each its label, cells, and count of each outcome.
    ``missing`` holds each cell that is not scored: who, where, what, why.
    """

    outcomes: tuple[str, ...]
    lines: tuple[tuple[str, int, tuple[int, ...]], ...]
    reasons: tuple[tuple[str, str, int], ...]
    missing: tuple[tuple[str, str, str, str], ...]


def coverage(report: CoverageReport, protocol: Protocol) -> Coverage:
    """Return the report on coverage."""
    keys = sorted(report.overall.outcomes, key=lambda outcome: (outcome != "delivered", outcome))
    parts = [(f"All {protocol.words.scene}s", report.overall)]
    parts += [(protocol.scene(key).title, part) for key, part in report.by_scene.items()]
    reasons = []
    for outcome, counts in report.reasons.items():
        reasons += [(in_words(outcome), reason, count) for reason, count in counts.items()]
    return Coverage(
        outcomes=tuple(map(in_words, keys)),
        lines=tuple(
            (label, part.cells, tuple(part.outcomes.get(key, 0) for key in keys))
            for label, part in parts
        ),
        reasons=tuple(reasons),
        missing=tuple(_missing(cell, protocol) for cell in report.not_scored),
    )


def _missing(cell: NotScored, protocol: Protocol) -> tuple[str, str, str, str]:
    place = protocol.scene(cell.scene).title
    if cell.replicate > 1:
        place = f"{place} ({cell.replicate})"
    return cell.configuration, place, in_words(cell.outcome), cell.reason


def in_words(outcome: str) -> str:
    """Write an outcome for people."""
    return outcome.replace("_", " ").capitalize()
