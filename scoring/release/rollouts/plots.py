"""The plots of a round of rollouts as SVG: profiles of systems, and how metrics go along a rollout.
No Django here.

The same documents give the same bytes; a table backs each plot.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import svg

from fartbench.numbers import number_text, shown_number
from fartbench.protocol import Protocol
from fartbench.protocol.rollouts.metrics import Metric, MetricTable
from scoring.release.drawing import FOOT, HEAD, ROW, WIDTH, document, hint, text
from scoring.rollouts.results import EVERY_TRACK, why_empty

STYLE = """
.other { stroke: var(--soft); stroke-width: 1.5; fill: none; opacity: 0.6 }
.own { stroke: var(--mark); stroke-width: 2.5; fill: none }
"""
LABEL_WIDTH, NOTE_WIDTH, NAMES = 340, 138, 92
PANEL_WIDTH, PANEL_HEIGHT, PANELS = 256, 96, 3
GAP, TITLE, LEGEND = 16, 50, 22
BELOW = 30
APART = 10
"""Pixels between two categories."""


def plots_of(
    protocol: Protocol, scores: Mapping[str, Any], reports: Mapping[str, Any]
) -> dict[str, str]:
    """Return each plot by its file name: a profile and curves for each system, as the first source
    answers.
    """
    assert protocol.rollouts is not None  # noqa: S101 - only such a protocol has rollouts
    table, reading = protocol.rollouts.metrics, scores["readings"][0]
    columns = {one["configuration"]: _whole(scores, one) for one in reading["systems"]}
    curves = (
        reports["reports"]
        .get("trajectories", {"readings": {}})["readings"]
        .get(reading["source"], {})
    )
    made = {}
    for name in columns:
        made[f"profile-{name}.svg"] = profile_plot(table, name, columns)
        made[f"curves-{name}.svg"] = curves_plot(table, name, curves)
    return made


def _whole(scores: Mapping[str, Any], system: Mapping[str, Any]) -> Mapping[str, Any]:
    found: Mapping[str, Any] = system["columns"][scores["horizons_s"][-1]][EVERY_TRACK]
    return found


@dataclass(frozen=True, slots=True)
class Span:
    """A metric's scale from its worst to its best value."""

    worst: float
    best: float

    def x(self, value: float) -> float:
        """Return the place of a value in pixels, to a tenth."""
        part = (value - self.worst) / (self.best - self.worst)
        return round(LABEL_WIDTH + (WIDTH - LABEL_WIDTH - NOTE_WIDTH) * min(max(part, 0), 1), 1)


def span_of(metric: Metric, values: Sequence[float]) -> Span:
    """Return the scale of a metric; one without an upper end reaches as far as the largest of
    ``values``.
    """
    high = metric.high if metric.high is not None else max([*values, metric.low + 1e-9]) * 1.05
    return Span(metric.low, high) if metric.better == "higher" else Span(high, metric.low)


def profile_plot(table: MetricTable, name: str, columns: Mapping[str, Mapping[str, Any]]) -> str:
    """Draw every metric of a system on its own scale, the better to the right, with the other
    systems as strokes.
    """
    title, y = f"Profile of {name}", HEAD - 8.0
    others = "other systems" if len(columns) > 1 else ""
    elements: list[svg.Element] = [
        text(0, 16, title, "title"),
        *_key(HEAD - 6, "value and 95% interval", others),
    ]
    category = ""
    for metric in table.metrics:
        if metric.category != category:
            category, y = metric.category, y + ROW + (APART if category else 0)
            elements.append(text(0, y, table.categories[category], "soft"))
        y += ROW
        found = {system: of[metric.code] for system, of in columns.items()}
        elements += _profile_row(metric, found, name, y - 4)
    elements.append(text(LABEL_WIDTH, y + 20, "worse", "soft"))
    elements.append(text(WIDTH - NOTE_WIDTH, y + 20, "better", "soft", anchor="end"))
    return document(title, y + FOOT, elements, style=STYLE)


def _key(y: float, own: str, others: str) -> Iterator[svg.Element]:
    """Draw what the marks of a system and of the others mean."""
    yield svg.Line(x1=LABEL_WIDTH, x2=LABEL_WIDTH + 24, y1=y, y2=y, class_=["reach"])
    yield svg.Circle(cx=LABEL_WIDTH + 12, cy=y, r=5, class_=["mark"])
    yield text(LABEL_WIDTH + 32, y + 4, own, "soft")
    if others:
        yield svg.Line(
            x1=LABEL_WIDTH + 216, x2=LABEL_WIDTH + 216, y1=y - 6, y2=y + 6, class_=["other"]
        )
        yield text(LABEL_WIDTH + 226, y + 4, others, "soft")


