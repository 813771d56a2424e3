"""Whether the sound of a normalised copy is that of the clip, at its time. No Django here; runs in
the sandbox.

Both are cut into short stretches, and each stretch of the clip is sought in the copy around its own
time (normalised cross-correlation of both channels together). One minus the correlation is the
stretch's residue: what of the copy is not the clip's, from 0 on. A stretch is late or early when it
fits much better at another time than near its own; a steady tone, which fits as well a period
later, is no false alarm. Silence is compared by its level.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

RATE = 24_000
"""Both are compared at this rate (Hz), so what is above 12 kHz does not count."""
STRETCH_S, SEEK_S = 0.25, 0.1
SLACK_S = 0.005
"""How far (s) sound may be off its time."""
SILENT = 3e-4
"""The level (root of the mean square, 1 is full scale) under which a stretch counts as silent: -70
dB.
"""
AUDIBLE = 4e-3
"""The level from which sound that the clip does not have is a fault: -48 dB."""
BESIDE = 0.1
"""A stretch with less than this part of the energy of one beside it is not compared: coding spreads
a sound so far.
"""
DRIFT_S = 0.04
LARGEST_RESIDUE = 0.4
TIMES_BEST, BEYOND_BEST = 3.0, 0.01
LEVEL_DB = 1.5
"""How much louder or softer (dB) the whole may be."""
AT_ONCE = 64

Sound = NDArray[np.float32]
"""Samples (n, 2) at RATE, -1..1."""


@dataclass(slots=True)
class Comparison:
    """What comparing the sound found: how far the copy's is late (s), how loud it is against the
    clip's (dB), the correlation at its best (0..1). None where the clip is silent.
    """

    offset: float | None
    level_db: float | None
    likeness: float | None
    faults: list[str]


@dataclass(slots=True)
class _Stretches:
    """Correlation sums of stretches at every lag (n, lags), and their energies (n) and (n,
    lags).
    """

    products: NDArray[np.float64]
    swapped: NDArray[np.float64]
    clip_energy: NDArray[np.float64]
    copy_energy: NDArray[np.float64]

    def of(self, which: NDArray[np.bool_]) -> _Stretches:
        """Return some of the stretches."""
        return _Stretches(
            self.products[which],
            self.swapped[which],
            self.clip_energy[which],
            self.copy_energy[which],
        )


def compare_sound(clip: Sound, copy: Sound) -> Comparison:
    """Compare two pieces of sound of the same length that begin at the same moment."""
    clip, copy = _without_drift(clip), _without_drift(copy)
    faults = list(_added(clip, copy))
    sums = _correlate(clip, copy)
    loud = _counted(sums.clip_energy)
    if not loud.any():
        return Comparison(None, None, None, faults)
    sums = sums.of(loud)
    middle, slack = sums.products.shape[1] // 2, round(SLACK_S * RATE)
    near = slice(middle - slack, middle + slack + 1)
    residues = _residues(sums.products, sums)
    offset = _offset(residues, near, middle)
    level_db = float(
        10 * np.log10(max(sums.copy_energy[:, middle].sum(), 1e-12) / sums.clip_energy.sum())
    )
    missing = int((residues[:, near].min(axis=1) > LARGEST_RESIDUE).sum())
    if missing:
        faults.append(f"{missing} of {len(residues)} stretches of its sound are not the clip's")
    if abs(offset) > SLACK_S:
        faults.append(f"its sound is {offset * 1000:+.1f} ms off")
    if _is_swapped(residues[:, near], _residues(sums.swapped, sums)[:, near], sums.clip_energy):
        faults.append("left and right are swapped")
    if abs(level_db) > LEVEL_DB:
        faults.append(
            f"its sound is {abs(level_db):.1f} dB {'louder' if level_db > 0 else 'softer'} than "
            "the clip's"
        )
    return Comparison(offset, level_db, float(1 - (residues[:, near].min(axis=1).mean())), faults)


def _counted(energy: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which stretches are compared: those that are not silent, and hold more than the edge
    of a louder one.
    """
    padded = np.pad(energy, 1)
    beside = np.maximum(padded[:-2], padded[2:])
    level = np.sqrt(energy / (2 * round(STRETCH_S * RATE)))
    return np.asarray((level > SILENT) & (energy > BESIDE * beside))


def _offset(residues: NDArray[np.float64], near: slice, middle: int) -> float:
    """Return how late the copy is (s): the middle over the stretches that fit much better at
    another time, or over all of their best times near their own when there is none.
    """
    nearest = residues[:, near].min(axis=1)
    late = nearest > TIMES_BEST * residues.min(axis=1) + BEYOND_BEST
    if late.any():
        return float(np.median(residues[late].argmin(axis=1) - middle)) / RATE
    is_due = residues[:, middle] <= TIMES_BEST * nearest + BEYOND_BEST
    return (
        float(
            np.median(np.where(is_due, 0, residues[:, near].argmin(axis=1) + near.start - middle))
        )
        / RATE
    )


