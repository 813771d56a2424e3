"""The plots about blind pairs: the strength of each configuration, and who won against whom.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import ceil, floor

import svg

from scoring.release.drawing import (
    FOOT,
    HEAD,
    LABEL_WIDTH,
    MOST_ROWS,
    ROW,
    WIDTH,
    Axis,
    Dot,
    document,
    dot_plot,
    hint,
    text,
)
from scoring.report_classes.pairs import Meeting, PairQuestion, PreferenceReport

ELO_STEP, ELO_MIDDLE, MOST_TICKS = 100, 1500, 8
WIDEST_CELL, NARROWEST_WITH_WORDS = 72, 34
PALEST, DARKEST = 0.05, 0.55  # so that words on a cell are read in either mode


def pair_plots(report: PreferenceReport) -> dict[str, str]:
    """Return each plot of the report on pairs by its file name."""
    made: dict[str, str] = {}
    for key, question in report.questions.items():
        made[f"preference-{key}.svg"] = preference_plot(question)
        made[f"preference-{key}-matrix.svg"] = matrix_plot(question)
    return made


def preference_plot(question: PairQuestion) -> str:
    """Draw the Elo of each configuration with its interval, every group of connected ones apart."""
    groups = question.groups
    dots = [
        Dot(line.configuration, line.elo, f"Table {number}" if len(groups) > 1 else "")
        for number, group in enumerate(groups, start=1)
        for line in group.configurations
    ]
    ends: list[float] = []
    for group in groups:
        for line in group.configurations:
            values = (line.elo.low, line.elo.value, line.elo.high)
            ends += [value for value in values if value is not None]
    low = ELO_STEP * floor(min(ends, default=ELO_MIDDLE - 1) / ELO_STEP)
    high = ELO_STEP * ceil(max(ends, default=ELO_MIDDLE + 1) / ELO_STEP)
    steps = max(1, ceil((high - low) / ELO_STEP / MOST_TICKS)) * ELO_STEP
    axis = Axis(
        low, high, list(range(low, high + 1, steps)), "Elo: 400 points are odds of ten to one"
    )
    return dot_plot(question.label, axis, dots)


def matrix_plot(question: PairQuestion) -> str:
    """Draw how often the row won against the column, strongest first; a tie is half a win for
    each.
    """
    matrix = question.matrix
    names = list(matrix)[:MOST_ROWS]
    width = min(WIDEST_CELL, (WIDTH - LABEL_WIDTH) / max(len(names), 1))
    elements: list[svg.Element] = [text(0, 16, "Who won against whom", "title")]
    for place, row in enumerate(names):
        y = HEAD + place * ROW
        elements += [
            text(
                LABEL_WIDTH + (place + 0.5) * width,
                HEAD - 8,
                str(place + 1),
                "soft",
                anchor="middle",
            ),
            text(0, y + ROW / 2 + 4, f"{place + 1}. {row}"),
            *_cells(row, names, matrix[row], y, width),
        ]
    bottom = HEAD + len(names) * ROW
    words = (
        "share of votes that the row won against the column, numbered as the rows are; a tie is "
        "half a win for each"
    )
    elements.append(text(0, bottom + 18, words, "soft"))
    if len(matrix) > len(names):
        elements.append(
            text(0, bottom + FOOT, f"{len(matrix) - len(names)} more are in the table.", "soft")
        )
    return document("Who won against whom", bottom + FOOT + 8, elements)


def _cells(
    row: str, names: Sequence[str], against: Mapping[str, Meeting], y: float, width: float
) -> Iterator[svg.Element]:
    for place, column in enumerate(names):
        if (met := against.get(column)) is None:
            continue
        x = round(LABEL_WIDTH + place * width, 1)
        opacity = round(PALEST + (DARKEST - PALEST) * met.share, 3)
        words = (
            f"{row} against {column}: {met.share:.0%} of {met.n} votes; expected {met.expected:.0%}"
        )
        yield svg.Rect(x=x, y=y, width=round(width, 1), height=ROW, class_=["step"],
                       fill_opacity=opacity,
                       elements=[hint(words)])  # fmt: skip
        if width >= NARROWEST_WITH_WORDS:
            yield text(
                round(x + width / 2, 1), y + ROW / 2 + 4, f"{met.share:.0%}", anchor="middle"
            )
