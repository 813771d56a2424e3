"""The report on AI judges as tables for people, in the words of the protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fartbench.protocol import Protocol
from judging.models import RunState, Variant
from scoring.report_classes.base import ReportedEstimate
from scoring.report_classes.judges import (
    Calibrated,
    JudgedFact,
    JudgedGate,
    JudgedScale,
    JudgeReport,
    Sensitivity,
    SensitivityRun,
)
from web.pages.reports import EVERYWHERE, NA_LABEL, Counts

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
LEFT_OUT = {
    "split": "split",
    "na": NA_LABEL,
    "incomplete": "incomplete",
    "not_asked": "not asked",
}
NO_ANSWER_LABEL = "No answer"


@dataclass(frozen=True, slots=True)
class FactLine:
    """How a judge agreed with people on one gate somewhere, with the verdict in words.

    ``confusion`` has a row for each answer of people.
    """

    label: str
    fact: JudgedFact
    verdict: str
    tone: str
    why: str
    commonest: str
    left_out: Counts
    columns: tuple[str, ...]
    confusion: tuple[tuple[str, tuple[int, ...]], ...]
    leniency: ReportedEstimate | None


@dataclass(frozen=True, slots=True)
class FactLines:
    """A gate with its threshold: over all scenes, and in each."""

    label: str
    gate: JudgedGate
    overall: FactLine
    by_scene: tuple[FactLine, ...]


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """A judge with its calibration; ``ends`` and ``errors`` count its runs. Ratings come with the
    label of their scale.
    """

    about: Calibrated
    frozen_at: str
    ends: Counts
    errors: Counts
    facts: tuple[FactLines, ...]
    ratings: tuple[tuple[str, JudgedScale], ...]


@dataclass(frozen=True, slots=True)
class SensitivityResult:
    """A sensitivity run of a judge: for each question its label and what stayed the same."""

    judge: str
    variant: str
    lines: tuple[tuple[str, Sensitivity], ...]


def judge_results(report: JudgeReport, protocol: Protocol) -> list[JudgeResult]:
    """Return every calibrated judge of a release's report."""
    return [_judge(judge, protocol) for judge in report.judges]


def sensitivity_runs(report: JudgeReport, protocol: Protocol) -> list[SensitivityResult]:
    """Return the sensitivity runs of a release's report."""
    return [_sensitivity(run, protocol) for run in report.sensitivity]


def _sensitivity(run: SensitivityRun, protocol: Protocol) -> SensitivityResult:
    lines = ((protocol.question(key).label, part) for key, part in run.questions.items())
    return SensitivityResult(run.label, Variant(run.variant).label, tuple(lines))


def _judge(judge: Calibrated, protocol: Protocol) -> JudgeResult:
    facts = (_facts(key, gate, protocol) for key, gate in judge.facts.items())
    ratings = ((protocol.question(key).label, scale) for key, scale in judge.ratings.items())
    return JudgeResult(
        about=judge,
        frozen_at=judge.frozen_at[:16].replace("T", " "),
        ends=tuple((RunState(state).label.lower(), count) for state, count in judge.runs.items()),
        errors=tuple((ERRORS.get(code, code), count) for code, count in judge.errors.items()),
        facts=tuple(facts),
        ratings=tuple(ratings),
    )


def _facts(key: str, gate: JudgedGate, protocol: Protocol) -> FactLines:
    question, leniency = protocol.question(key), gate.leniency
    words = {option.value: option.label for option in protocol.options(question)}
    words |= {"na": NA_LABEL, "none": NO_ANSWER_LABEL}
    by_scene = []
    for scene, fact in gate.by_scene.items():
        lenient = leniency.by_scene[scene] if leniency else None
        by_scene.append(_fact(protocol.scene(scene).title, fact, lenient, words))
    overall = _fact(EVERYWHERE, gate.overall, leniency.overall if leniency else None, words)
    return FactLines(question.label, gate, overall, tuple(by_scene))


def _fact(
    label: str, fact: JudgedFact, leniency: ReportedEstimate | None, words: Mapping[str, str]
) -> FactLine:
    verdict, tone, why = VERDICTS[fact.verdict]
    commonest = words.get(fact.commonest.answer, "")
    # A judge that reaches the threshold as a constant would shows nothing: no colour of success.
    if fact.met and (fact.share.value or 0) <= (fact.commonest.share.value or 0):
        tone, why = "warn", f"{why}; no better than always saying {commonest}"
    left_out = ((LEFT_OUT[way], count) for way, count in fact.left_out if count)
    return FactLine(
        label=label,
        fact=fact,
        verdict=verdict,
        tone=tone,
        why=why,
        commonest=commonest,
        left_out=tuple(left_out),
        columns=tuple(words[column] for column in next(iter(fact.confusion.values()))),
        confusion=tuple(
            (words[human], tuple(row.values())) for human, row in fact.confusion.items()
        ),
        leniency=leniency,
    )
