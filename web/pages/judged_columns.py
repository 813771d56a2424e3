"""What AI judges made of a round of rollouts, beside what people did: the same columns from the
same forms.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from fartbench.protocol.rollouts.metrics import Metric
from scoring.release.pages import SUMMARY
from scoring.release.rollouts.pages import columns_document
from scoring.report_classes.people import CoverageReport
from scoring.rollouts.results import EVERY_TRACK
from web.pages.board import Read
from web.pages.rollouts import Cell, cell_of, table_of

ANSWERED_FOR = frozenset({"answers", "mixed"})
"""How a metric is computed that people and judges answer for."""


@dataclass(frozen=True, slots=True)
class JudgedColumn:
    """A metric that is answered for: each system's value as people answer, and as the judge
    does.
    """

    metric: Metric
    cells: tuple[tuple[Cell, Cell], ...]


@dataclass(frozen=True, slots=True)
class JudgedColumns:
    """A judge: of how many windows it was asked and how many it answered, and its columns beside
    the people's.
    """

    judge: str
    asked: int
    answered: int
    systems: tuple[str, ...]
    columns: tuple[JudgedColumn, ...]


def judged_columns(read: Read, rules: Protocol) -> list[JudgedColumns]:
    """Return each judge's columns over the whole rollouts; none where nobody but people answered,
    or of clips.
    """
    if rules.rollouts is None:
        return []
    found = read([SUMMARY, "coverage"])
    coverage = CoverageReport.model_validate(found["coverage"]) if "coverage" in found else None
    people, *judges = found[SUMMARY]["sources"]
    horizon = found[SUMMARY]["horizons_s"][-1]
    names = {source: columns_document(source, horizon, EVERY_TRACK) for source in (people, *judges)}
    documents = read(list(names.values()))
    systems = {source: documents[name]["systems"] for source, name in names.items()}
    return [_beside(rules, judge, systems[people], systems[judge], coverage) for judge in judges]


def _beside(
    rules: Protocol,
    judge: str,
    people: Mapping[str, Any],
    own: Mapping[str, Any],
    coverage: CoverageReport | None,
) -> JudgedColumns:
    counts = []
    if coverage:
        place = coverage.judges.index(judge)
        counts = [form.judges[place] for form in coverage.forms.values()]
    columns = (
        JudgedColumn(
            metric,
            tuple(
                (cell_of(metric, of[metric.code]), cell_of(metric, own[name][metric.code]))
                for name, of in people.items()
            ),
        )
        for metric in table_of(rules).metrics
        if metric.computed in ANSWERED_FOR
    )
    return JudgedColumns(
        judge,
        sum(one.asked for one in counts),
        sum(one.answered for one in counts),
        tuple(people),
        tuple(columns),
    )
