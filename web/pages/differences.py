"""Which configurations of a round differ, and what each scene tells, as tables for people.

Nothing is computed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fartbench.numbers import number_text
from fartbench.protocol import Protocol, Scene
from web.pages.figures import Figure, difference_in_words, figure

Document = Mapping[str, Any]
SURE = 0.05


@dataclass(frozen=True, slots=True)
class Pair:
    """How surely the row is ahead of the column: one less the one-sided p-value, and the two-sided
    one after Holm's correction.
    """

    chance: str
    adjusted: str
    is_sure: bool


@dataclass(frozen=True, slots=True)
class SceneLine:
    """A scene with the share of its points that was lost, and how well it tells configurations
    apart.
    """

    scene: Scene
    difficulty: Figure
    discrimination: Figure


@dataclass(frozen=True, slots=True)
class Differences:
    """What is different. ``tiers`` is empty where nothing is known, or in releases of an older
    format; ``matrix`` has None on its diagonal.
    """

    sentence: str
    tiers: tuple[tuple[str, ...], ...]
    method: str
    names: tuple[str, ...]
    matrix: tuple[tuple[str, tuple[Pair | None, ...]], ...]
    scenes: tuple[SceneLine, ...]


def differences_of(ranking: Document, rules: Protocol) -> Differences:
    """Return what a ranking says of differences (`scoring.reports.sureness`)."""
    ahead = ranking["ahead"]
    has_matrix = ahead is not None and "adjusted_p" in ahead
    return Differences(
        sentence=difference_in_words(ranking["one_point"]),
        tiers=tuple(map(tuple, ranking.get("tiers") or ())),
        method=ranking["one_point"].get("method", ""),
        names=tuple(ahead["configurations"]) if has_matrix else (),
        matrix=_matrix(ahead) if has_matrix else (),
        scenes=_scenes(ranking, rules),
    )


def _scenes(ranking: Document, rules: Protocol) -> tuple[SceneLine, ...]:
    lines = []
    for key, found in ranking.get("scenes", {}).items():
        difficulty = figure(found["difficulty"], percent=True)
        lines.append(SceneLine(rules.scene(key), difficulty, figure(found["discrimination"])))
    return tuple(lines)


def _matrix(ahead: Document) -> tuple[tuple[str, tuple[Pair | None, ...]], ...]:
    lines = []
    rows = zip(ahead["configurations"], ahead["chance"], ahead["adjusted_p"], strict=True)
    for place, (name, chances, adjusted) in enumerate(rows):
        cells = [
            None if other == place else _pair(chance, p)
            for other, (chance, p) in enumerate(zip(chances, adjusted, strict=True))
        ]
        lines.append((name, tuple(cells)))
    return tuple(lines)


def _pair(chance: float, p: float) -> Pair:
    # What is not quite sure is never written as if it were.
    shown = "> 0.99" if chance > 0.99 else "< 0.01" if chance < 0.01 else number_text(chance, ".2f")  # noqa: PLR2004
    adjusted = "p < 0.001" if p < 0.001 else f"p = {number_text(p, '.2g')}"  # noqa: PLR2004
    return Pair(shown, adjusted, p < SURE)
