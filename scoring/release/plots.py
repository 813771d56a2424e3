"""The plots of a release as SVG, drawn from its reports; a table stands behind each. No Django here.

Colours follow the reader's light or dark mode. The same reports give the same bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor
from typing import Any

import svg

from fartbench.protocol import Protocol

WIDTH, LABEL_WIDTH, NOTE_WIDTH = 800, 210, 170
ROW, HEAD, FOOT = 26, 44, 34
MOST_ROWS = 60
ELO_STEP, ELO_MIDDLE, MOST_TICKS = 100, 1500, 8

STYLE = """
svg { color: #1c1c22; --soft: #6a6a76; --grid: #dddde3; --mark: #2f5fd0; --steps: 0.16; background: transparent }
@media (prefers-color-scheme: dark) {
  svg { color: #ececf1; --soft: #a5a5b2; --grid: #3a3a44; --mark: #8fb0ff; --steps: 0.18 }
}
text { font: 13px system-ui, sans-serif; fill: currentColor }
.title { font-size: 15px; font-weight: 600 }
.soft { fill: var(--soft); font-size: 12px }
.grid { stroke: var(--grid) }
.mark { fill: var(--mark) }
.reach { stroke: var(--mark); stroke-width: 2 }
.step { fill: var(--mark); stroke: var(--grid) }
"""


@dataclass(frozen=True, slots=True)
class Dot:
    """A row of a plot: an estimate's document with its label.

    ``group`` is written where it changes; ``target``, on the axis, is marked by a bar.
    """

    label: str
    estimate: Mapping[str, Any]
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


def plots_of(protocol: Protocol, reports: Mapping[str, Any]) -> dict[str, str]:
    """Return each plot by its file name."""
    found = reports["reports"]
    made: dict[str, str] = {}
    if ranking := found.get("overall_ranking"):
        made["leaderboard.svg"] = leaderboard_plot(ranking)
    if success := found.get("factual_success"):
        made["gates.svg"] = gates_plot(protocol, success)
    if ratings := found.get("ratings"):
        made["ratings.svg"] = ratings_plot(protocol, ratings["questions"])
    if agreement := found.get("agreement"):
        made["agreement.svg"] = agreement_plot(protocol, agreement["questions"])
    for key, question in found.get("preference", {}).get("questions", {}).items():
        made[f"preference-{key}.svg"] = preference_plot(question)
    return made


def leaderboard_plot(ranking: Mapping[str, Any]) -> str:
    """Draw each configuration's score with its interval, best first."""
    total = ranking["total"]
    dots = [
        Dot(f"{line['rank'] or '–'}  {line['configuration']}", line["score_interval"])
        for line in ranking["leaderboard"]
    ]
    axis = Axis(0, total, [total * part / 4 for part in range(5)], f"points out of {total}")
    return dot_plot("Factual Score", axis, dots)


def gates_plot(protocol: Protocol, success: Mapping[str, Any]) -> str:
    """Draw the share of clips that passed each gate of each scene."""
    dots = [
        Dot(protocol.question(gate).label, document["share"], protocol.scene(scene).title)
        for scene, found in success["by_scene"].items()
        for gate, document in found["gates"].items()
    ]
    return dot_plot("Gates passed", Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), "share of clips"), dots)


def agreement_plot(protocol: Protocol, agreement: Mapping[str, Any]) -> str:
    """Draw alpha of each question, and of whether it applies."""
    dots = [
        dot
        for question in protocol.questions
        if question.key in agreement
        for dot in (
            Dot("alpha", agreement[question.key]["overall"]["alpha"], question.label),
            Dot("applicability", agreement[question.key]["overall"]["applicability_alpha"], question.label),
        )
    ]
    axis = Axis(-1, 1, (-1, -0.5, 0, 0.5, 1), "Krippendorff’s alpha: 1 is full agreement, 0 is chance")
    return dot_plot("Reviewer agreement", axis, dots)


def preference_plot(question: Mapping[str, Any]) -> str:
    """Draw the Elo of each configuration with its interval, every group of connected ones apart."""
    groups = question["groups"]
    dots = [
        Dot(line["configuration"], line["elo"], f"Table {number}" if len(groups) > 1 else "")
        for number, group in enumerate(groups, start=1)
        for line in group["configurations"]
    ]
    ends = [dot.estimate[name] for dot in dots for name in ("low", "value", "high") if dot.estimate[name] is not None]
    low = ELO_STEP * floor(min(ends, default=ELO_MIDDLE - 1) / ELO_STEP)
    high = ELO_STEP * ceil(max(ends, default=ELO_MIDDLE + 1) / ELO_STEP)
    steps = max(1, ceil((high - low) / ELO_STEP / MOST_TICKS)) * ELO_STEP
    axis = Axis(low, high, list(range(low, high + 1, steps)), "Elo: 400 points are odds of ten to one")
    return dot_plot(question["label"], axis, dots)


