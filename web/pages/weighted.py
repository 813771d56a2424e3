"""A release whose score is weighted, in the words of its protocol: tests, ceilings, failure codes
and metrics.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from scoring.report_classes.weighted import (
    CappedClip,
    FailureCodesReport,
    ObservationsReport,
    SceneScoresReport,
    SmokeReport,
    SmokeVerdict,
)
from web.pages.figures import Figure, figure, stored_figure

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A configuration's score in each scene."""

    configuration: str
    figures: tuple[Figure, ...]


def score_rows(parts: Mapping[str, Document]) -> list[ScoreRow]:
    """Return the scores per scene, from each configuration's part of the report."""
    return [
        ScoreRow(name, tuple(figure(document, digits=1) for document in by_scene.values()))
        for name, by_scene in parts.items()
    ]


def capped_clips(report: SceneScoresReport, protocol: Protocol) -> list[tuple[str, CappedClip]]:
    """Return every clip under a ceiling, each after the title of its scene."""
    return [(protocol.scene(clip.scene).title, clip) for clip in report.capped]


@dataclass(frozen=True, slots=True)
class CodeRow:
    """On how many clips a failure code holds: over all, and for each configuration."""

    label: str
    words: str
    share: Figure
    held: tuple[str, ...]


def code_rows(
    report: FailureCodesReport, parts: Mapping[str, Document], protocol: Protocol
) -> list[CodeRow]:
    """Return the failure codes; ``parts`` are the configurations' parts of the report, in the order
    of the columns.
    """
    return [
        CodeRow(
            protocol.question(key).label,
            protocol.question(key).wording,
            figure(code.overall.share, percent=True),
            tuple(f"{part[key]['held']} of {part[key]['n']}" for part in parts.values()),
        )
        for key, code in report.questions.items()
    ]


@dataclass(frozen=True, slots=True)
class ObservationRow:
    """What was found of one observation over the whole round."""

    label: str
    n: int
    outcomes: str


def observation_rows(report: ObservationsReport, protocol: Protocol) -> list[ObservationRow]:
    """Return the observations with how often each outcome was found."""
    rows = []
    for key, observation in report.questions.items():
        labels = {option.value: option.label for option in protocol.options(protocol.question(key))}
        labels |= {"na": "N/A", "split": "Split"}
        outcomes = observation.overall.outcomes.items()
        words = ", ".join(f"{count} {labels.get(outcome, outcome)}" for outcome, count in outcomes)
        rows.append(ObservationRow(protocol.question(key).label, observation.overall.n, words))
    return rows


@dataclass(frozen=True, slots=True)
class MetricRow:
    """A metric with its figure over the round and for each configuration, or the lines of its
    families.
    """

    short: str
    label: str
    definition: str
    overall: Figure | None
    figures: tuple[Figure, ...]
    families: tuple[tuple[str, Figure], ...]


def metric_rows(report: Document, parts: Mapping[str, Document]) -> Iterator[MetricRow]:
    """Yield the metrics; ``parts`` are the configurations' parts of the report, in the order of the
    columns.
    """
    for key, found in report["metrics"].items():
        percent = found["kind"] == "compliance_rate"
        families = tuple(
            (f"{line['family']}: {line['from']} to {line['to']}", figure(line["points_per_dollar"]))
            for line in found.get("families", ())
        )
        yield MetricRow(
            short=found["short"],
            label=found["label"],
            definition=found["definition"],
            overall=figure(found["overall"], percent=percent) if "overall" in found else None,
            figures=tuple(
                figure(part[key], percent=percent) for part in parts.values() if key in part
            ),
            families=families,
        )


@dataclass(frozen=True, slots=True)
class SmokeLines:
    """What the smoke test settles, in words."""

    points: list[SmokeVerdict]
    redundant: tuple[tuple[str, str, Figure], ...]
    revise: tuple[tuple[str, Figure], ...]


def smoke_lines(report: SmokeReport, protocol: Protocol) -> SmokeLines:
    """Return the report of the smoke test with the questions' labels."""
    label = {question.key: question.label for question in protocol.questions}
    return SmokeLines(
        points=report.points,
        redundant=tuple(
            (label[one], label[other], stored_figure(pair.interval or pair.correlation))
            for pair in sorted(report.redundant, key=lambda pair: -pair.correlation)
            for one, other in [pair.questions]
        ),
        revise=tuple((label[one.question], figure(one.alpha)) for one in report.revise),
    )
