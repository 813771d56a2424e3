"""The report on human alignment as a table for people: each metric with its correlation, interval
and ceiling.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from web.pages.figures import Figure, figure, stored_figure

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class AlignmentLine:
    """One question about pairs: the metric it is held against, and the correlation with each
    source's scores.
    """

    key: str
    label: str
    wording: str
    metric: str
    pairs: int
    votes: int
    annotators: int
    ties: int
    ceiling: Figure
    figures: tuple[Figure, ...]
    systems: tuple[tuple[str, Figure], ...]


def alignment_lines(report: Document) -> list[AlignmentLine]:
    """Return the questions in the order of the protocol; systems by win rate, the most preferred
    first.
    """
    return [_line(one) for one in report["questions"]]


def sources_of(report: Document) -> list[str]:
    """Return whose answers the scores come from, people first."""
    return list(report["questions"][0]["readings"]) if report["questions"] else []


def _line(one: Document) -> AlignmentLine:
    systems = [(name, stored_figure(found["win_rate"])) for name, found in one["systems"].items()]
    return AlignmentLine(
        key=one["question"],
        label=one["label"],
        wording=one["wording"],
        metric=one["metric"],
        pairs=one["pairs"],
        votes=one["votes"],
        annotators=one["annotators"],
        ties=one["ties"],
        ceiling=stored_figure(one["ceiling"]),
        figures=tuple(figure(found) for found in one["readings"].values()),
        systems=tuple(sorted(systems, key=lambda found: (-float(found[1].value), found[0]))),
    )