def _profile_row(
    metric: Metric, found: Mapping[str, Any], name: str, y: float
) -> Iterator[svg.Element]:
    own = found[name]
    yield text(14, y + 4, metric.code)
    yield text(NAMES, y + 4, metric.name)
    if own["value"] is None:
        yield text(LABEL_WIDTH, y + 4, why_empty(own), "soft")
        return
    yield svg.Line(x1=LABEL_WIDTH, x2=WIDTH - NOTE_WIDTH, y1=y, y2=y, class_=["grid"])
    span = span_of(metric, [one["value"] for one in found.values() if one["value"] is not None])
    for system, other in found.items():
        if system != name and other["value"] is not None:
            x = span.x(other["value"])
            named = hint(f"{system}: {number_text(other['value'], '.3g')}")
            yield svg.Line(x1=x, x2=x, y1=y - 6, y2=y + 6, class_=["other"], elements=[named])
    if own["low"] is not None:
        yield svg.Line(x1=span.x(own["low"]), x2=span.x(own["high"]), y1=y, y2=y, class_=["reach"])
    words = in_words(metric, own)
    yield svg.Circle(
        cx=span.x(own["value"]),
        cy=y,
        r=5,
        class_=["mark"],
        elements=[hint(f"{metric.name}: {words}")],
    )
    yield text(WIDTH - NOTE_WIDTH + 14, y + 4, words, "soft")


def in_words(metric: Metric, found: Mapping[str, Any]) -> str:
    """Write a column's value with its unit and n."""
    unit = "" if metric.value_unit == "points" else f" {metric.value_unit}"
    return f"{number_text(found['value'], '.3g')}{unit}, n = {found['n']}"


def curves_plot(table: MetricTable, name: str, curves: Mapping[str, Mapping[str, Any]]) -> str:
    """Draw how each metric of a system develops along its rollouts, a panel each, with the other
    systems behind.
    """
    shown = [
        metric
        for metric in table.metrics
        if curves.get(metric.code, {}).get(name, {"values": ()})["values"]
    ]
    title = f"Along the rollouts of {name}"
    elements: list[svg.Element] = [text(0, 16, title, "title")]
    if shown:
        words = (
            "▲ higher is better, ▼ lower is better; the other systems are thin; each panel has a "
            "scale of its own."
        )
        elements.append(text(0, 16 + LEGEND, words, "soft"))
    for number, metric in enumerate(shown):
        left = (number % PANELS) * (PANEL_WIDTH + GAP)
        top = HEAD + LEGEND + (number // PANELS) * (PANEL_HEIGHT + TITLE + BELOW)
        elements += _panel(metric, name, curves[metric.code], left, top)
    rows = max(1, ceil(len(shown) / PANELS))
    if not shown:
        elements.append(
            text(0, HEAD + 20, "Nothing of this system can be followed along a rollout.", "soft")
        )
    return document(
        title, HEAD + LEGEND + rows * (PANEL_HEIGHT + TITLE + BELOW), elements, style=STYLE
    )


def _panel(
    metric: Metric, name: str, curves: Mapping[str, Mapping[str, Any]], left: float, top: float
) -> Iterator[svg.Element]:
    drawn = {system: found for system, found in curves.items() if found["values"]}
    values = [value for found in drawn.values() for value in found["values"]]
    low, high = min(values), max(values)
    room = (high - low) or 1.0
    end_s = max(at for found in drawn.values() for at in found["at_s"])
    bottom = top + TITLE + PANEL_HEIGHT

    def line(found: Mapping[str, Any], css: str, words: str) -> svg.Polyline:
        placed = zip(found["at_s"], found["values"], strict=True)
        points: list[Any] = []  # the library takes numbers in pairs
        for at, value in placed:
            points.append(round(left + (PANEL_WIDTH - 8) * at / end_s, 1))
            points.append(round(bottom - 4 - (PANEL_HEIGHT - 8) * (value - low) / room, 1))
        return svg.Polyline(points=points, class_=[css], elements=[hint(words)])

    own = drawn[name]
    yield text(left, top + 12, f"{metric.code} {'▲' if metric.better == 'higher' else '▼'}")
    yield text(left, top + 28, metric.name, "soft")
    slope, steps = own["degradation"]["value"], own["variation"]["value"]
    change = (
        f"{'better' if slope < 0 else 'worse'} by {abs(slope):.2g} in 100 s"
        if slope
        else "as good at the end"
    )
    yield text(left, top + 44, f"{change}, steps of {steps:.2g}", "soft")
    span = f"from {number_text(low, '.3g')} to {number_text(high, '.3g')}"
    yield svg.Rect(
        x=left, y=top + TITLE, width=PANEL_WIDTH - 8, height=PANEL_HEIGHT, fill="none",
        class_=["grid"],
        elements=[hint(f"{metric.name}: {span} over {end_s:g} s")],
    )  # fmt: skip
    for system, found in drawn.items():
        if system != name:
            yield line(found, "other", system)
    yield line(own, "own", name)
    yield text(left + PANEL_WIDTH - 12, bottom + 12, f"{end_s:g} s", "soft", anchor="end")
    yield text(left, bottom + 12, f"{_short(low)} to {_short(high)}", "soft")


def _short(value: float) -> str:
    return shown_number(value, ".3g")
