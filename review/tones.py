"""The tones of the sound check, as a WAV file. No Django here."""

from __future__ import annotations

import io
import math
import struct
import wave
from functools import cache

RATE = 16_000
TONE_S, GAP_S = 0.3, 0.45
FADE_S = 0.02  # a tone that starts at once would click
LEVEL = 0.25
PITCH_HZ = 440.0


@cache
def tones(count: int) -> bytes:
    """Return ``count`` equal tones with pauses between them, 16 bit mono."""
    silence = [0.0] * int(GAP_S * RATE)
    samples = silence + (_tone() + silence) * count
    file = io.BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(RATE)
        out.writeframes(
            struct.pack(f"<{len(samples)}h", *(round(sample * 32_767) for sample in samples))
        )
    return file.getvalue()


def _tone() -> list[float]:
    length, fade = int(TONE_S * RATE), FADE_S * RATE
    return [
        LEVEL
        * min(1.0, index / fade, (length - index) / fade)
        * math.sin(2 * math.pi * PITCH_HZ * index / RATE)
        for index in range(length)
    ]
