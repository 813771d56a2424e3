"""From the record of a round to what is known of each rollout. No Django here."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fartbench.protocol import Protocol, form_for
from fartbench.protocol.rollouts.schema import Scenario
from measuring.measurement import Measurement
from scoring.metrics.cases import Evidence
from scoring.metrics.recipes import Answer, Form
from scoring.records import (
    DELIVERED,
    MISSING,
    CellRecord,
    MeasuredRecord,
    RoundRecord,
    WindowRecord,
)
from scoring.records.judges import ANSWERED, JudgeRecord

FACTS = {"yes": True, "no": False}


@dataclass(frozen=True, slots=True)
class Case:
    """One rollout: its cell, the scenario that was asked for, and what is known of it."""

    cell: CellRecord
    scenario: Scenario
    evidence: Evidence

    def at(self, horizon_s: float) -> Evidence:
        """Return what is known of its first ``horizon_s`` seconds; what was measured of the whole
        stays at its end.
        """
        found = self.evidence.within(horizon_s, interval_s=self.scenario.interval_s)
        return (
            replace(found, measured=self.evidence.measured)
            if horizon_s >= self.scenario.duration_s
            else found
        )


def answer_of(text: str) -> Answer:
    """Return an answer as a number: a yes or no, seconds or a rating; None for N/A."""
    if text.startswith("na:"):
        return None
    return FACTS[text] if text in FACTS else float(text)


def forms_of_people(record: RoundRecord) -> Iterator[tuple[int, Form]]:
    """Yield what each reviewer of the primary cohort answered about each window, with the window's
    place.
    """
    primary = set(record.primary)
    answers = {
        question: [answer_of(text) for text in record.book.texts(question)]
        for question in record.book.questions
    }
    sheets = record.sheets
    for window, reviewer, codes in zip(
        sheets.window, sheets.reviewer.tolist(), sheets.answers.tolist(), strict=True
    ):
        code = record.reviewers[reviewer].code
        if code in primary:
            given = {
                key: answers[key][found]
                for key, found in zip(answers, codes, strict=True)
                if found != MISSING
            }
            yield window, _form(record, window, code, given)


def forms_of_judge(record: RoundRecord, judge: JudgeRecord) -> Iterator[tuple[int, Form]]:
    """Yield what a judge model answered about each window, with the window's place."""
    for run in judge.runs:
        if run.state == ANSWERED:
            given = {key: answer_of(text) for key, text in run.answers.items()}
            yield run.window, _form(record, run.window, judge.name, given)


def failures_of_judge(record: RoundRecord, judge: JudgeRecord) -> dict[int, dict[str, str]]:
    """Return by cell, for each metric, why the judge brought nothing where it should have."""
    found: dict[int, dict[str, str]] = defaultdict(dict)
    for run in judge.runs:
        if run.state != ANSWERED:
            window = record.windows[run.window]
            for code in metrics_of_form(record.protocol, window.form):
                found[window.cell].setdefault(code, f"{run.state}: {run.reason or run.code}")
    return found


def metrics_of_form(protocol: Protocol, form: str) -> list[str]:
    """Return the metrics that read an answer of a form."""
    assert protocol.rollouts is not None  # noqa: S101 - only such a protocol has windows
    keys = set(form_for(protocol, form).keys)
    table = protocol.rollouts.metrics
    return [metric.code for metric in table.metrics if keys & set(table.questions(metric))]


def cases_of(
    record: RoundRecord,
    forms: Iterable[tuple[int, Form]],
    failures: Mapping[int, Mapping[str, str]],
) -> dict[str, list[Case]]:
    """Return every rollout by configuration, with its ``forms`` (each with its window's place).

    ``failures`` say by cell, for each metric, why a judge brought nothing.
    """
    assert record.protocol.rollouts is not None  # noqa: S101 - only such a protocol has windows
    scenarios = {scenario.key: scenario for scenario in record.protocol.rollouts.scenarios}
    answered, shown = defaultdict(list), defaultdict(set)
    for window, form in forms:
        answered[record.windows[window].cell].append(form)
    for one in record.windows:
        shown[one.cell].add(one.unit)
    measured = _by_cell(record.measurements)
    found: dict[str, list[Case]] = defaultdict(list)
    for place, cell in enumerate(record.cells):
        scenario = scenarios[cell.scene]
        kinds = {form.kind for form in answered[place]}
        evidence = Evidence(
            case=case_name(cell, record.replicates),
            track=scenario.track,
            forms=tuple(answered[place]),
            failure=""
            if cell.outcome == DELIVERED
            else f"{cell.outcome}: {cell.reason}".removesuffix(": "),
            unanswered=frozenset(shown[place] - kinds),
        )
        evidence = _with_measurements(evidence, measured[place], scenario)
        failed = {**evidence.evaluator_failures, **failures.get(place, {})}
        found[cell.configuration].append(
            Case(cell, scenario, replace(evidence, evaluator_failures=failed))
        )
    return dict(found)


def case_name(cell: CellRecord, replicates: int) -> str:
    """Return the name of a case: its scenario, with the replicate where there are several."""
    return cell.scene if replicates == 1 else f"{cell.scene}/{cell.replicate}"


def _by_cell(measurements: Iterable[MeasuredRecord]) -> dict[int, list[MeasuredRecord]]:
    found: dict[int, list[MeasuredRecord]] = defaultdict(list)
    for one in measurements:
        found[one.cell].append(one)
    return found


def _with_measurements(
    evidence: Evidence, rows: Sequence[MeasuredRecord], scenario: Scenario
) -> Evidence:
    """Return the evidence with what machines measured: of the whole, of intervals, at prompts; or
    why they failed.
    """
    whole: dict[str, Measurement] = {}
    intervals: dict[str, list[float | None]] = {}
    prompts: dict[str, float] = {}
    failures: dict[str, str] = {}
    count = int(scenario.duration_s // scenario.interval_s)
    for row in rows:
        found = row.found
        if found.status == "evaluator_failure":
            failures.setdefault(found.metric, found.reason)
        elif row.unit == "prompt" and found.value is not None:
            prompts[row.place] = found.value
        elif row.unit == "interval" and row.place:
            intervals.setdefault(found.metric, [None] * count)[int(row.place) - 1] = found.value
        else:
            whole.setdefault(found.metric, found)
    return replace(
        evidence,
        measured=whole,
        intervals=intervals,
        prompt_signal=prompts,
        evaluator_failures=failures,
    )


def _form(record: RoundRecord, window: int, judge: str, answers: Mapping[str, Answer]) -> Form:
    about: WindowRecord = record.windows[window]
    case = case_name(record.cells[about.cell], record.replicates)
    return Form(case, about.unit, about.place, about.end_s, judge, answers)
