"""The report on AI judges as tables for people, in the words of the protocol."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from judging.models import RunState, Variant
from web.pages.figures import Figure, figure, stored_figure
from web.pages.reports import EVERYWHERE, NA_LABEL, Counts, Document

VERDICTS = {
    "met_surely": ("Calibrated", "good", "met with 95% confidence"),
    "met": ("Calibrated", "good", "met; the interval includes values below the threshold"),
    "not_met": ("Not calibrated", "bad", "not met"),
    "too_few": ("No verdict", "", "too few clips"),
    "not_complete": ("No verdict", "", "not every clip was asked about"),
}
ERRORS = {
    "wrong_model": "another model answered",
    "timeout": "no answer in time",
    "transport": "not reached",
    "declined": "request declined",
    "lost": "lost with the worker that asked",
}
NO_ANSWER_LABEL = "No answer"


@dataclass(frozen=True, slots=True)
class FactLine:
    """How a judge agreed with people on one gate somewhere.

    ``confusion`` has a row for each answer of people.
    """

    label: str
    verdict: str
    tone: str
    why: str
    share: Figure
    commonest: str
    commonest_share: Figure
    ceiling: Figure
    left_out: Counts
    columns: tuple[str, ...]
    confusion: tuple[tuple[str, tuple[int, ...]], ...]
    leniency: Figure | None


@dataclass(frozen=True, slots=True)
class FactLines:
    """A gate with its threshold: over all scenes, and in each."""

    label: str
    is_primary: bool
    threshold: str
    overall: FactLine
    by_scene: tuple[FactLine, ...]


@dataclass(frozen=True, slots=True)
class RatingLine:
    """How near a judge's ratings on one scale are, and whether it tells clips apart."""

    label: str
    reads: str
    mae: Figure
    constant: Figure
    constant_rating: str
    skill: Figure
    ordered: Figure
    pairs: int
    missing: int
    clips: int


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """A judge with its calibration; ``ends`` and ``errors`` count its runs."""

    label: str
    name: str
    model: str
    digest: str
    frozen_at: str
    frozen_before_close: bool
    ends: Counts
    errors: Counts
    cost: str
    facts: tuple[FactLines, ...]
    ratings: tuple[RatingLine, ...]


@dataclass(frozen=True, slots=True)
class SensitivityLine:
    """How often one judge gave the same answer to a question when something was taken away, and how
    ratings moved.
    """

    label: str
    kept: Figure
    moved: Figure | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """A sensitivity run of a judge."""

    judge: str
    variant: str
    ends: Counts
    lines: tuple[SensitivityLine, ...]


def judge_results(report: Document, protocol: Protocol) -> list[JudgeResult]:
    """Return every calibrated judge of a release's report."""
    return [_judge(found, protocol) for found in report["judges"]]


def sensitivity_runs(report: Document, protocol: Protocol) -> list[Sensitivity]:
    """Return the sensitivity runs of a release's report."""
    return [
        Sensitivity(
            judge=found["label"],
            variant=Variant(found["variant"]).label,
            ends=_ends(found["runs"]),
            lines=tuple(
                SensitivityLine(
                    protocol.question(key).label,
                    figure(part["kept"], percent=True),
                    figure(part["moved"]) if "moved" in part else None,
                )
                for key, part in found["questions"].items()
            ),
        )
        for found in report.get("sensitivity", ())
    ]


def _judge(found: Document, protocol: Protocol) -> JudgeResult:
    return JudgeResult(
        label=found["label"],
        name=found["judge"],
        model=found["model"],
        digest=found["digest"],
        frozen_at=found["frozen_at"][:16].replace("T", " "),
        frozen_before_close=found["frozen_before_close"],
        ends=_ends(found["runs"]),
        errors=tuple((ERRORS.get(code, code), count) for code, count in found["errors"].items()),
        cost=found["cost_usd"],
        facts=tuple(_facts(key, part, protocol) for key, part in found["facts"].items()),
        ratings=tuple(
            _rating(protocol.question(key).label, part) for key, part in found["ratings"].items()
        ),
    )


def _ends(runs: Mapping[str, int]) -> Counts:
    return tuple((RunState(state).label.lower(), count) for state, count in runs.items())


def _facts(key: str, found: Document, protocol: Protocol) -> FactLines:
    leniency = found.get("leniency")

    def line(label: str, part: Document, lenient: Any) -> FactLine:
        return _fact(
            label,
            part,
            lenient,
            {o.value: o.label for o in protocol.options(protocol.question(key))},
        )

    return FactLines(
        label=protocol.question(key).label,
        is_primary=found["primary"],
        threshold=threshold_in_words(found["threshold"]),
        overall=line(EVERYWHERE, found["overall"], leniency and leniency["overall"]),
        by_scene=tuple(
            line(protocol.scene(scene).title, part, leniency and leniency["by_scene"][scene])
            for scene, part in found["by_scene"].items()
        ),
    )


def threshold_in_words(share: Document) -> str:
    """Return a threshold as per cent."""
    return f"{100 * share['part'] / share['of']:g}%"


def _fact(label: str, part: Document, leniency: Any, labels: Mapping[str, str]) -> FactLine:
    verdict, tone, why = VERDICTS[part["verdict"]]
    words = {**labels, "na": NA_LABEL, "none": NO_ANSWER_LABEL}
    commonest = part["commonest"]
    if part["met"] and part["share"]["value"] <= commonest["share"]["value"]:
        # It reaches the threshold and shows nothing by that: no colour of success.
        tone, why = "warn", f"{why}; no better than always saying {words[commonest['answer']]}"
    return FactLine(
        label=label,
        verdict=verdict,
        tone=tone,
        why=why,
        share=figure(part["share"], percent=True),
        commonest=words.get(commonest["answer"], ""),
        commonest_share=figure(commonest["share"], percent=True),
        ceiling=figure(part["human_ceiling"], percent=True),
        left_out=tuple(_left_out(part["left_out"])),
        columns=tuple(words[column] for column in next(iter(part["confusion"].values()))),
        confusion=tuple(
            (words[human], tuple(row.values())) for human, row in part["confusion"].items()
        ),
        leniency=figure(leniency, percent=True) if leniency else None,
    )


def _left_out(counts: Mapping[str, int]) -> Iterator[tuple[str, int]]:
    labels = {
        "split": "split",
        "na": NA_LABEL,
        "incomplete": "incomplete",
        "not_asked": "not asked",
    }
    return ((labels[key], count) for key, count in counts.items() if count)


def _rating(label: str, part: Document) -> RatingLine:
    best = part["best_constant"]
    return RatingLine(
        label=label,
        reads=part["reads"],
        mae=figure(part["mae"]),
        constant=stored_figure(best["mae"]),
        constant_rating="" if best["rating"] is None else f"{best['rating']:g}",
        skill=stored_figure(best["skill"]),
        ordered=figure(part["discrimination"]["ordered_rightly"], percent=True),
        pairs=part["discrimination"]["pairs"],
        missing=part["missing"],
        clips=part["clips"],
    )