def _is_swapped(
    straight: NDArray[np.float64], swapped: NDArray[np.float64], energy: NDArray[np.float64]
) -> bool:
    """Say whether the copy is much more like the clip with its channels swapped; louder stretches
    count for more.
    """
    weights = energy / energy.sum()
    as_it_is, other = (
        float((weights * residues.min(axis=1)).sum()) for residues in (straight, swapped)
    )
    return as_it_is > TIMES_BEST * other + BEYOND_BEST


def _without_drift(sound: Sound) -> Sound:
    """Return sound less its own mean over DRIFT_S around each sample: coders take out what is too
    low to be heard.
    """
    size = round(DRIFT_S * RATE)
    sums = np.concatenate([np.zeros((1, 2)), sound.cumsum(axis=0, dtype=np.float64)])
    low = np.clip(np.arange(len(sound)) - size // 2, 0, None)
    high = np.clip(np.arange(len(sound)) + size // 2, None, len(sound))
    return np.asarray(
        sound - (sums[high] - sums[low]) / np.maximum(high - low, 1)[:, None], np.float32
    )


def _residues(products: NDArray[np.float64], sums: _Stretches) -> NDArray[np.float64]:
    scale = np.sqrt(sums.clip_energy[:, None] * sums.copy_energy) + 1e-9
    return np.asarray(np.clip(1 - products / scale, 0, None))


def _correlate(clip: Sound, copy: Sound) -> _Stretches:
    """Return the sums of all stretches; a stretch that is not whole is filled up with silence."""
    size, reach = round(STRETCH_S * RATE), round(SEEK_S * RATE)
    count = max(1, -(-len(clip) // size))
    theirs = np.zeros((count * size, 2), np.float32)
    theirs[: len(clip)] = clip
    ours = np.zeros((count * size + 2 * reach, 2), np.float32)
    ours[reach : reach + len(copy)] = copy[: count * size]
    parts = [
        _part(theirs, ours, first, min(AT_ONCE, count - first))
        for first in range(0, count, AT_ONCE)
    ]
    return _Stretches(
        *(np.concatenate([getattr(part, name) for part in parts]) for name in _Stretches.__slots__)
    )


def _part(theirs: Sound, ours: Sound, first: int, count: int) -> _Stretches:
    size, reach = round(STRETCH_S * RATE), round(SEEK_S * RATE)
    clip = np.stack([theirs[n * size : (n + 1) * size] for n in range(first, first + count)])
    copy = np.stack(
        [ours[n * size : (n + 1) * size + 2 * reach] for n in range(first, first + count)]
    )
    points = 1 << (size + 2 * reach - 1).bit_length()
    clip_waves = np.conj(np.fft.rfft(clip, points, axis=1))
    copy_waves = np.fft.rfft(copy, points, axis=1)
    lags = slice(0, 2 * reach + 1)
    products = np.fft.irfft((clip_waves * copy_waves).sum(axis=2), points, axis=1)[:, lags]
    swapped = np.fft.irfft((clip_waves * copy_waves[:, :, ::-1]).sum(axis=2), points, axis=1)[
        :, lags
    ]
    squares = np.concatenate(
        [np.zeros((count, 1)), (copy.astype(np.float64) ** 2).sum(axis=2).cumsum(axis=1)], axis=1
    )
    energy = squares[:, size : size + 2 * reach + 1] - squares[:, : 2 * reach + 1]
    return _Stretches(
        products, swapped, (clip.astype(np.float64) ** 2).sum(axis=(1, 2)), np.maximum(energy, 0)
    )


def _added(clip: Sound, copy: Sound) -> Iterator[str]:
    """Yield a fault when the copy can be heard where the clip is silent, further than coding
    spreads a sound.
    """
    step = RATE // 50
    count = min(len(clip), len(copy)) // step
    theirs, ours = (
        np.sqrt((sound[: count * step].astype(np.float64) ** 2).reshape(count, -1).mean(axis=1))
        for sound in (clip, copy)
    )
    spread = 3
    padded = np.pad(theirs, spread)
    around = np.max(
        [padded[shift : shift + count] for shift in range(2 * spread + 1)], axis=0, initial=0
    )
    wrong = np.flatnonzero((ours > AUDIBLE) & (around < SILENT))
    if len(wrong):
        yield f"there is sound at {wrong[0] * step / RATE:.2f} s where the clip has none"
