"""Subject and background consistency of a long rollout. No Django here.

Source: VBench-Long's slow-fast evaluation (github.com/Vchitect/VBench, vbench2_beta_long), on the rollout at 2 pictures
a second: clips of 2 s; within a clip each picture against the first and the one before; across clips the same for the
first picture of each; the latter brought to the scale of the former and both joined by weight. The joined value of the
single rollout is taken; the paper does not say which of VBench-Long's two outputs it reports.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Embed = Callable[[NDArray[np.uint8]], Floats]
PER_S, CLIP_S = 2.0, 2.0
CLIP = int(PER_S * CLIP_S)


@dataclass(frozen=True, slots=True)
class Fusion:
    """How the two parts are joined: weights, and mean and spread of each, from VBench-Long's ``slow_fast_params``."""

    within_weight: float
    within_mean: float
    within_spread: float
    across_weight: float
    across_mean: float
    across_spread: float

    def join(self, within: float, across: float) -> float:
        """Return the joined score."""
        mapped = (across - self.across_mean) / self.across_spread * self.within_spread + self.within_mean
        return self.within_weight * within + self.across_weight * mapped


SUBJECT = Fusion(0.7, 0.9206531487463249, 0.004580085658914342, 0.3, 0.782773956831079, 0.024658268466961904)
BACKGROUND = Fusion(0.8, 0.9461633887475777, 0.00041191287498028263, 0.2, 0.8817304710164493, 0.007886728751286067)


def clips(count: int) -> list[range]:
    """Return the pictures of each clip; a last one that is short is filled from those before it."""
    found = [range(start, start + CLIP) for start in range(0, count - CLIP + 1, CLIP)]
    if count % CLIP and count > CLIP:
        found.append(range(count - CLIP, count))
    return found or [range(count)]


def similarity(embeddings: Floats) -> float:
    """Return how alike (n, d) embeddings of unit length are: to the first and to the one before, none below 0.

    Raises ValueError for fewer than two.
    """
    if len(embeddings) < 2:  # noqa: PLR2004
        raise ValueError("consistency needs at least two pictures")
    first = np.maximum(embeddings[1:] @ embeddings[0], 0)
    before = np.maximum(np.sum(embeddings[1:] * embeddings[:-1], axis=1), 0)
    return float(np.mean((first + before) / 2))


def consistency(pictures: NDArray[np.uint8], *, within: Embed, across: Embed, fusion: Fusion) -> float:
    """Return the consistency of pictures (n, height, width, 3) taken twice a second."""
    parts = clips(len(pictures))
    slow = within(pictures)
    inside = float(np.mean([similarity(slow[part.start : part.stop]) for part in parts]))
    if len(parts) == 1:
        return inside
    return fusion.join(inside, similarity(across(pictures[[part.start for part in parts]])))


def unit(embeddings: Sequence[Floats] | Floats) -> Floats:
    """Return embeddings scaled to unit length."""
    found = np.asarray(embeddings, np.float32)
    return np.asarray(found / np.linalg.norm(found, axis=-1, keepdims=True), np.float32)
