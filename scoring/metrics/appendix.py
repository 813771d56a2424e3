"""Diagnostics beside the 32 metrics (arXiv:2608.26336v1, §D.1-D.4). No Django here."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from fartbench.protocol.rollouts.schema import Scenario
from scoring.metrics.cases import Evidence
from scoring.metrics.recipes import Form, capped_latency, if_established, mean, of_questions


@dataclass(frozen=True, slots=True)
class Dependency:
    """How one kind of dependency went: how often its source came about, how history was followed
    then, and both joined.

    ``following`` is on 1..5 over updates whose source came about. ``adjusted`` is the establishment
    rate times ``(following - 1) / 4``, and 0 when no source came about; that normalisation is ours,
    the paper states none.
    """

    kind: str
    updates: int
    established: float
    following: float | None
    adjusted: float


def initial_alignment(table: MetricTable, code: str, evidence: Sequence[Evidence]) -> float | None:
    """Return Initial VIF or AIF: the first prompt's checklist over the first interval, by case,
    then over cases.
    """
    questions = table.questions(table.metric(code))
    return mean(
        mean(of_questions(form.answers, questions) for form in one.forms if form.kind == "initial")
        for one in evidence
    )


def capped(table: MetricTable, code: str, evidence: Sequence[Evidence]) -> float | None:
    """Return SA-PVRL or SA-PARL: the latency with 30 s for updates whose target was never
    reached.
    """
    metric = table.metric(code)
    return mean(
        mean(
            _by_unit(
                one.forms, metric.unit, lambda form: capped_latency(form.answers, metric.questions)
            )
        )
        for one in evidence
    )


def _by_unit(
    forms: Iterable[Form], kind: str, value: Callable[[Form], float | None]
) -> Iterator[float | None]:
    """Yield a value for each unit of a kind: the mean over those who answered, so that none counts
    for more.
    """
    found: dict[tuple[str, str], list[float | None]] = {}
    for form in forms:
        if form.kind == kind:
            found.setdefault((form.case, form.place), []).append(value(form))
    yield from (mean(values) for values in found.values())


def dependencies(
    metric: Metric, evidence: Sequence[Evidence], scenarios: Mapping[str, Scenario], kind: str
) -> Dependency | None:
    """Return how the dependent updates of one kind (adjacent or long_range) went; None when none
    was answered.

    ``scenarios`` are those of the cases; ``metric`` is the one that reads whether history was
    followed.
    """
    forms = [
        form
        for one in evidence
        for form in one.forms
        if form.kind == metric.unit and scenarios[one.case].update(form.place).dependency == kind
    ]
    by = metric.established_by or ""
    rates = list(_by_unit(forms, metric.unit, lambda form: float(bool(form.answers.get(by)))))
    established = mean(rates)
    if established is None:
        return None
    following = mean(
        _by_unit(
            forms, metric.unit, lambda form: if_established(form.answers, metric.questions, by)
        )
    )
    adjusted = established * (following - 1) / 4 if following is not None else 0.0
    return Dependency(kind, len(rates), established, following, adjusted)
