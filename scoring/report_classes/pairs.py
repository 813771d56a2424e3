"""What blind pairs say. No Django here."""

from __future__ import annotations

from fartbench.protocol.parts import Part
from scoring.report_classes.base import Report, ReportedEstimate


class EloLine(Part):
    """The strength of a configuration, and how its clips fared."""

    configuration: str
    elo: ReportedEstimate
    won: int
    lost: int
    tied: int
    both_bad: int


class EloTable(Part):
    """Configurations on one scale, strongest first."""

    battles: int
    regularised: bool
    configurations: list[EloLine]


class Meeting(Part):
    """How the row fared against the column; shares count a tie as half a win, ``expected`` is what
    the strengths predict.
    """

    won: int
    lost: int
    tied: int
    both_bad: int
    n: int
    share: float
    expected: float

    @property
    def ties(self) -> int:
        """Ties of both kinds."""
        return self.tied + self.both_bad


class PairQuestion(Part):
    """One question about pairs. ``matrix`` is by row and column; two that never met are not in
    it.
    """

    label: str
    wording: str
    votes: int
    pairs: int
    reviewers: int
    tie_rate: ReportedEstimate
    both_bad_rate: ReportedEstimate | None
    left_rate: ReportedEstimate
    groups: list[EloTable]
    not_compared: list[str]
    matrix: dict[str, dict[str, Meeting]]

    def rows(self) -> list[tuple[str, list[Meeting | None]]]:
        """Return the matrix with a cell for every two configurations, None where they never met."""
        return [
            (row, [against.get(column) for column in self.matrix])
            for row, against in self.matrix.items()
        ]


class PreferenceReport(Report):
    """What blind pairs say, by question."""

    questions: dict[str, PairQuestion]
