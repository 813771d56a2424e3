"""Proving that a blind copy sounds as the raw clip. Runs in the sandbox. No Django here.

Every packet of both files is decoded whole. What a container hides at the beginning or end of a
packet is not cut off, but noted: so what is compared does not depend on how exactly a container can
say it, and what is hidden is compared as well. Rates, lengths and numbers of samples are the
decoder's; sample entries and clocks of containers say other ones.
"""

import hashlib
from dataclasses import dataclass, field
from fractions import Fraction
from struct import unpack_from
from typing import Any, NamedTuple

import numpy as np
from av.audio.stream import AudioStream
from av.codec.context import Flags2

from fartbench.media.pcm import interleaved_or_planes

SOUND_SLACK_S = 0.001
"""Containers round times to a millisecond: what is heard cannot be known more exactly."""
SILENT = 0.01
"""The loudest sample (of 1) of a stretch that counts as silent: an encoder's own beginning."""


HIDES_SOUND = (
    "the raw clip hides more than silence at the beginning of its sound, and a copy that hides it "
    "would be played early by browsers"
)


class Piece(NamedTuple):
    """One decoded frame of sound: when it begins on the file's clock (s), how many samples it has
    and how many of them are hidden at its beginning and end.
    """

    time: Fraction
    samples: int
    front: int
    back: int


@dataclass(slots=True)
class DecodedSound:
    """A file's decoded sound.

    ``limit`` is how many samples go into the hash (None for all). ``hides_ticks`` says that what is
    hidden at the front is noted in ticks of the container's clock, as libavformat does for MP4, and
    not in samples. ``rates`` are all the rates (Hz) that the decoder gave. ``end`` is when the
    container ends the sound, in seconds after the file's first frame of picture, None when it
    leaves that to the packets. ``hidden_peak`` is the loudest sample (of 1) that is hidden at the
    beginning.
    """

    limit: int | None = None
    hides_ticks: bool = False
    end: Fraction | None = None
    pieces: list[Piece] = field(default_factory=list)
    rates: list[int] = field(default_factory=list)
    samples: int = 0
    planes: list[Any] = field(default_factory=list)
    hidden_peak: float = 0.0
    _block: int | None = None
    _to_hide: int = 0

    @property
    def sha256(self) -> str | None:
        """One hash over the hashes of each channel (planar) or of the interleaved samples; None
        without sound.
        """
        whole = hashlib.sha256(b"".join(plane.digest() for plane in self.planes))
        return whole.hexdigest() if self.planes else None

    @property
    def rate(self) -> int:
        """Samples a second of what was decoded first."""
        return self.rates[0]

    def take(self, packet: Any, frame: Any) -> None:
        """Add what a packet (av.Packet) decoded to (av.AudioFrame).

        Packets that share a Matroska block have the block's position in the file. Only the first of
        them has a time of its own; libavformat guesses the others in whole milliseconds, which adds
        up. Players play them without a break.
        """
        if frame.sample_rate not in self.rates:
            self.rates.append(frame.sample_rate)
        shares_block = packet.pos is not None and packet.pos == self._block
        self._block = packet.pos
        if self.pieces and (shares_block or frame.pts is None):
            before = self.pieces[-1]
            time = before.time + Fraction(before.samples, self.rate)
        else:
            time = Fraction(frame.pts or 0) * frame.time_base
        front, back = self._hidden(frame)
        if packet.is_discard:  # its times lie in those of another packet, or before the beginning
            front, back = frame.samples, 0
        if all(_is_hidden(piece) for piece in self.pieces):
            self.hidden_peak = max(self.hidden_peak, _peak(frame, front))
        self.pieces.append(Piece(time, frame.samples, front, back))
        self._hash(frame)
        self.samples += frame.samples

    def _hidden(self, frame: Any) -> tuple[int, int]:
        """Return how many samples of a frame are hidden at its beginning and end; what it cannot
        hide is passed on.
        """
        back = 0
        for note in frame.side_data:
            if note.type.name == "SKIP_SAMPLES":
                self._to_hide, back = unpack_from("<II", bytes(note))
                if self.hides_ticks:
                    self._to_hide = round(
                        self._to_hide * Fraction(frame.time_base) * frame.sample_rate
                    )
        front = min(self._to_hide, frame.samples)
        self._to_hide -= front
        return front, min(back, frame.samples - front)

    def _hash(self, frame: Any) -> None:
        wanted = (
            frame.samples
            if self.limit is None
            else max(0, min(frame.samples, self.limit - self.samples))
        )
        channels = interleaved_or_planes(frame)
        while len(self.planes) < len(channels):
            head = f"{frame.sample_rate} {frame.format.name} {frame.layout.name}"
            self.planes.append(hashlib.sha256(head.encode()))
        width = frame.layout.nb_channels if len(channels) == 1 else 1
        for total, channel in zip(self.planes, channels, strict=False):
            total.update(channel[: wanted * width].tobytes())

    def unhide(self) -> None:
        """Count what is hidden at the beginning as heard."""
        for place, piece in enumerate(self.pieces):
            self.pieces[place] = piece._replace(front=0)
            if not _is_hidden(piece):
                break

    def heard(self, origin: Fraction) -> tuple[Fraction, Fraction, int]:
        """Return when sound is first and last heard (s after ``origin``) and how many samples are
        heard.
        """
        begin: Fraction | None = None
        last, count = Fraction(0), 0
        for piece in self.pieces:
            start = piece.time - origin + Fraction(piece.front, self.rate)
            length = piece.samples - piece.front - piece.back
            if self.end is not None:
                length = min(length, round((self.end - start) * self.rate))
            if length > 0:
                begin = start if begin is None else begin
                last = start + Fraction(length, self.rate)
                count += length
        return begin or Fraction(0), last, count


