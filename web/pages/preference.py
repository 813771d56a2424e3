"""The report on blind pairs as tables for people: strengths, who won against whom, ties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from web.pages.figures import Figure, figure

Document = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class EloLine:
    """A configuration's strength, and how its clips fared."""

    configuration: str
    elo: Figure
    won: int
    lost: int
    tied: int
    both_bad: int


@dataclass(frozen=True, slots=True)
class EloTable:
    """Configurations on one scale, strongest first."""

    lines: tuple[EloLine, ...]
    battles: int
    regularised: bool


@dataclass(frozen=True, slots=True)
class Meeting:
    """How the row fared against the column: wins, losses, ties of both kinds, and what the
    strengths let expect.
    """

    won: int
    lost: int
    tied: int
    share: float
    expected: float

    @property
    def words(self) -> str:
        return f"{self.won} won, {self.lost} lost, {self.tied} tied; expected {self.expected:.0%}"


@dataclass(frozen=True, slots=True)
class Preference:
    """One question about pairs.

    ``matrix`` has a row for each of ``names``, None where two never met.
    """

    key: str
    label: str
    wording: str
    votes: int
    pairs: int
    reviewers: int
    ties: Figure
    both_bad: Figure | None
    left: Figure
    tables: tuple[EloTable, ...]
    not_compared: tuple[str, ...]
    names: tuple[str, ...]
    matrix: tuple[tuple[str, tuple[Meeting | None, ...]], ...]


def preferences(report: Document, protocol: Protocol) -> list[Preference]:
    """Return the report on pairs, a part for each question of the protocol."""
    asked = protocol.pairs.questions if protocol.pairs else ()
    found = report["questions"]
    return [
        _preference(question.key, found[question.key])
        for question in asked
        if question.key in found
    ]


def _preference(key: str, found: Document) -> Preference:
    matrix = found["matrix"]
    names = tuple(matrix)
    rows = [(name, tuple(_meeting(matrix[name].get(other)) for other in names)) for name in names]
    both_bad = found["both_bad_rate"]
    return Preference(
        key=key,
        label=found["label"],
        wording=found["wording"],
        votes=found["votes"],
        pairs=found["pairs"],
        reviewers=found["reviewers"],
        ties=figure(found["tie_rate"], percent=True),
        both_bad=figure(both_bad, percent=True) if both_bad else None,
        left=figure(found["left_rate"], percent=True),
        tables=tuple(map(_table, found["groups"])),
        not_compared=tuple(found["not_compared"]),
        names=names,
        matrix=tuple(rows),
    )


def _table(group: Document) -> EloTable:
    return EloTable(
        lines=tuple(
            EloLine(
                line["configuration"],
                figure(line["elo"], digits=0),
                line["won"],
                line["lost"],
                line["tied"],
                line["both_bad"],
            )
            for line in group["configurations"]
        ),
        battles=group["battles"],
        regularised=group["regularised"],
    )


def _meeting(cell: Document | None) -> Meeting | None:
    if cell is None:
        return None
    return Meeting(
        cell["won"], cell["lost"], cell["tied"] + cell["both_bad"], cell["share"], cell["expected"]
    )
