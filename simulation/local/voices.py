"""Sounds made from nothing: mono, 48 kHz, peak 1 unless said otherwise. No Django here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

RATE = 48_000
Samples = NDArray[np.float64]
Random = np.random.Generator
Mode = tuple[float, float, float]  # centre in Hz, bandwidth in Hz, gain


def levelled(sound: Samples) -> Samples:
    """Return the sound scaled to a peak of 1."""
    return sound / (float(np.abs(sound).max()) + 1e-12)


def faded(sound: Samples, attack: float, release: float) -> Samples:
    """Return the sound with raised-cosine fades of so many seconds."""
    for length, part in ((attack, slice(None)), (release, slice(None, None, -1))):
        count = min(len(sound), max(1, int(length * RATE)))
        sound[part][:count] *= 0.5 - 0.5 * np.cos(np.pi * np.arange(count) / count)
    return sound


def resonated(sound: Samples, modes: Sequence[Mode]) -> Samples:
    """Return the sound through parallel two-pole resonances, causal: nothing rings before it is
    struck.
    """
    size = 1 << (2 * len(sound) - 1).bit_length()
    frequency = np.fft.rfftfreq(size, 1 / RATE)
    response = np.zeros(len(frequency), complex)
    for centre, width, gain in modes:
        response += (
            gain * 1j * frequency * width / (centre**2 - frequency**2 + 1j * frequency * width)
        )
    return np.asarray(np.fft.irfft(np.fft.rfft(sound, size) * response, size)[: len(sound)])


def noise(random: Random, length: float, low: float, high: float) -> Samples:
    """Return noise of so many seconds between two frequencies, with soft edges."""
    count = max(8, int(length * RATE))
    spectrum = np.fft.rfft(random.normal(size=count))
    frequency = np.fft.rfftfreq(count, 1 / RATE)
    edges = (1 - 1 / (1 + (frequency / low) ** 4)) / (1 + (frequency / high) ** 4)
    return levelled(np.fft.irfft(spectrum * edges, count))


def struck(partials: Sequence[tuple[float, float, float]], length: float) -> Samples:
    """Return something struck: partials as (Hz, seconds of decay, gain)."""
    time = np.arange(int(length * RATE)) / RATE
    sound = sum(
        (
            gain * np.exp(-time / decay) * np.sin(2 * np.pi * hertz * time)
            for hertz, decay, gain in partials
        ),
        np.zeros(len(time)),
    )
    return levelled(faded(sound, 0.0008, 0.05))


def _wander(random: Random, count: int, per_second: float) -> Samples:
    """Return a slow random curve of about unit size."""
    knots = max(4, int(count / RATE * per_second) + 2)
    return np.interp(np.linspace(0, knots - 1, count), np.arange(knots), random.normal(size=knots))


def _pulses(random: Random, rate: Samples, unevenness: float) -> Samples:
    """Return unit impulses at a changing rate (Hz per sample) of uneven height; the first is at
    once.
    """
    phase = np.cumsum(rate) / RATE
    at = np.concatenate([[0], np.flatnonzero(np.diff(np.floor(phase))) + 1])
    train = np.zeros(len(rate))
    train[at] = 1 + unevenness * random.uniform(-1, 1, len(at))
    return train


def fart(random: Random, length: float, realism: float) -> Samples:
    """Return a fart: uneven flaps that excite a few broad resonances, breath between them, a
    sputtering end.

    ``realism`` blends it with a plain synthesiser's buzz: 1 none of it, 0 nothing else.
    """
    count = int(length * RATE)
    part = np.linspace(0, 1, count)
    flaps = 96 - 44 * part**1.3 + 9 * _wander(random, count, 9) + 14 * np.exp(-part * 18)
    train = _pulses(random, np.maximum(flaps, 34), 0.28)
    opened = resonated(train, [(70, 90, 1.0)])
    breath = noise(random, length, 250, 3200)[:count] * np.maximum(levelled(opened), 0) ** 1.5
    body = resonated(
        train + 0.02 * breath,
        [(165, 130, 1.0), (410, 190, 0.85), (880, 320, 0.4), (1750, 700, 0.16)],
    )
    sound = levelled(body) + 0.22 * levelled(breath)
    sputter = 1 - np.clip((part - 0.55) / 0.45, 0, 1) * (
        0.5 + 0.5 * np.sin(2 * np.pi * np.cumsum(15 - 5 * part) / RATE)
    )
    shaped = faded(sound * sputter * (1 - 0.35 * part), 0.003, 0.12)
    real = levelled(
        np.tanh(0.8 * shaped / np.sqrt((shaped**2).mean()))
    )  # even loudness: the first flap is heard
    pitch = np.cumsum(np.full(count, 146.8)) / RATE
    buzz = faded(
        2 * np.abs(2 * (pitch % 1) - 1) - 1 + 0.4 * np.sign(np.sin(2 * np.pi * 2 * pitch)),
        0.004,
        0.03,
    )
    return levelled(realism * real + (1 - realism) * 0.8 * levelled(buzz))


def creak(random: Random, length: float) -> Samples:
    """Return old wood that creaks: stick and slip, faster and slower again, ringing narrow modes of
    the timber.
    """
    count = int(length * RATE)
    part = np.linspace(0, 1, count)
    slips = 30 + 62 * np.sin(np.pi * part) ** 1.4 + 5 * _wander(random, count, 12)
    train = _pulses(random, np.maximum(slips, 16), 0.45)
    modes = [
        (335, 26, 0.5),
        (742, 34, 1.0),
        (1180, 48, 0.9),
        (1730, 60, 0.65),
        (2610, 90, 0.4),
        (3900, 160, 0.2),
    ]
    sound = resonated(train, modes) + 0.12 * resonated(
        train * random.normal(size=count), [(2400, 1800, 1.0)]
    )
    return levelled(faded(sound * (0.6 + 0.4 * np.sin(np.pi * part) ** 0.7), 0.004, 0.12))


def beep(length: float) -> Samples:
    """Return a plain electronic tone."""
    time = np.arange(int(length * RATE)) / RATE
    return (
        faded(np.sin(2 * np.pi * 880 * time) + 0.3 * np.sin(2 * np.pi * 1760 * time), 0.004, 0.02)
        / 1.3
    )


def breath(random: Random, length: float) -> Samples:
    """Return an audible breath."""
    sound = noise(random, length, 500, 2600)
    return levelled(sound * np.sin(np.pi * np.linspace(0, 1, len(sound))) ** 1.5)


def rustle(random: Random, length: float) -> Samples:
    """Return a page that is turned."""
    sound = noise(random, length, 1500, 9000)
    grains = np.abs(_wander(random, len(sound), 70)) ** 2
    return levelled(sound * grains * np.sin(np.pi * np.linspace(0, 1, len(sound))) ** 0.8)


DING = ((1318.5, 0.55, 1.0), (2637.0, 0.3, 0.35), (3956.0, 0.16, 0.12), (1325.0, 0.5, 0.3))
GLASS = ((2210.0, 0.34, 1.0), (3480.0, 0.26, 0.7), (5240.0, 0.18, 0.55), (7350.0, 0.09, 0.35))
PLATES = (
    (612.0, 0.12, 0.6),
    (1470.0, 0.16, 0.8),
    (2330.0, 0.12, 1.0),
    (3710.0, 0.09, 0.7),
    (5190.0, 0.05, 0.4),
)
TICK = ((2900.0, 0.006, 1.0), (1650.0, 0.01, 0.7))
