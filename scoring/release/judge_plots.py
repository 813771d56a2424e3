"""The plots about AI judges: agreement on facts beside each threshold, and how ratings order clips.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator

from fartbench.protocol import Protocol
from scoring.release.drawing import Axis, Dot, dot_plot
from scoring.report_classes.judges import Calibrated, JudgeReport

SHARES = (0, 0.25, 0.5, 0.75, 1)


def judge_plots(protocol: Protocol, report: JudgeReport) -> dict[str, str]:
    """Return each plot of the report on judges by its file name; none without judges."""
    judges = report.judges
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


def _facts(protocol: Protocol, judge: Calibrated) -> Iterator[Dot]:
    for key, gate in judge.facts.items():
        threshold = gate.threshold.part / gate.threshold.of
        yield Dot(protocol.question(key).label, gate.overall.share, judge.label, threshold)


def _ratings(protocol: Protocol, judge: Calibrated) -> Iterator[Dot]:
    for key, scale in judge.ratings.items():
        ordered = scale.discrimination.ordered_rightly
        yield Dot(protocol.question(key).label, ordered, judge.label, 0.5)
