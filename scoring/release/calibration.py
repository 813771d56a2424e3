"""The calibration of AI judges as tables, from the report on them. No Django here.

Empty cells are unknown or undefined. Confusion tables, and why something is undefined, are in
``reports.json``.
"""

from __future__ import annotations

from collections.abc import Iterator

from scoring.records import RoundRecord
from scoring.release.rows import Cell, RowOfCells, every_row
from scoring.report_classes.base import ReportedEstimate
from scoring.report_classes.judges import JudgedFact, JudgedGate, JudgeReport


def judge_fact_rows(record: RoundRecord, report: JudgeReport) -> Iterator[RowOfCells]:
    """Yield a row per judge, factual question and scene; the scene is empty over all of them."""
    for judge in report.judges:
        for question, gate in judge.facts.items():
            where = (*every_row(record), judge.judge, question)
            lenient = gate.leniency.overall if gate.leniency else None
            yield (*where, "", *_fact(gate, gate.overall), *_limits(lenient), _n(lenient))
            for scene, part in gate.by_scene.items():
                lenient = gate.leniency.by_scene[scene] if gate.leniency else None
                yield (*where, scene, *_fact(gate, part), *_limits(lenient), _n(lenient))


def _fact(gate: JudgedGate, part: JudgedFact) -> RowOfCells:
    left_out = part.left_out
    return (
        part.n,
        part.agreed,
        *_limits(part.share),
        f"{gate.threshold.part}/{gate.threshold.of}",
        part.verdict,
        part.commonest.answer,
        _cell(part.commonest.share.value),
        *_limits(part.human_ceiling),
        part.human_ceiling.n,
        left_out.split,
        left_out.na,
        left_out.incomplete,
        left_out.not_asked,
    )


def judge_rating_rows(record: RoundRecord, report: JudgeReport) -> Iterator[RowOfCells]:
    """Yield a row per judge and scale."""
    for judge in report.judges:
        for question, scale in judge.ratings.items():
            ordering, best = scale.discrimination, scale.best_constant
            yield (
                *every_row(record),
                judge.judge,
                question,
                scale.n,
                scale.missing,
                scale.not_asked,
                *_limits(scale.mae),
                _cell(best.rating),
                *_limits(best.mae),
                *_limits(best.skill),
                *_limits(ordering.d),
                ordering.pairs,
                ordering.configurations,
                scale.reads,
            )


def _limits(estimate: ReportedEstimate | float | None) -> tuple[Cell, Cell, Cell]:
    """Return the value and both limits; a value of an old format has no limits."""
    if isinstance(estimate, ReportedEstimate):
        return _cell(estimate.value), _cell(estimate.low), _cell(estimate.high)
    return _cell(estimate), None, None


def _n(estimate: ReportedEstimate | None) -> Cell:
    return None if estimate is None else estimate.n


def _cell(value: float | None) -> Cell:
    return None if value is None else repr(value)
