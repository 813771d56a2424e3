"""The columns of each system, over every horizon and track, and how they go along a rollout.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from fartbench.protocol import Protocol
from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from fartbench.protocol.rollouts.schema import Scenario
from scoring.metrics.cases import CaseValue, case_value, interval_values, unit_values
from scoring.metrics.summary import Column, Trajectory, column, trajectory
from scoring.records import RoundRecord
from scoring.rollouts.evidence import (
    Case,
    cases_of,
    failures_of_judge,
    forms_of_judge,
    forms_of_people,
)
from scoring.stats.estimate import Undefined

PEOPLE = "people"
EVERY_TRACK = "all"
ALONG = ("interval", "update", "prompt", "retention")
"""Kinds of units that follow one another, so that a metric of them can be followed along a
rollout.
"""


Values = dict[str, CaseValue]
"""A value of every metric, by its code."""


@dataclass(frozen=True)
class System:
    """A configuration with its rollouts; what they come to is worked out once for each horizon."""

    name: str
    cases: tuple[Case, ...]
    table: MetricTable
    _values: dict[float, list[Values]] = field(default_factory=dict, repr=False, compare=False)

    def values(self, horizon_s: float) -> list[Values]:
        """Return the values of each case over its first ``horizon_s`` seconds, in the order of
        ``cases``.
        """
        if horizon_s not in self._values:
            self._values[horizon_s] = [
                {
                    metric.code: case_value(self.table, metric, evidence)
                    for metric in self.table.metrics
                }
                for evidence in (case.at(horizon_s) for case in self.cases)
            ]
        return self._values[horizon_s]

    def columns(self, horizon_s: float, track: str) -> list[Column]:
        """Return a column for each metric: the mean over cases with its interval, and what became
        of each case.

        Of one track there are only those that differ from all of them: the metrics that both tracks
        share.
        """
        chosen = [
            values
            for case, values in zip(self.cases, self.values(horizon_s), strict=True)
            if track in {EVERY_TRACK, case.scenario.track}
        ]
        metrics = [one for one in self.table.metrics if track == EVERY_TRACK or one.track == "both"]
        return [
            column(one.code, [values[one.code] for values in chosen], one.bounds) for one in metrics
        ]


@dataclass(frozen=True)
class Reading:
    """The systems as one source answers for them: ``people``, or a judge model by its name.

    What machines measured is the same in each.
    """

    source: str
    systems: tuple[System, ...]


@dataclass(frozen=True)
class RolloutResults:
    """What a round of rollouts says.

    The first reading is the people's, and the one that pages begin with.
    """

    record: RoundRecord
    readings: tuple[Reading, ...]

    @property
    def protocol(self) -> Protocol:
        return self.record.protocol

    @cached_property
    def table(self) -> MetricTable:
        assert self.protocol.rollouts is not None  # noqa: S101 - results of this kind are made of such a protocol only
        return self.protocol.rollouts.metrics

    @cached_property
    def scenarios(self) -> tuple[Scenario, ...]:
        """The scenarios of the round."""
        assert self.protocol.rollouts is not None  # noqa: S101
        return tuple(
            one for one in self.protocol.rollouts.scenarios if one.key in self.record.scenes
        )

    @property
    def horizons_s(self) -> list[float]:
        """Every horizon at which some scenario is looked at, the longest last."""
        return sorted({horizon for scenario in self.scenarios for horizon in scenario.horizons_s})

    @property
    def tracks(self) -> list[str]:
        """Every track, and before them all of them together."""
        return [EVERY_TRACK, *dict.fromkeys(scenario.track for scenario in self.scenarios)]


def rollout_results(record: RoundRecord) -> RolloutResults:
    """Bring the answers and measurements of a round together, the people's first, then each frozen
    judge's.
    """
    readings = [Reading(PEOPLE, _systems(record, cases_of(record, forms_of_people(record), {})))]
    for judge in record.judges:
        if judge.is_frozen_run:
            cases = cases_of(
                record, forms_of_judge(record, judge), failures_of_judge(record, judge)
            )
            readings.append(Reading(judge.name, _systems(record, cases)))
    return RolloutResults(record, tuple(readings))


def _systems(record: RoundRecord, cases: dict[str, list[Case]]) -> tuple[System, ...]:
    assert record.protocol.rollouts is not None  # noqa: S101
    table = record.protocol.rollouts.metrics
    return tuple(System(name, tuple(found), table) for name, found in sorted(cases.items()))


def metrics_along(table: MetricTable) -> list[Metric]:
    """Return the metrics that can be followed along a rollout."""
    return [metric for metric in table.metrics if metric.unit in ALONG]


def trajectory_of(
    table: MetricTable, metric: Metric, cases: Iterable[Case]
) -> Trajectory | Undefined:
    """Return how a metric develops along the rollouts of a system: the mean over cases at each
    unit's end.
    """
    followed = [
        list(_along(table, metric, case)) for case in cases if metric.applies_to(case.scenario)
    ]
    return trajectory(metric.code, followed, better=metric.better, bounds=metric.bounds)


def _along(table: MetricTable, metric: Metric, case: Case) -> Iterator[tuple[float, float | None]]:
    evidence = case.evidence
    if metric.unit == "interval":
        for number, value in enumerate(interval_values(table, metric.code, evidence), 1):
            yield number * case.scenario.interval_s, value
        return
    forms = [form for form in evidence.forms if form.kind == metric.unit]
    end_s = {form.place: form.end_s for form in forms}
    for place, value in unit_values(table, metric, forms, evidence.prompt_signal).items():
        yield end_s[place], value


def why_empty(found: Mapping[str, Any]) -> str:
    """Say why a column has no value, in one reason: the gravest first."""
    for status in ("evaluator_failure", "unavailable", "generation_failure", "not_applicable"):
        if status in found["reasons"]:
            return f"{status.replace('_', ' ')}: {found['reasons'][status].partition(':')[0]}"
    return "no case"
