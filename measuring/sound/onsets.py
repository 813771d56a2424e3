"""Where a sound may begin that a person should listen to: candidates, whose number is a candidate
for the count of events. No Django here.

A candidate is a stretch in which the band from 80 to 1,200 Hz rises well above what was there
before and beats: its level trembles 25 to 140 times a second, as a fluttering body of air does and
most bells, breaths and ticks do not. Speech beats too, and a chair that creaks: they become
candidates, and the person says that they are none.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from measuring.sound.loudness import Samples, at_48k

Floats = NDArray[np.float64]

RATE = 6_000  # of the band's samples, hertz: a whole part of 48,000
BAND = (80.0, 1200.0)
BEATS = (25.0, 140.0)
FRAME_S, WINDOW_S = 0.01, 0.1
RISE_DB, FALL_DB = 7.0, 4.5
QUIETEST_DB = -50.0
BEATING = 0.1
LOOK_BACK_S = 3.0
SHORTEST_S, GAP_S = 0.12, 0.15


@dataclass(frozen=True, slots=True)
class Candidate:
    """A stretch that may be an event: seconds from the clip's start, and how far it rises above
    before, in dB.
    """

    onset_s: float
    end_s: float
    rise_db: float


def candidates(samples: Samples, rate: int) -> list[Candidate]:
    """Return the candidates in samples (n, channels), -1..1, in the order of time."""
    level, beating = _levels(samples, rate)
    if not len(level):
        return []
    before = _background(level)
    is_up = (level > QUIETEST_DB) & (level - before > FALL_DB) & (beating > BEATING)
    onsets = []
    for start, end in _joined(_runs(is_up)):
        rise = float((level - before)[start:end].max())
        if rise >= RISE_DB and (end - start) * FRAME_S >= SHORTEST_S:
            begin = _attack(level, start)
            onsets.append(
                Candidate(round(begin * FRAME_S, 3), round(end * FRAME_S, 3), round(rise, 1))
            )
    return onsets


def _levels(samples: Samples, rate: int) -> tuple[Floats, Floats]:
    """(frames,) the level of the band in dB, and how much of its envelope beats (0 to 1)."""
    from scipy.signal import butter, hilbert, sosfiltfilt  # noqa: PLC0415 - a web process does without it

    wide = at_48k(samples, rate)
    if len(wide) < 48_000 * WINDOW_S * 2:
        return np.zeros(0), np.zeros(0)
    mono = wide.mean(axis=1)
    band = sosfiltfilt(butter(4, BAND, "bandpass", fs=48_000, output="sos"), mono)[
        :: 48_000 // RATE
    ]
    envelope = np.abs(hilbert(band))
    beats = sosfiltfilt(butter(2, BEATS, "bandpass", fs=RATE, output="sos"), envelope)
    size = round(FRAME_S * RATE)
    frames = len(band) // size

    def mean(values: Floats) -> Floats:
        return np.asarray(values[: frames * size].reshape(frames, size).mean(axis=1))

    level = 10 * np.log10(np.maximum(mean(band**2), 1e-12))
    width = round(WINDOW_S / FRAME_S)
    smooth = np.ones(width) / width
    power = np.convolve(mean(envelope**2), smooth, "same")
    beating = np.sqrt(np.convolve(mean(beats**2), smooth, "same") / np.maximum(power, 1e-12))
    return level, beating


def _background(level: Floats) -> Floats:
    """(frames,) the level that half of the last three seconds were below."""
    width = round(LOOK_BACK_S / FRAME_S)
    padded = np.concatenate([np.full(width, np.median(level[:width])), level])
    windows = np.lib.stride_tricks.sliding_window_view(padded, width)[: len(level)]
    return np.asarray(np.median(windows, axis=1))


def _runs(is_up: NDArray[np.bool_]) -> list[tuple[int, int]]:
    edges = np.flatnonzero(np.diff(np.concatenate([[False], is_up, [False]]).astype(np.int8)))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))


def _joined(runs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The runs, with those that a short gap parts made one."""
    joined: list[tuple[int, int]] = []
    for start, end in runs:
        if joined and (start - joined[-1][1]) * FRAME_S <= GAP_S:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((start, end))
    return joined


def _attack(level: Floats, start: int) -> int:
    """The frame of the steepest rise around the start of a run: beating is measured over a window
    and comes late.
    """
    reach = round(WINDOW_S / FRAME_S)
    low, high = max(1, start - reach), min(len(level), start + reach)
    steps = np.diff(level)[low - 1 : high - 1]
    if len(steps):
        return low + int(np.argmax(steps))
    return start
