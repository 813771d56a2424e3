"""Subject and background consistency of a long rollout. No Django here.

Source: VBench-Long's slow-fast evaluation (github.com/Vchitect/VBench, vbench2_beta_long) with
``--dev_flag``, as StreamAV-Bench calls it on the rollout at 2 pictures a second: clips of 2 s;
within a clip each picture against the first and the one before; across clips the same for the first
picture of each; the latter brought to the scale of the former by quantiles, and the mean of both.
Its files between the steps are encoded again each time; here they are not.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from measuring.plug_ins.port import Evaluate, Media, sampled

if TYPE_CHECKING:
    import torch

    Embedding = Callable[[torch.Tensor], torch.Tensor]

Floats = NDArray[np.float32]
Embed = Callable[[NDArray[np.uint8]], Floats]
PER_S, CLIP_S = 2.0, 2.0
CLIP = int(PER_S * CLIP_S)
AT_ONCE = 10 * CLIP
SHARE_WITHIN = 0.5


def clips(count: int) -> list[range]:
    """Return the pictures of each clip; a last one that is short is filled from those before it."""
    ranges = [range(start, start + CLIP) for start in range(0, count - CLIP + 1, CLIP)]
    if count % CLIP and count > CLIP:
        ranges.append(range(count - CLIP, count))
    return ranges or [range(count)]


def similarity(embeddings: Floats) -> float:
    """Return how alike (n, d) embeddings of unit length are: to the first and to the one before,
    none below 0.

    Raises ValueError for fewer than two.
    """
    if len(embeddings) < 2:  # noqa: PLR2004
        raise ValueError("consistency needs at least two pictures")
    first = np.maximum(embeddings[1:] @ embeddings[0], 0)
    before = np.maximum(np.sum(embeddings[1:] * embeddings[:-1], axis=1), 0)
    return float(np.mean((first + before) / 2))


def consistency(media: Media, *, within: Embed, across: Embed, quantiles: Sequence[float]) -> float:
    """Return the consistency of a whole rollout. Raises ValueError for one of a single picture."""
    count = round(media.seconds * PER_S)
    parts = clips(count)
    firsts = [part.start for part in parts]
    slow, fast = [], []
    for begin in range(0, count, AT_ONCE):
        pictures = sampled(media, begin / PER_S, min(begin + AT_ONCE, count) / PER_S, PER_S)
        slow.append(within(pictures))
        if len(parts) > 1 and (
            here := [first - begin for first in firsts if 0 <= first - begin < len(pictures)]
        ):
            fast.append(across(pictures[here]))
    every = np.concatenate(slow)
    inside = float(np.mean([similarity(every[part.start : part.stop]) for part in parts]))
    return fused(inside, similarity(np.concatenate(fast)) if fast else 0.0, quantiles)


def consistency_evaluator(
    within: Embedding, across: Embedding, device: torch.device, quantiles: Sequence[float]
) -> Evaluate:
    """Return what gives a rollout its consistency, by a tower for pictures within clips and one
    across them.
    """
    from measuring.plug_ins.towers.pictures import embedded  # noqa: PLC0415 - only where PyTorch is

    return lambda media: [
        consistency(
            media,
            within=lambda pictures: embedded(pictures, device, within),
            across=lambda pictures: embedded(pictures, device, across),
            quantiles=quantiles,
        )
    ]


def fused(within: float, across: float, quantiles: Sequence[float]) -> float:
    """Return the mean of both similarities, the second put on the first's scale; without a second,
    the first.
    """
    mapped = float(np.interp(across, np.linspace(0, 1, len(quantiles)), quantiles))
    if mapped:
        return SHARE_WITHIN * within + (1 - SHARE_WITHIN) * mapped
    return within
