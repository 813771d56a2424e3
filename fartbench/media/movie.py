"""A video file as tracks of coded samples, whichever container it came in. No Django here."""

from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple


class Sample(NamedTuple):
    """One coded picture or sound packet: where it lies in the file and when it is shown (track
    ticks).
    """

    offset: int
    size: int
    pts: int
    duration: int
    sync: bool


@dataclass(slots=True)
class Track:
    """One stream of samples.

    ``config`` is the codec's own set-up record as the container carried it (avcC, hvcC, av1C, vpcC,
    AudioSpecificConfig, OpusHead, Vorbis headers). A sample is shown at ``pts / timescale + shift``
    seconds; what lies before ``begin`` or after ``end`` (seconds, None for no limit) is hidden by
    the container, and so are the last ``tail`` seconds.

    ``visible`` is the part of a coded frame (left, top, width, height) that the container leaves
    where it hides the rest, None where it hides nothing, or where ``crop_is_known`` is false
    because it hides part in a way that is not read here. A frame is shown stretched by
    ``pixel_aspect`` (width to height of one pixel) and then turned by ``matrix``, the four cells of
    a quarter turn or mirror. ``pixel_aspect`` is what players go by: the container's word where
    ``aspect_declared``, else ``coded_aspect``, the bitstream's own, which is known once a frame has
    been decoded.

    ``colour`` is primaries, transfer, matrix (ITU-T H.273 codes) and whether the range is full,
    None until a frame has been decoded where the container leaves that to the bitstream.
    ``mastering`` and ``light`` are what HDR pictures were graded for, as the payloads of the boxes
    “mdcv” and “clli”. ``alpha`` is where the coded alpha planes of its frames lie (offset, size).
    ``left_out`` counts what else the container says about showing and no copy carries.
    ``marked_default`` is Matroska's word that players should choose the track.

    ``early`` is by how much (s) browsers play sound earlier than libavformat, which hides less of
    its beginning. ``is_hidden_once`` says that browsers hide what the container hides, once and
    without moving the rest. In MP4 they hide the beginning of Opus and MP3 twice, by the edit list
    and by their headers.
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
    visible: tuple[int, int, int, int] | None = None
    pixel_aspect: tuple[int, int] = (1, 1)
    aspect_declared: bool = False
    crop_is_known: bool = True
    coded_aspect: tuple[int, int] = (1, 1)
    colour: tuple[int, int, int, int | None] | None = None
    mastering: bytes = b""
    light: bytes = b""
    sample_rate: int = 0
    channels: int = 0
    attached: bool = False
    enabled: bool = True
    marked_default: bool = True
    is_hidden_once: bool = False
    early: Fraction = Fraction(0)
    obstacle: str = ""
    alpha: list[tuple[int, int]] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)

    @property
    def crop(self) -> tuple[int, int, int, int] | None:
        """How many pixels the container hides at the left, top, right and bottom; None when that is
        not known.
        """
        if not self.crop_is_known:
            return None
        if self.visible is None:
            return 0, 0, 0, 0
        left, top, width, height = self.visible
        return left, top, self.width - left - width, self.height - top - height

    @property
    def has_alpha(self) -> bool:
        """Whether the track carries transparency beside the coded frames."""
        return bool(self.alpha)

    def time(self, sample: Sample) -> Fraction:
        """Return when a sample is shown, in seconds on the file's clock."""
        return Fraction(sample.pts, self.timescale) + self.shift


@dataclass(slots=True)
class Movie:
    """The tracks of one file and its container's name (``mp4``, ``mov`` or ``matroska``)."""

    container: str
    brand: str
    tracks: list[Track]

    def candidates(self, kind: str) -> list[Track]:
        """Return the tracks of a kind in the order of the file, cover pictures left out."""
        return [track for track in self.tracks if track.kind == kind and not track.attached]

    def main(self, kind: str) -> Track | None:
        """Return the track that is shown to reviewers: the first enabled one of a kind, else the
        first, else None.

        Chromium does the same with an MP4 or MOV file. In Matroska and WebM it plays the first
        track whatever the flags of a track say, so the reader takes every track there for enabled.
        """
        tracks = self.candidates(kind)
        return next((track for track in tracks if track.enabled), tracks[0] if tracks else None)
