"""Integrated loudness as ITU-R BS.1770-5 defines it, and how much of a sound is silence.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

import numpy as np
from numpy.typing import NDArray

Samples = NDArray[np.floating]  # (n, channels), -1..1

RATE = 48_000
# Annex 1, tables 1 and 2, for 48 kHz: the shelf of the head, then the high-pass of the revised
# low-frequency curve B.
SHELF = (
    (1.53512485958697, -2.69169618940638, 1.19839281085285),
    (1.0, -1.69065929318241, 0.73248077421585),
)
HIGH_PASS = ((1.0, -2.0, 1.0), (1.0, -1.99004745483398, 0.99007225036621))
OFFSET = -0.691
BLOCK_S, STEP_S = 0.4, 0.1
ABSOLUTE_GATE, RELATIVE_GATE = (
    -70.0,
    -10.0,
)  # LUFS, and LU below the loudness of what passed the first gate
SILENT_DB = -60.0  # of full scale
FRAME_S = 0.02


@dataclass(frozen=True, slots=True)
class Silence:
    """Silence below -60 dB of full scale: its share of the clip (0 to 1) and its longest stretch in
    seconds.

    ``is_total`` says that there is nothing else.
    """

    share: float
    longest_s: float
    is_total: bool


def integrated_loudness(samples: Samples, rate: int) -> float | None:
    """Return the gated loudness in LUFS; None where nothing is louder than -70 LUFS, or the sound
    is under 0.4 s.

    samples: (n, channels), mono or stereo, each channel weighted alike as the recommendation says
    for those.
    """
    powers = _block_powers(at_48k(samples, rate))
    loud = powers[_loudness(powers) > ABSOLUTE_GATE]
    if not len(loud):
        return None
    gate = float(_loudness(loud.mean())) + RELATIVE_GATE
    loud = loud[_loudness(loud) > gate]
    if len(loud):
        return float(_loudness(loud.mean()))
    return None


def at_48k(samples: Samples, rate: int) -> NDArray[np.float64]:
    """Return the samples at 48 kHz, which the filters are stated for."""
    from scipy.signal import resample_poly  # noqa: PLC0415 - a web process does without it

    wide = np.asarray(samples, dtype=np.float64)
    if rate == RATE or not len(wide):
        return wide
    part = gcd(rate, RATE)
    return np.asarray(resample_poly(wide, RATE // part, rate // part, axis=0))


def _block_powers(samples: NDArray[np.float64]) -> NDArray[np.float64]:
    """(blocks,) the weighted mean square of blocks of 0.4 s that begin every 0.1 s, summed over the
    channels.
    """
    from scipy.signal import lfilter  # noqa: PLC0415

    size, step = round(BLOCK_S * RATE), round(STEP_S * RATE)
    if len(samples) < size:
        return np.zeros(0)
    weighted = lfilter(*HIGH_PASS, lfilter(*SHELF, samples, axis=0), axis=0)
    total = np.concatenate([[0.0], np.cumsum((weighted**2).sum(axis=1))])
    starts = np.arange(0, len(samples) - size + 1, step)
    return np.asarray((total[starts + size] - total[starts]) / size)


def _loudness(power: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(OFFSET + 10 * np.log10(np.maximum(power, 1e-20)))


def silence_of(samples: Samples, rate: int) -> Silence:
    """Return how much of a sound is silent, looked at in frames of 20 ms."""
    size = round(FRAME_S * rate)
    frames = len(samples) // size
    if frames == 0:
        return Silence(1.0, len(samples) / rate, is_total=True)
    squares = (
        np.square(np.asarray(samples[: frames * size], dtype=np.float64))
        .max(axis=1)
        .reshape(frames, size)
    )
    silent = 10 * np.log10(np.maximum(squares.mean(axis=1), 1e-20)) < SILENT_DB
    edges = np.flatnonzero(np.diff(np.concatenate([[False], silent, [False]]).astype(np.int8)))
    stretches = edges[1::2] - edges[::2]
    longest = float(stretches.max()) * size / rate if len(stretches) else 0.0
    return Silence(float(silent.mean()), longest, is_total=bool(silent.all()))
