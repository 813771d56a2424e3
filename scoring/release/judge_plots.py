"""The plots about AI judges: agreement on facts beside each threshold, and how ratings order clips.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from fartbench.protocol import Protocol
from scoring.release.drawing import Axis, Dot, dot_plot

SHARES = (0, 0.25, 0.5, 0.75, 1)


def judge_plots(protocol: Protocol, report: Mapping[str, Any]) -> dict[str, str]:
    """Return each plot of the report on judges by its file name; none without judges."""
    judges = report.get("judges", ())
    if not judges:
        return {}
    facts = [dot for judge in judges for dot in _facts(protocol, judge)]
    words = "share of clips on which the judge says what people agree on; the bar is the threshold"
    ordered = [dot for judge in judges for dot in _ratings(protocol, judge)]
    order_words = (
        "chance of ordering two clips of a scene as people do; a half is no discrimination"
    )
    return {
        "judges-facts.svg": dot_plot("AI judges on facts", Axis(0, 1, SHARES, words), facts),
        "judges-ratings.svg": dot_plot(
            "AI judges on ratings", Axis(0, 1, SHARES, order_words), ordered
        ),
    }


def _facts(protocol: Protocol, judge: Mapping[str, Any]) -> Iterator[Dot]:
    for key, found in judge["facts"].items():
        threshold = found["threshold"]["part"] / found["threshold"]["of"]
        yield Dot(
            protocol.question(key).label, found["overall"]["share"], judge["label"], threshold
        )


def _ratings(protocol: Protocol, judge: Mapping[str, Any]) -> Iterator[Dot]:
    for key, found in judge["ratings"].items():
        yield Dot(
            protocol.question(key).label,
            found["discrimination"]["ordered_rightly"],
            judge["label"],
            0.5,
        )
