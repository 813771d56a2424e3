"""A video file as tracks of coded samples, whichever container it came in. No Django here."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple


class Sample(NamedTuple):
    """One coded picture or sound packet: where it lies in the file and when it is shown (track ticks)."""

    offset: int
    size: int
    pts: int
    duration: int
    sync: bool


@dataclass(slots=True)
class Track:
    """One stream of samples.

    ``config`` is the codec's own set-up record as the container carried it (avcC, hvcC, av1C, vpcC,
    AudioSpecificConfig, OpusHead, Vorbis headers). A sample is shown at ``pts / timescale + shift`` seconds; what lies
    before ``begin`` or after ``end`` (seconds, None for no limit) is hidden by the container, and so are the last
    ``tail`` seconds.
    """

    number: int
    kind: str
    codec: str
    timescale: int
    config: bytes = b""
    samples: list[Sample] = field(default_factory=list)
    shift: Fraction = Fraction(0)
    begin: Fraction | None = None
    end: Fraction | None = None
    tail: Fraction = Fraction(0)
    width: int = 0
    height: int = 0
    matrix: tuple[int, ...] = (1, 0, 0, 1)
    pixel_aspect: tuple[int, int] = (1, 1)
    colour: tuple[int, int, int, int] | None = None
    sample_rate: int = 0
    channels: int = 0
    attached: bool = False
    enabled: bool = True
    obstacle: str = ""

    def time(self, sample: Sample) -> Fraction:
        """Return when a sample is shown, in seconds on the file's clock."""
        return Fraction(sample.pts, self.timescale) + self.shift


@dataclass(slots=True)
class Movie:
    """The tracks of one file and its container's name (``mp4``, ``mov`` or ``matroska``)."""

    container: str
    brand: str
    tracks: list[Track]

    def main(self, kind: str) -> Track | None:
        """Return the track that a player shows: the first enabled one of ``kind`` that is no cover picture, or None."""
        found = [t for t in self.tracks if t.kind == kind and not t.attached]
        return next((t for t in found if t.enabled), found[0] if found else None)
