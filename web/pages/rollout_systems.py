"""One system of a round of rollouts as its page shows it: along its rollouts, its diagnostics, and
each rollout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.protocol import Protocol
from fartbench.protocol.rollouts.metrics import Metric
from scoring.release.pages import LEADERBOARD, configuration_document
from scoring.release.rollouts.pages import rollout_document
from web.pages.figures import Figure, stored_figure
from web.pages.rollouts import case_values, digits_of, table_of


@dataclass(frozen=True, slots=True)
class CurveLine:
    """How one metric develops along a system's rollouts: its mean up to each end, and changes."""

    metric: Metric
    points: tuple[tuple[str, Figure], ...]
    degradation: Figure
    variation: Figure
    note: str


def curve_lines(curves: Mapping[str, Mapping[str, Any]], rules: Protocol) -> list[CurveLine]:
    """Return a line for each metric that can be followed along a rollout."""
    lines = []
    for metric in table_of(rules).metrics:
        if (found := curves.get(metric.code)) is None:
            continue
        # Releases before format 3 have bare means.
        placed = zip(found["at_s"], found.get("means", found["values"]), strict=True)
        points = tuple(
            (f"{at:g} s", stored_figure(mean, digits=digits_of(metric))) for at, mean in placed
        )
        slope, steps = (
            stored_figure(found[key], digits=digits_of(metric) + 1)
            for key in ("degradation", "variation")
        )
        lines.append(CurveLine(metric, points, slope, steps, found["note"]))
    return lines


@dataclass(frozen=True, slots=True)
class DiagnosticLine:
    """A diagnostic of a system: what it is, and its figures, each after what it says."""

    label: str
    figures: tuple[tuple[str, Figure], ...]


def diagnostic_lines(document: Mapping[str, Any] | None) -> list[DiagnosticLine]:
    """Return the diagnostics of a system (`scoring.rollouts.diagnostics`)."""
    if document is None:
        return []
    lines = [
        DiagnosticLine(
            f"Initial {code}: the first prompt in the first interval", (("", stored_figure(one)),)
        )
        for code, one in document["initial"].items()
    ]
    for code, one in document["capped"].items():
        label = f"{code} with 30 s for what was never reached"
        lines.append(DiagnosticLine(label, (("in seconds", stored_figure(one)),)))
    for kind, found in document["dependencies"].items():
        label = f"Updates that build on others, {kind.replace('_', '-')}: {found['updates']}"
        figures = tuple((words, stored_figure(found[key])) for key, words in _DEPENDENCY.items())
        lines.append(DiagnosticLine(label, figures))
    return lines


_DEPENDENCY = {
    "established": "source came about",
    "following": "followed",
    "adjusted": "both joined",
}


@dataclass(frozen=True, slots=True)
class RolloutLine:
    """A system's rollout in a list."""

    scene: str
    title: str
    track: str
    replicate: int
    outcome: str
    reason: str
    values: tuple[tuple[str, str], ...]


def rollout_lines(document: Mapping[str, Any], rules: Protocol) -> list[RolloutLine]:
    """Return a system's rollouts with the values of their metrics."""
    table = table_of(rules)
    return [
        RolloutLine(
            scene=one["scene"],
            title=rules.scene(one["scene"]).title,
            track=one["track"],
            replicate=one["replicate"],
            outcome=one["outcome"].replace("_", " "),
            reason=one["reason"],
            values=tuple(case_values(table, one["values"])),
        )
        for one in document["rollouts"]
    ]


@dataclass(frozen=True, slots=True)
class Preview:
    """A rollout in the preview of its round: whose it is, and its document
    (`scoring.release.rollouts.pages`).
    """

    configuration: str
    line: RolloutLine
    document: Mapping[str, Any]


def previews_of(documents: Mapping[str, Mapping[str, Any]], rules: Protocol) -> list[Preview]:
    """Return every rollout of a round, system by system."""
    return [
        Preview(name, line, documents[rollout_document(name, line.scene, line.replicate)])
        for name in (entry["name"] for entry in documents[LEADERBOARD]["configurations"])
        for line in rollout_lines(documents[configuration_document(name)], rules)
    ]
