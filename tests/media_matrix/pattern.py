"""The test picture and sound, and how to read them back from a file that a viewer would play.

Each frame has a colour in each corner, so that a turn or mirror can be read off, and its own number
as dark and light fields in the middle. At one moment the ground turns white (the flash) and a tone
begins (the beep).
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np

BITS = 6
RATE = 48_000
TONE_HZ = 1000
TONE_S = 0.1
FLASH_S = 0.08
CORNERS = {"r": (230, 30, 30), "g": (30, 200, 30), "b": (40, 40, 230), "y": (230, 220, 30)}
"""Red, green, blue and yellow: the corners in reading order of an upright frame."""
GROUND, DARK, LIGHT, WHITE = 90, 20, 220, 255


@dataclass(frozen=True, slots=True)
class Source:
    """What is encoded: size in pixels, frames per second, number of frames, and the frame that
    flashes.
    """

    width: int = 160
    height: int = 90
    rate: Fraction = Fraction(25)
    frames: int = 25
    flash: int = 12

    @property
    def flash_s(self) -> float:
        """When the flash and the beep begin (s)."""
        return float(self.flash / self.rate)

    @property
    def flashing(self) -> range:
        """Which frames flash: two at least, and as many as last long enough to be seen at a lower
        rate.
        """
        return range(self.flash, self.flash + max(2, round(self.rate * Fraction(FLASH_S))))

    @property
    def seconds(self) -> float:
        """How long the sound lasts."""
        return max(1.0, float(self.frames / self.rate))


def frame(source: Source, number: int) -> np.ndarray:
    """Return one frame as RGB, height by width by 3 bytes."""
    ground = WHITE if number in source.flashing else GROUND
    picture = np.full((source.height, source.width, 3), ground, np.uint8)
    across, down = source.width // 5, source.height // 4
    red, green, blue, yellow = CORNERS.values()
    picture[:down, :across], picture[:down, -across:] = red, green
    picture[-down:, :across], picture[-down:, -across:] = blue, yellow
    for bit, (left, right) in enumerate(_fields(source.width)):
        picture[down + 2 : -down - 2, left:right] = LIGHT if number >> bit & 1 else DARK
    return picture


def _fields(width: int) -> list[tuple[int, int]]:
    """Return where each bit of the number begins and ends, in pixels from the left."""
    left, each = width // 5, width * 3 // 5 / BITS
    return [(round(left + bit * each), round(left + (bit + 1) * each)) for bit in range(BITS)]


def sound(source: Source, rate: int) -> np.ndarray:
    """Return the sound as floats at ``rate``: silence, and a tone from the flash on."""
    total = round(source.seconds * rate)
    times = np.arange(total) / rate - source.flash_s
    tone = 0.6 * np.sin(2 * np.pi * TONE_HZ * times)
    return np.where((times >= 0) & (times < TONE_S), tone, 0.0).astype(np.float32)