def _is_hidden(piece: Piece) -> bool:
    return piece.front + piece.back >= piece.samples


def _peak(frame: Any, count: int) -> float:
    """Return the loudest of the first ``count`` samples of a frame, 1 for the loudest there is."""
    width = 1 if frame.format.is_planar else frame.layout.nb_channels
    peaks = [0.0]
    for channel in interleaved_or_planes(frame):
        part = channel[: count * width]
        full = np.iinfo(part.dtype).max if part.dtype.kind in "iu" else 1
        peaks.append(float(np.abs(part.astype(np.float64)).max(initial=0.0)) / full)
    return max(peaks)


def decode_whole_packets(stream: AudioStream) -> None:
    """Have a stream's decoder note what the container hides instead of cutting it off."""
    stream.codec_context.flags2 |= Flags2.skip_manual


@dataclass(frozen=True, slots=True)
class SoundVerdict:
    """How the sound of a copy compares: samples heard in it, the largest difference of times (s;
    None without sound) and what differs.
    """

    samples: int
    time_error: float | None
    faults: list[str]


def compare_sound(
    raw: DecodedSound, blind: DecodedSound, raw_origin: Fraction, blind_origin: Fraction
) -> SoundVerdict:
    """Compare two files' sound; each origin is when the file's first frame of picture is shown
    (s).
    """
    if not raw.pieces or not blind.pieces:
        return _without_sound(raw, blind, raw_origin, blind_origin)
    faults = _hidden_sound(raw, blind)
    raw_begin, raw_end, raw_heard = raw.heard(raw_origin)
    blind_begin, blind_end, blind_heard = blind.heard(blind_origin)
    if len(raw.rates) > 1 or raw.rates != blind.rates:
        faults.append(
            f"the sound decodes at {_listed(raw.rates)} Hz from the raw clip, "
            f"{_listed(blind.rates)} Hz from the copy"
        )
    if abs(raw_heard - blind_heard) > SOUND_SLACK_S * raw.rate or blind.samples > raw.samples:
        faults.append(f"the raw clip has {raw_heard} sound samples, the copy {blind_heard}")
    elif raw.sha256 != blind.sha256:
        faults.append("the decoded sound differs")
    pairs = zip(raw.pieces, blind.pieces, strict=False)
    errors = [abs((one.time - raw_origin) - (other.time - blind_origin)) for one, other in pairs]
    error = float(max(errors))
    if error > SOUND_SLACK_S:
        faults.append(f"the sound is {error * 1000:.3f} ms off against the picture")
    for word, one, other in (("begins", raw_begin, blind_begin), ("ends", raw_end, blind_end)):
        if abs(one - other) > SOUND_SLACK_S:
            faults.append(f"the sound {word} {float(abs(one - other)) * 1000:.3f} ms off")
    return SoundVerdict(blind_heard, error, faults)


def _without_sound(
    raw: DecodedSound, blind: DecodedSound, raw_origin: Fraction, blind_origin: Fraction
) -> SoundVerdict:
    """Compare two files of which at least one has no sound."""
    _, _, raw_heard = raw.heard(raw_origin)
    _, _, blind_heard = blind.heard(blind_origin)
    said = [f"the raw clip has {raw_heard} sound samples, the copy {blind_heard}"]
    return SoundVerdict(blind_heard, None, said if raw_heard != blind_heard else [])


def _hidden_sound(raw: DecodedSound, blind: DecodedSound) -> list[str]:
    """Return what is wrong with a copy that plays what the clip hides at the beginning of its
    sound. Silence is nothing wrong, and counts as heard from then on.
    """
    if not raw.pieces[0].front or blind.pieces[0].front:
        return []
    raw.unhide()
    return [HIDES_SOUND] if raw.hidden_peak > SILENT else []


def _listed(rates: list[int]) -> str:
    return " and ".join(map(str, rates))
