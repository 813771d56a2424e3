"""Speech-like babble: syllables that lips can follow, voiced by formants. No Django here."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from simulation.local.takes import Span
from simulation.local.voices import RATE, Random, Samples, faded, levelled, noise, resonated

# First three formants in Hz and how wide the mouth opens, for an adult male voice (Peterson and
# Barney, 1952, rounded).
VOWELS = (
    (730, 1090, 2440, 1.0),
    (530, 1840, 2480, 0.65),
    (390, 1990, 2550, 0.4),
    (570, 840, 2410, 0.8),
    (440, 1020, 2240, 0.5),
    (490, 1350, 1690, 0.55),
)


class Syllable(NamedTuple):
    """One syllable: seconds, pitch in Hz, which vowel, and how it begins (0 vowel, 1 hiss, 2
    burst).
    """

    start: float
    length: float
    pitch: float
    vowel: int
    begins: int

    @property
    def end(self) -> float:
        """When it is over."""
        return self.start + self.length


def syllables(random: Random, span: Span, pitch: float = 122.0) -> list[Syllable]:
    """Return syllables that fill a span from its first to its last moment, in words and phrases
    that fall in pitch.
    """
    spoken: list[Syllable] = []
    time, in_word, in_phrase = span[0], 0, 0
    while time < span[1] - 0.08:
        length = min(float(random.uniform(0.13, 0.23)), span[1] - time)
        tone = pitch * (1.16 - 0.03 * min(in_phrase, 9)) * float(random.uniform(0.95, 1.07))
        spoken.append(
            Syllable(time, length, tone, int(random.integers(len(VOWELS))), int(random.integers(3)))
        )
        time += length
        in_word, in_phrase = in_word + 1, in_phrase + 1
        if in_word >= int(random.integers(1, 4)):
            in_word = 0
            time += float(random.uniform(0.02, 0.06))
            if in_phrase > 8:
                in_phrase, time = 0, time + 0.16
    return spoken


def opening(spoken: list[Syllable], time: float) -> float:
    """Return how wide the mouth is open at a time, 0 to 1."""
    for syllable in spoken:
        if syllable.start <= time < syllable.end:
            part = (time - syllable.start) / syllable.length
            return float(VOWELS[syllable.vowel][3] * np.sin(np.pi * part) ** 0.7)
    return 0.0


def voiced(random: Random, spoken: list[Syllable], length: float) -> Samples:
    """Return the syllables as sound of so many seconds, from time 0."""
    sound = np.zeros(int(length * RATE))
    for syllable in spoken:
        start = int(syllable.start * RATE)
        piece = _syllable(random, syllable)[: max(0, len(sound) - start)]
        sound[start : start + len(piece)] += piece
    return levelled(sound)


def _syllable(random: Random, syllable: Syllable) -> Samples:
    count = int(syllable.length * RATE)
    part = np.linspace(0, 1, count)
    phase = (
        np.cumsum(syllable.pitch * (1.04 - 0.1 * part) * (1 + 0.008 * random.normal(size=count)))
        / RATE
    )
    glottal = np.diff(
        np.maximum(np.sin(2 * np.pi * phase), 0) ** 2 * (1 - 0.5 * (phase % 1)), prepend=0.0
    )
    first, second, third, _ = VOWELS[syllable.vowel]
    modes = [(first, 70, 1.0), (second, 95, 0.55), (third, 140, 0.3), (3500, 250, 0.12)]
    vowel = levelled(resonated(glottal + 0.0004 * random.normal(size=count), modes))
    sound = faded(vowel, 0.02, 0.05) * (0.75 + 0.25 * np.sin(np.pi * part))
    if syllable.begins:
        low, high, size = (3200, 8500, 0.07) if syllable.begins == 1 else (900, 4200, 0.022)
        hiss = faded(noise(random, min(size, syllable.length), low, high), 0.004, size / 2)[:count]
        sound[: len(hiss)] = sound[: len(hiss)] * 0.4 + 0.32 * hiss
    return sound
