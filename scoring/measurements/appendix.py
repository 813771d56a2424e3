"""Diagnostics beside the 32 metrics (arXiv:2608.26336v1, §D.1-D.4). No Django here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from fartbench.scenarios.metrics import Metric, MetricTable
from fartbench.scenarios.schema import Scenario
from scoring.measurements.cases import Evidence
from scoring.measurements.recipes import capped_latency, if_established, mean, of_questions


@dataclass(frozen=True, slots=True)
class Dependency:
    """How one kind of dependency went: how often its source came about, how history was followed then, and both joined.

    ``following`` is on 1..5 over updates whose source came about. ``adjusted`` is the establishment rate times
    ``(following - 1) / 4``, and 0 when no source came about; that normalisation is ours, the paper states none.
    """

    kind: str
    updates: int
    established: float
    following: float | None
    adjusted: float


def initial_alignment(table: MetricTable, code: str, evidence: Sequence[Evidence]) -> float | None:
    """Return Initial VIF or AIF: the first prompt's checklist over the first interval, by case, then over cases."""
    questions = table.questions(table.metric(code))
    return mean(
        mean(of_questions(form.answers, questions) for form in one.forms if form.kind == "initial") for one in evidence
    )


def capped(table: MetricTable, code: str, evidence: Sequence[Evidence]) -> float | None:
    """Return SA-PVRL or SA-PARL: the latency with 30 s for updates whose target was never reached."""
    metric = table.metric(code)
    return mean(
        mean(capped_latency(form.answers, metric.questions) for form in one.forms if form.kind == metric.unit)
        for one in evidence
    )


def dependencies(
    metric: Metric, evidence: Sequence[Evidence], scenarios: Mapping[str, Scenario], kind: str
) -> Dependency | None:
    """Return how the dependent updates of one kind (adjacent or long_range) went; None when none was answered.

    ``scenarios`` are those of the cases; ``metric`` is the one that reads whether history was followed.
    """
    forms = [
        form
        for one in evidence
        for form in one.forms
        if form.kind == metric.unit and scenarios[one.case].update(form.place).dependency == kind
    ]
    by = metric.established_by or ""
    established = mean(bool(form.answers.get(by)) for form in forms)
    if established is None:
        return None
    following = mean(if_established(form.answers, metric.questions, by) for form in forms)
    adjusted = established * (following - 1) / 4 if following is not None else 0.0
    return Dependency(kind, len(forms), established, following, adjusted)
