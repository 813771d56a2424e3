"""What plots are drawn with: an axis, a row for each estimate, and SVG that follows the reader's
mode. No Django here.

Colours follow the reader's light or dark mode. The same reports give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

import svg

from fartbench.numbers import number_text
from scoring.report_classes.base import ReportedEstimate

WIDTH, LABEL_WIDTH, NOTE_WIDTH = 800, 210, 170
ROW, HEAD, FOOT = 26, 44, 34
MOST_ROWS = 60

STYLE = """
svg { color: #1c1c22; --soft: #6a6a76; --grid: #dddde3; --mark: #2f5fd0; --steps: 0.16; background: transparent }
@media (prefers-color-scheme: dark) {
  svg { color: #ececf1; --soft: #a5a5b2; --grid: #3a3a44; --mark: #8fb0ff; --steps: 0.18 }
}
text { font: 13px system-ui, sans-serif; fill: currentColor }
.title { font-size: 15px; font-weight: 600 }
.soft { fill: var(--soft); font-size: 12px }
.grid { stroke: var(--grid) }
.target { stroke: var(--soft) }
.mark { fill: var(--mark) }
.reach { stroke: var(--mark); stroke-width: 2 }
.step { fill: var(--mark); stroke: var(--grid) }
"""


@dataclass(frozen=True, slots=True)
class Dot:
    """A row of a plot: an estimate, or its JSON, with its label.

    ``group`` is written where it changes; ``target``, on the axis, is marked by a bar.
    """

    label: str
    estimate: ReportedEstimate | Mapping[str, Any]
    group: str = ""
    target: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """A linear axis from ``low`` to ``high`` with a line at each tick."""

    low: float
    high: float
    ticks: Sequence[float]
    words: str

    def x(self, value: float) -> float:
        """Return the place of a value in pixels, to a tenth."""
        span = WIDTH - LABEL_WIDTH - NOTE_WIDTH
        return round(LABEL_WIDTH + span * (value - self.low) / (self.high - self.low), 1)


def dot_plot(title: str, axis: Axis, dots: Sequence[Dot]) -> str:
    """Draw a row for each dot with its interval; what is undefined says so."""
    shown = dots[:MOST_ROWS]
    rows = list(_placed(shown))
    bottom = rows[-1][1] + ROW / 2 if rows else HEAD
    elements: list[svg.Element] = [*frame(title, axis, bottom)]
    group = ""
    for dot, y in rows:
        if dot.group != group:
            elements.append(text(0, y - ROW + 4, dot.group, "soft"))
            group = dot.group
        elements += _dot(axis, dot, y)
    if len(dots) > len(shown):
        elements.append(
            text(
                0,
                bottom + FOOT - 4,
                f"{len(dots) - len(shown)} more rows are in the table.",
                "soft",
            )
        )
    return document(title, bottom + FOOT, elements)


def _placed(dots: Sequence[Dot]) -> Iterator[tuple[Dot, float]]:
    y, group = HEAD + ROW / 2, ""
    for dot in dots:
        if dot.group != group:
            y, group = y + ROW, dot.group
        yield dot, y
        y += ROW


def _dot(axis: Axis, dot: Dot, y: float) -> list[svg.Element]:
    found: list[svg.Element] = [text(14 if dot.group else 0, y + 4, dot.label)]
    estimate = dot.estimate
    if not isinstance(estimate, ReportedEstimate):
        estimate = ReportedEstimate.of_document(estimate)
    value, low, high, n = estimate.value, estimate.low, estimate.high, estimate.n
    if dot.target is not None:
        x = axis.x(dot.target)
        found.append(svg.Line(x1=x, x2=x, y1=y - 10, y2=y + 10, class_=["target"], stroke_width=3))
    if value is None:
        return [*found, text(LABEL_WIDTH, y + 4, f"undefined: {estimate.note}", "soft")]
    if low is not None and high is not None:
        found.append(svg.Line(x1=axis.x(low), x2=axis.x(high), y1=y, y2=y, class_=["reach"]))
    written = number_text(value, ".2f")
    reach = (
        ", no interval"
        if low is None or high is None
        else f" [{number_text(low, '.2f')}, {number_text(high, '.2f')}]"
    )
    words = f"{written}{reach}"
    words_shown = hint(f"{dot.label}: {words}, n = {n}")
    found.append(svg.Circle(cx=axis.x(value), cy=y, r=5, class_=["mark"], elements=[words_shown]))
    note = f"{written}, n = {n}" + ("" if low is not None else ", no interval")
    return [*found, text(WIDTH - NOTE_WIDTH + 14, y + 4, note, "soft")]


def frame(title: str, axis: Axis, bottom: float) -> Iterator[svg.Element]:
    """Draw the title and the axis with its lines down to ``bottom``."""
    yield text(0, 16, title, "title")
    for tick in axis.ticks:
        x = axis.x(tick)
        yield svg.Line(x1=x, x2=x, y1=HEAD - 6, y2=bottom, class_=["grid"])
        yield text(x, HEAD - 12, number_text(tick, "g"), "soft", anchor="middle")
    yield text(LABEL_WIDTH, bottom + 18, axis.words, "soft")


def text(x: float, y: float, words: str, css: str = "", anchor: Any = None) -> svg.Text:
    """Return a text; ``css`` is one of the classes of `STYLE`."""
    return svg.Text(
        x=x, y=y, text=escape(words, quote=False), class_=[css] if css else None, text_anchor=anchor
    )


def hint(words: str) -> svg.Title:
    """Return the text shown when a mouse rests on a mark."""
    return svg.Title(text=escape(words, quote=False))  # the library writes texts as they are


def document(title: str, height: float, elements: Sequence[svg.Element], *, style: str = "") -> str:
    """Return the whole drawing as text; ``style`` adds to what every plot has."""
    drawing = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        width=WIDTH,
        height=height,
        elements=[hint(title), svg.Style(text=STYLE + style), *elements],
    )
    return str(drawing) + "\n"
