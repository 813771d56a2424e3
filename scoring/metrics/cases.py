"""From forms, signals and plug-ins to one value for each case: ratings, then units, then cases.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from measuring.continuity import Window, in_prefix, prompt_continuity
from measuring.measurement import Measurement, Status
from scoring.metrics.recipes import (
    ONE_FORM,
    Answer,
    Form,
    criteria_change,
    endpoint_change,
    if_established,
    mean,
    of_questions,
)

FIRST_LAST = ("first", "last")
NO_WEIGHTS = "no weights"
NO_WINDOW = "no boundary has a whole window inside the horizon"
INTERVAL_S = 30.0


@dataclass(frozen=True, slots=True)
class CaseValue:
    """A metric's value for one case, or why there is none.

    ``signed`` is the change with its direction, for drifts.
    """

    case: str
    value: float | None
    status: Status = "computed"
    reason: str = ""
    signed: float | None = None


@dataclass(frozen=True)
class Evidence:
    """Everything known about one rollout (a case of one system).

    ``forms`` are answers; ``measured`` holds measurements of the whole rollout by metric;
    ``intervals`` a plug-in's values by metric, one for each 30 s interval in order;
    ``prompt_signal`` the signal's part (1..5) of the visual continuity at each prompt. ``failure``
    is why there is no rollout at all; ``evaluator_failures`` says, by metric, why a judge or a tool
    brought nothing; ``unanswered`` are the kinds of units that were shown and that nobody answered.
    ``count`` is how many intervals are looked at, 0 for as many as something is known of.
    """

    case: str
    track: str
    forms: tuple[Form, ...] = ()
    measured: Mapping[str, Measurement] = field(default_factory=dict)
    intervals: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    prompt_signal: Mapping[str, float] = field(default_factory=dict)
    failure: str = ""
    evaluator_failures: Mapping[str, str] = field(default_factory=dict)
    unanswered: frozenset[str] = frozenset()
    count: int = 0

    def within(self, horizon_s: float, *, interval_s: float = INTERVAL_S) -> Evidence:
        """Return what is known of the first ``horizon_s`` seconds: of forms about a whole or its
        end, those of that horizon. Of what was measured of the whole, continuity is that of the
        prefix's own windows, and what could not be measured stays so; other values are left out.
        """
        count = int(horizon_s // interval_s)
        return replace(
            self,
            forms=tuple(form for form in self.forms if _belongs(form, horizon_s)),
            measured={
                code: part
                for code, one in self.measured.items()
                if (part := _of_prefix(one, horizon_s)) is not None
            },
            intervals={code: values[:count] for code, values in self.intervals.items()},
            count=count,
        )


def _belongs(form: Form, horizon_s: float) -> bool:
    """Say whether a form is about the first ``horizon_s`` seconds."""
    is_of_one_horizon = form.kind == "full" or (form.kind, form.place) == ("endpoint", "last")
    return form.end_s == horizon_s if is_of_one_horizon else form.end_s <= horizon_s


def _of_prefix(whole: Measurement, horizon_s: float) -> Measurement | None:
    """Return what a measurement of the whole says of the first ``horizon_s`` seconds: the mean of
    the windows in them.

    None where it says nothing of a part.
    """
    if whole.value is None:
        return whole
    windows = whole.evidence.get("windows")
    if windows is None:
        return None
    value = mean(
        window.score for window in in_prefix((Window(**one) for one in windows), horizon_s)
    )
    if value is None:
        return replace(whole, value=None, status="not_applicable", reason=NO_WINDOW, evidence={})
    return replace(whole, value=value)


def case_value(table: MetricTable, metric: Metric, evidence: Evidence) -> CaseValue:
    """Return a metric's value for one case.

    Raises CriteriaDiffer for endpoints that cannot be compared.
    """
    case = evidence.case
    if metric.track not in {"both", evidence.track}:
        return CaseValue(case, None, "not_applicable", f"the metric is of the {metric.track} track")
    if evidence.failure:
        return CaseValue(case, None, "generation_failure", evidence.failure)
    failures = evidence.evaluator_failures
    if failed := [
        failures[code] for code in (metric.code, metric.of or metric.code) if code in failures
    ]:
        return CaseValue(case, None, "evaluator_failure", failed[0])
    if metric.recipe == "endpoint_change":
        return _drift(table, metric, evidence)
    has_no_picture = (
        metric.computed == "mixed"
        and not evidence.prompt_signal
        and metric.code in evidence.measured
    )
    if metric.computed in {"signals", "plug_in"} or has_no_picture:
        return _measured(metric, evidence)
    return _answered(table, metric, evidence)


def _answered(table: MetricTable, metric: Metric, evidence: Evidence) -> CaseValue:
    forms = [form for form in evidence.forms if form.kind == metric.unit]
    if not forms and metric.unit in evidence.unanswered:
        return CaseValue(
            evidence.case,
            None,
            "unavailable",
            f"nobody answered about any {metric.unit} of this case",
        )
    if not forms:
        return CaseValue(
            evidence.case,
            None,
            "not_applicable",
            f"no {metric.unit} of this case was to be answered",
        )
    why = "every answer is N/A"
    if metric.recipe == "criteria_change":
        value, why = mean(_changes(table, metric, forms, evidence.case)), "nobody rated both ends"
    else:
        value = mean(unit_values(table, metric, forms, evidence.prompt_signal).values())
    if value is None:
        return CaseValue(evidence.case, None, "not_applicable", why)
    return CaseValue(evidence.case, value)


def unit_values(
    table: MetricTable, metric: Metric, forms: Iterable[Form], prompt_signal: Mapping[str, float]
) -> dict[str, float | None]:
    """Return a metric's value for each unit: the mean over those who answered. None is N/A."""
    questions = table.questions(metric)
    found: dict[str, list[float | None]] = {}
    for form in forms:
        found.setdefault(form.place, []).append(_form_value(metric, form, questions, prompt_signal))
    return {place: mean(values) for place, values in found.items()}


