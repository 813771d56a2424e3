"""What each scene tells about configurations: how hard it is, and how well it tells them apart. No
Django here.

Of a test's items these are the difficulty and the corrected item-total correlation (Lord & Novick
1968, Statistical Theories of Mental Test Scores, ch. 15), with Fisher's interval (1921, Metron 1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import EQUAL, Floats, mean_interval

FEWEST_CONFIGURATIONS = 4
PERFECT = 1 - 1e-9
NORMAL = 1.959963984540054  # of the standard normal, 97.5 %


@dataclass(frozen=True, slots=True)
class Item:
    """A scene: the share of its points that configurations lost on average, and how its points
    correlate, over configurations, with their points in the other scenes.
    """

    difficulty: Estimate | Undefined
    discrimination: Estimate | Undefined


def items(points: Floats, most: float) -> Iterator[Item]:
    """Yield each scene of (C, S) mean points from 0 to `most`; nan where a clip is missing.

    Only configurations with points in every scene enter the discrimination. n counts
    configurations, and the intervals are about other configurations.
    """
    whole = points[~np.isnan(points).any(axis=1)]
    for scene in range(points.shape[1]):
        known = points[~np.isnan(points[:, scene]), scene]
        lost = mean_interval(1 - known / most, bounds=(0.0, 1.0), of="configurations")
        rest = np.delete(whole, scene, axis=1).sum(axis=1)
        yield Item(lost, _discrimination(whole[:, scene], rest))


def _discrimination(scene: Floats, rest: Floats) -> Estimate | Undefined:
    n = len(scene)
    if n < FEWEST_CONFIGURATIONS:
        return Undefined(f"needs {FEWEST_CONFIGURATIONS} configurations with every scene", n)
    if np.ptp(scene) <= EQUAL or np.ptp(rest) <= EQUAL:
        return Undefined("all configurations have the same points there", n)
    value = float(np.corrcoef(scene, rest)[0, 1])
    if abs(value) >= PERFECT:
        return without_interval(value, n, "a perfect correlation leaves no spread to tell from")
    reach = NORMAL / (n - 3) ** 0.5
    low, high = (math.tanh(math.atanh(value) + side * reach) for side in (-1, 1))
    return Estimate(value, low, high, n, "Fisher's z")
