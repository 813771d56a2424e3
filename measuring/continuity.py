"""How smoothly a picture continues across a boundary. No Django here.

Source: the evaluation protocol of StreamAV-Bench (arXiv:2608.26336v1, §B.2 and its public
evaluation code): a window of 4 s around each boundary, sampled 8 times a second in step with the
boundary, 160 pixels wide, gray:

    score = clip(100 - (70 black + 45 repeated + 12 frozen_s + 8 flashes), 0, 100)

where ``black`` is the share of pictures darker than 0.05 on average, ``repeated`` the share of
neighbouring pictures that differ by less than 0.01 on average, ``frozen_s`` the longest run of
those in seconds, and ``flashes`` how many neighbours differ in brightness by more than 0.45;
brightness runs from 0 to 1.

A scene that hardly moves, or has little contrast, counts as repeated: the measure is for rollouts
whose picture moves, and it is shown with its parts.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

WINDOW_S = 4
SAMPLES_S = 8
WIDTH = 160
DARK, ALIKE, JUMP = 0.05, 0.01, 0.45
BLACK_COSTS, REPEATED_COSTS, FROZEN_COSTS, FLASH_COSTS = 70.0, 45.0, 12.0, 8.0
SIGNAL_SHARE = 0.7
_HALF = WINDOW_S * SAMPLES_S // 2


@dataclass(frozen=True, slots=True)
class Window:
    """The continuity around one boundary: its parts, and the score from 0 to 100.

    ``at_s`` is the boundary's time.
    """

    at_s: float
    black: float
    repeated: float
    frozen_s: float
    flashes: int
    score: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


def step(frame_rate: Fraction) -> int | None:
    """Return how many pictures lie between two samples, None when the rate is no multiple of 8 a
    second.
    """
    steps = frame_rate / SAMPLES_S
    if steps.denominator == 1:
        return int(steps)
    return None


def is_whole(boundary: int, frames: int, frame_rate: Fraction) -> bool:
    """Say whether the window around picture ``boundary`` lies wholly inside a rollout of ``frames``
    pictures.
    """
    half = frame_rate * WINDOW_S / 2
    return boundary - half >= 0 and boundary + half <= frames


def in_prefix(windows: Iterable[Window], seconds: float) -> list[Window]:
    """Return the windows that are whole in the first ``seconds`` of a rollout: those that the
    prefix alone has.
    """
    return [window for window in windows if window.at_s + WINDOW_S / 2 <= seconds]


def places(boundary: int, every: int) -> range:
    """Return the places of the 32 pictures that are looked at around a boundary."""
    return range(boundary - _HALF * every, boundary + _HALF * every, every)


def look(pictures: NDArray[np.uint8], at_s: float) -> Window:
    """Return the continuity of a window's gray pictures (n, height, width), 0..255 each."""
    brightness = pictures.mean(axis=(1, 2)) / 255
    changes = np.abs(np.diff(pictures.astype(np.int16), axis=0)).mean(axis=(1, 2)) / 255
    return score(brightness, changes, at_s)


def score(brightness: NDArray[np.float64], changes: NDArray[np.float64], at_s: float) -> Window:
    """Return the continuity of a window from its pictures' brightness (n) and neighbours'
    differences (n - 1), 0..1.
    """
    black = float(np.mean(brightness < DARK))
    alike = changes < ALIKE
    repeated = float(np.mean(alike))
    frozen_s = (
        max((sum(run) for same, run in groupby(alike.tolist()) if same), default=0) / SAMPLES_S
    )
    flashes = int(np.sum(np.abs(np.diff(brightness)) > JUMP))
    lost = (
        BLACK_COSTS * black
        + REPEATED_COSTS * repeated
        + FROZEN_COSTS * frozen_s
        + FLASH_COSTS * flashes
    )
    return Window(at_s, black, repeated, frozen_s, flashes, float(np.clip(100 - lost, 0, 100)))


def worst(windows: Iterable[Window], count: int = 5) -> list[Window]:
    """Return the windows with the lowest scores, the worst first, that do not overlap: a defect is
    seen from every boundary within two seconds, and is named once.
    """
    found: list[Window] = []
    for window in sorted(windows, key=lambda one: (one.score, one.at_s)):
        if len(found) < count and all(abs(window.at_s - one.at_s) >= WINDOW_S for one in found):
            found.append(window)
    return found


def prompt_continuity(signal: float, rating: float) -> float:
    """Return the visual continuity (1 to 5) where a prompt arrived: 70 % of the picture's part, 30
    % of a rating.

    Both are on 1..5. Source: the same public evaluation code.
    """
    return SIGNAL_SHARE * signal + (1 - SIGNAL_SHARE) * rating


def signal_part(window: Window) -> float:
    """Return the picture's part in the continuity where a prompt arrived: the score brought from
    0..100 to 1..5.
    """
    return 1 + 4 * window.score / 100