def interval_values(table: MetricTable, code: str, evidence: Evidence) -> list[float | None]:
    """Return a metric of quality for each 30 s interval in order, from a plug-in or from forms.

    An interval that nobody was asked about is None, so that the first and the last are what they
    are called.
    """
    metric = table.metric(code)
    if code in evidence.intervals:
        return list(evidence.intervals[code])
    found = unit_values(
        table, metric, (form for form in evidence.forms if form.kind == metric.unit), {}
    )
    count = max([evidence.count, *(int(place) for place in found)])
    return [found.get(str(number)) for number in range(1, count + 1)]


def _form_value(
    metric: Metric, form: Form, questions: Sequence[str], prompt_signal: Mapping[str, float]
) -> float | None:
    if metric.recipe == "if_established":
        return if_established(form.answers, questions, metric.established_by or "")
    if metric.recipe == "prompt_continuity":
        rating, signal = of_questions(form.answers, questions), prompt_signal.get(form.place)
        return None if rating is None or signal is None else prompt_continuity(signal, rating)
    return ONE_FORM[metric.recipe](form.answers, questions)


def _changes(
    table: MetricTable, metric: Metric, forms: Sequence[Form], case: str
) -> list[float | None]:
    """Return each judge's change between the two ends; picture and sound of an end are forms of
    their own.

    A judge who rated one end only, as one with a share of the windows may have, says nothing about
    a change.
    """
    questions, changes = table.questions(metric), []
    for judge in dict.fromkeys(form.judge for form in forms):
        ends: dict[str, dict[str, Answer]] = {place: {} for place in FIRST_LAST}
        for form in forms:
            if form.judge == judge:
                rated = {
                    key: form.answers[key] for key in questions if form.answers.get(key) is not None
                }
                ends.setdefault(form.place, {}).update(rated)
        first, last = (ends[place] for place in FIRST_LAST)
        if first and last:
            changes.append(criteria_change(first, last, questions, case=case))
    return changes


def _drift(table: MetricTable, metric: Metric, evidence: Evidence) -> CaseValue:
    change = endpoint_change(interval_values(table, metric.of or "", evidence))
    if change is None:
        return _unmeasured(metric, evidence.case)
    return CaseValue(evidence.case, change[0], signed=change[1])


def _measured(metric: Metric, evidence: Evidence) -> CaseValue:
    """Return what was measured of the whole rollout, or of its intervals."""
    found = evidence.measured.get(metric.code)
    if found is not None:
        return CaseValue(evidence.case, found.value, found.status, found.reason)
    value = mean(evidence.intervals.get(metric.code, ()))
    return (
        CaseValue(evidence.case, value) if value is not None else _unmeasured(metric, evidence.case)
    )


def _unmeasured(metric: Metric, case: str) -> CaseValue:
    """Return that there is no value; a metric that takes weights is never replaced by another."""
    if metric.computed == "plug_in":
        return CaseValue(case, None, "unavailable", NO_WEIGHTS)
    if metric.computed == "signals":
        return CaseValue(case, None, "unavailable", "it was not measured")
    return CaseValue(case, None, "not_applicable", "there are not two intervals with a value")
