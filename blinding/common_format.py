"""The one format that clips of a normalised round and windows of rollouts are re-encoded to.

No Django here.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import floor
from pathlib import Path
from typing import Literal

from blinding.scrub.nal import SMALLEST_FILLER
from fartbench.media.errors import MediaRefusal
from fartbench.protocol.rollouts.units import SLACK_S

BUFFER_S = 0.5
"""How much of the bit rate (s) single frames may borrow from others."""
CARD_S = 1.0
"""How long the grey card between two pieces is shown, in seconds."""
SMALLEST_SIDE = 2
"""The fewest pixels of a fitted frame on one side; sides are even because chroma has half as many
pixels.
"""


@dataclass(frozen=True, slots=True)
class Box:
    """Where the frame of a clip lies inside the common frame: its corner and its size, in
    pixels.
    """

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class CommonFormat:
    """The one format of a normalised round: frame size (pixels), exact frame rate ("24/1"), length
    (s), rates (bits per second).
    """

    width: int
    height: int
    frame_rate: str
    seconds: float
    video_bit_rate: int = 6_000_000
    audio_bit_rate: int = 128_000
    key_spacing: int = 24

    @property
    def frames(self) -> int:
        """How many frames a clip has."""
        return self.frames_in(self.seconds)

    def frames_in(self, seconds: float) -> int:
        """Return how many frames a stretch of ``seconds`` has."""
        return round(Fraction(self.frame_rate) * Fraction(seconds).limit_denominator(1_000_000))

    @property
    def picture_bytes(self) -> int:
        """How many bytes the coded frames of every clip are filled up to: the bit rate, and what
        its buffer may run over.
        """
        return (
            round(self.video_bit_rate * (self.seconds + BUFFER_S) / 8)
            + 2 * SMALLEST_FILLER * self.frames
        )

    def fit(self, shape: Fraction) -> Box:
        """Return where a clip lies whose frame is ``shape`` times as wide as high when it is
        shown.
        """
        width = _even(min(Fraction(self.width), self.height * shape))
        height = _even(min(Fraction(self.height), self.width / shape))
        return Box((self.width - width) // 4 * 2, (self.height - height) // 4 * 2, width, height)


def _even(pixels: Fraction) -> int:
    return max(SMALLEST_SIDE, 2 * floor(pixels / 2 + Fraction(1, 2)))


class WindowMissing(MediaRefusal):
    """The rollout ends before the window does: there is nothing to judge, and a held frame is none
    of its frames.
    """


@dataclass(frozen=True, slots=True)
class Cut:
    """Which parts of a clip are taken, and whether they are seen, heard or both.

    Pieces run from one second to another, counted from the clip's first presented moment, and
    follow each other with a grey card of CARD_S between two. What is not seen is black; what is not
    heard is silent.
    """

    pieces: tuple[tuple[float, float], ...]
    shown: Literal["video", "audio", "both"] = "both"

    def insist(self, clip: Path, length: float) -> None:
        """Raise WindowMissing when the clip, which lasts ``length`` seconds, ends before a piece
        does.
        """
        for begin, end in self.pieces:
            if not 0 <= begin < end or length + SLACK_S < end:
                raise WindowMissing(
                    clip,
                    f"it lasts {length:.2f} s; there is no window from {begin:g} s to {end:g} s, "
                    "and none is made up",
                )

    @property
    def seconds(self) -> float:
        """How long it is, cards included."""
        return sum(end - begin for begin, end in self.pieces) + CARD_S * (len(self.pieces) - 1)
