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


def initial_values(
    table: MetricTable, code: str, evidence: Sequence[Evidence]
) -> list[float | None]:
    """Return Initial VIF or AIF of each case: the first prompt's checklist over the first
    interval.
    """
    questions = table.questions(table.metric(code))
    return [
        mean(of_questions(form.answers, questions) for form in one.forms if form.kind == "initial")
        for one in evidence
    ]


def capped_values(
    table: MetricTable, code: str, evidence: Sequence[Evidence]
) -> list[float | None]:
    """Return SA-PVRL or SA-PARL of each case: the latency with 30 s for updates whose target was
    never reached.
    """
    metric = table.metric(code)

    def latency(form: Form) -> float | None:
        return capped_latency(form.answers, metric.questions)

    return [mean(_by_unit(one.forms, metric.unit, latency)) for one in evidence]


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


@dataclass(frozen=True, slots=True)
class DependentUpdates:
    """The dependent updates of one case: for each whether its source came about, and how history
    was followed where it did.
    """

    established: tuple[float, ...]
    following: tuple[float, ...]


def dependent_updates(
    metric: Metric, evidence: Sequence[Evidence], scenarios: Mapping[str, Scenario], kind: str
) -> list[DependentUpdates]:
    """Return the dependent updates of one kind (adjacent or long_range) of each case that has some.

    ``scenarios`` are those of the cases; ``metric`` is the one that reads whether history was
    followed.
    """
    by = metric.established_by or ""

    def came_about(form: Form) -> float:
        return float(bool(form.answers.get(by)))

    def followed(form: Form) -> float | None:
        return if_established(form.answers, metric.questions, by)

    found = []
    for one in evidence:
        scenario = scenarios[one.case]
        forms = [
            form
            for form in one.forms
            if form.kind == metric.unit and scenario.update(form.place).dependency == kind
        ]
        rates = [rate for rate in _by_unit(forms, metric.unit, came_about) if rate is not None]
        levels = [level for level in _by_unit(forms, metric.unit, followed) if level is not None]
        if rates:
            found.append(DependentUpdates(tuple(rates), tuple(levels)))
    return found


def dependency(kind: str, cases: Sequence[DependentUpdates]) -> Dependency | None:
    """Return how dependent updates went over these cases; None when none was answered."""
    rates = [rate for case in cases for rate in case.established]
    established = mean(rates)
    if established is None:
        return None
    following = mean(level for case in cases for level in case.following)
    adjusted = established * (following - 1) / 4 if following is not None else 0.0
    return Dependency(kind, len(rates), established, following, adjusted)
