"""Small multiples of a round: what each configuration came to in each scene. No Django here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import svg

from fartbench.numbers import number_text
from fartbench.protocol import Protocol, Scene
from scoring.release.drawing import FOOT, HEAD, WIDTH, document, hint, text

NAMES, GAP, ROW = 170, 16, 18
MOST_ROWS = 60
LETTER = 7.0  # pixels of a letter, on average


def scenes_plot(protocol: Protocol, ranking: Mapping[str, Any]) -> str:
    """Draw a panel for each scene with a mark for each configuration, best first; what has no clip
    that counts has no mark.
    """
    lines = ranking["leaderboard"][:MOST_ROWS]
    scenes = [protocol.scene(key) for key in ranking["scenes"]]
    most = ranking["total"] if protocol.scoring.is_weighted else protocol.points_per_clip
    bottom = HEAD + ROW * len(lines)
    elements: list[svg.Element] = [text(0, 16, "Scene by scene", "title")]
    for place, line in enumerate(lines):
        elements.append(text(0, _y(place) + 4, line["configuration"], "small"))
    width = (WIDTH - NAMES) / max(len(scenes), 1)
    for place, scene in enumerate(scenes):
        elements += _panel(scene, lines, float(most), (NAMES + place * width, width - GAP))
    words = f"from 0 to {most} in each scene: the mean of the clips that count"
    if left := len(ranking["leaderboard"]) - len(lines):
        words += f"; {left} more configurations are in the table"
    elements.append(text(NAMES, bottom + 18, words, "soft"))
    return document("Scene by scene", bottom + FOOT, elements, style=_STYLE)


_STYLE = (
    ".small { font-size: 11px } .stem { stroke: var(--mark); stroke-width: 2; opacity: 0.35 }\n"
)


def _y(place: int) -> float:
    return HEAD + ROW * (place + 0.5)


def _panel(
    scene: Scene, lines: Sequence[Mapping[str, Any]], most: float, at: tuple[float, float]
) -> Iterator[svg.Element]:
    left, width = at
    letters = int(width / LETTER)
    title = scene.title if len(scene.title) <= letters else f"{scene.title[: letters - 1]}…"
    label = text(round(left, 1), HEAD - 12, title, "soft")
    label.elements = [hint(scene.title)]
    yield label
    for share in (0, 0.5, 1):
        x = round(left + share * width, 1)
        yield svg.Line(x1=x, x2=x, y1=HEAD - 6, y2=HEAD + ROW * len(lines), class_=["grid"])
    for place, line in enumerate(lines):
        value = line["by_scene"][scene.key]
        if value is None:
            continue
        x, y = round(left + width * value / most, 1), _y(place)
        words = hint(f"{line['configuration']}, {scene.title}: {number_text(value, '.4g')}")
        yield svg.Line(x1=round(left, 1), x2=x, y1=y, y2=y, class_=["stem"])
        yield svg.Circle(cx=x, cy=y, r=4, class_=["mark"], elements=[words])