def dot_plot(title: str, axis: Axis, dots: Sequence[Dot]) -> str:
    """Draw a row for each dot with its interval; what is undefined says so."""
    shown = dots[:MOST_ROWS]
    rows = list(_placed(shown))
    bottom = rows[-1][1] + ROW / 2 if rows else HEAD
    elements: list[svg.Element] = [*_frame(title, axis, bottom)]
    group = ""
    for dot, y in rows:
        if dot.group != group:
            elements.append(_text(0, y - ROW + 4, dot.group, "soft"))
            group = dot.group
        elements += _dot(axis, dot, y)
    if len(dots) > len(shown):
        elements.append(_text(0, bottom + FOOT - 4, f"{len(dots) - len(shown)} more rows are in the table.", "soft"))
    return _document(title, bottom + FOOT, elements)


def _placed(dots: Sequence[Dot]) -> Iterator[tuple[Dot, float]]:
    y, group = HEAD + ROW / 2, ""
    for dot in dots:
        if dot.group != group:
            y, group = y + ROW, dot.group
        yield dot, y
        y += ROW


def _dot(axis: Axis, dot: Dot, y: float) -> list[svg.Element]:
    found: list[svg.Element] = [_text(14 if dot.group else 0, y + 4, dot.label)]
    value, low, high, n = (dot.estimate[name] for name in ("value", "low", "high", "n"))
    if dot.target is not None:
        x = axis.x(dot.target)
        found.append(svg.Line(x1=x, x2=x, y1=y - 10, y2=y + 10, class_=["grid"], stroke_width=4))
    if value is None:
        return [*found, _text(LABEL_WIDTH, y + 4, f"undefined: {dot.estimate['note']}", "soft")]
    if low is not None:
        found.append(svg.Line(x1=axis.x(low), x2=axis.x(high), y1=y, y2=y, class_=["reach"]))
    words = f"{value:.2f} [{low:.2f}, {high:.2f}]" if low is not None else f"{value:.2f}, no interval"
    hint = _hint(f"{dot.label}: {words}, n = {n}")
    found.append(svg.Circle(cx=axis.x(value), cy=y, r=5, class_=["mark"], elements=[hint]))
    note = f"{value:.2f}, n = {n}" + ("" if low is not None else ", no interval")
    return [*found, _text(WIDTH - NOTE_WIDTH + 14, y + 4, note, "soft")]


def ratings_plot(protocol: Protocol, ratings: Mapping[str, Any]) -> str:
    """Draw how the ratings of each scale fall in each scene: one bar of shares, from the lowest rating up."""
    elements: list[svg.Element] = []
    axis = Axis(0, 1, (0, 0.25, 0.5, 0.75, 1), "share of ratings, lowest to highest; N/A is counted apart")
    y = HEAD + ROW / 2
    for question, found in ratings.items():
        elements.append(_text(0, y + 4, protocol.question(question).label, "soft"))
        y += ROW
        for scene, document in found["by_scene"].items():
            elements += _bar(axis, protocol.scene(scene).title, document, y)
            y += ROW
    bottom = y - ROW / 2
    return _document("Ratings", bottom + FOOT, [*_frame("Ratings", axis, bottom), *elements])


def _bar(axis: Axis, label: str, document: Mapping[str, Any], y: float) -> list[svg.Element]:
    n, na = document["n"], document["na"]["n"]
    found: list[svg.Element] = [
        _text(14, y + 4, label),
        _text(WIDTH - NOTE_WIDTH + 14, y + 4, f"n = {n}, {na} N/A", "soft"),
    ]
    if not n:
        return [*found, _text(LABEL_WIDTH, y + 4, "no ratings", "soft")]
    done, steps = 0, len(document["counts"])
    for place, (rating, count) in enumerate(document["counts"].items(), start=1):
        left, right = axis.x(done / n), axis.x((done + count) / n)
        done += count
        if count:
            hint = _hint(f"{label}: {count} of {n} rated {rating}")
            opacity = round(place / steps, 2)
            found.append(svg.Rect(x=left, y=y - 9, width=round(right - left, 1), height=18, class_=["step"],
                                  fill_opacity=opacity, elements=[hint]))  # fmt: skip
    return found


def _frame(title: str, axis: Axis, bottom: float) -> Iterator[svg.Element]:
    yield _text(0, 16, title, "title")
    for tick in axis.ticks:
        x = axis.x(tick)
        yield svg.Line(x1=x, x2=x, y1=HEAD - 6, y2=bottom, class_=["grid"])
        yield _text(x, HEAD - 12, f"{tick:g}", "soft", anchor="middle")
    yield _text(LABEL_WIDTH, bottom + 18, axis.words, "soft")


def _text(x: float, y: float, words: str, css: str = "", anchor: Any = None) -> svg.Text:
    return svg.Text(x=x, y=y, text=escape(words, quote=False), class_=[css] if css else None, text_anchor=anchor)


def _hint(words: str) -> svg.Title:
    return svg.Title(text=escape(words, quote=False))  # the library writes texts as they are


def _document(title: str, height: float, elements: Sequence[svg.Element]) -> str:
    drawing = svg.SVG(
        viewBox=svg.ViewBoxSpec(0, 0, WIDTH, height),
        width=WIDTH,
        height=height,
        elements=[_hint(title), svg.Style(text=STYLE), *elements],
    )
    return str(drawing) + "\n"
