"""Marks in the sound that a person should listen to. No Django here.

These are diagnostics beside the ratings of audio continuity, never a metric: they have names of
their own and fill no column. Clicks are left out on purpose: no rule was found that tells a click
from the attack of a percussive sound.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

SILENT = 1e-4  # of full scale; coded silence is not quite zero
DROPOUT_S = 0.05
CLIPPED, CLIPPED_RUN = 0.999, 4
STEP_S = 0.1
JUMP_DB = 20.0
QUIETEST_DB = -70.0


@dataclass(frozen=True, slots=True)
class Flag:
    """A mark: ``dropout`` (with how long it is, s), ``jump`` (how large, dB) or ``clipping`` (share
    of samples).
    """

    kind: str
    at_s: float
    amount: float

    def as_json(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return asdict(self)


def sound_flags(samples: NDArray[np.float32], rate: int) -> list[Flag]:
    """Return the marks in samples (n, channels), -1..1, in the order of time."""
    if not len(samples):
        return []
    loudest = np.abs(samples).max(axis=1)
    flags = [*_dropouts(loudest, rate), *_jumps(samples, rate), *_clipping(loudest)]
    return sorted(flags, key=lambda flag: flag.at_s)


def _dropouts(loudest: NDArray[np.float32], rate: int) -> list[Flag]:
    """Return stretches of dead silence between sounds."""
    dropouts = []
    for start, stop in _runs(loudest < SILENT):
        if (stop - start) / rate >= DROPOUT_S and start > 0 and stop < len(loudest):
            dropouts.append(Flag("dropout", start / rate, (stop - start) / rate))
    return dropouts


def _jumps(samples: NDArray[np.float32], rate: int) -> list[Flag]:
    """Return where loudness changes by a lot from one tenth of a second to the next."""
    size = round(STEP_S * rate)
    parts = samples[: len(samples) // size * size].reshape(-1, size * samples.shape[1])
    power = np.mean(np.square(parts, dtype=np.float64), axis=1)
    level = np.maximum(10 * np.log10(power + 1e-12), QUIETEST_DB)
    change = np.diff(level)
    return [
        Flag("jump", (int(at) + 1) * STEP_S, float(change[at]))
        for at in np.flatnonzero(np.abs(change) > JUMP_DB)
    ]


def _clipping(loudest: NDArray[np.float32]) -> list[Flag]:
    """Return one mark when samples sit at full scale in runs, with their share of all."""
    clipped = sum(
        stop - start for start, stop in _runs(loudest >= CLIPPED) if stop - start >= CLIPPED_RUN
    )
    if clipped:
        return [Flag("clipping", 0.0, clipped / len(loudest))]
    return []


def _runs(true: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the stretches in which an array is true, as (start, stop)."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], true, [False]]).astype(np.int8)))
    return [(int(start), int(stop)) for start, stop in zip(edges[::2], edges[1::2], strict=True)]
