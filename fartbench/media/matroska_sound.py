"""When the sound of a WebM or Matroska file is heard. No Django here.

Source: RFC 9559.
"""

from fractions import Fraction

from fartbench.media.ebml import Bytes
from fartbench.media.matroska_blocks import NANOSECONDS, Entry
from fartbench.media.movie import Track
from fartbench.media.opus_header import pre_skip
from fartbench.media.packet_lengths import (
    LONG_FRAME,
    OPUS_RATE,
    aac_packet_seconds,
    packet_seconds,
)

OTHER_RATE = (
    "its container says that its sound has {said} samples a second and the coded sound says "
    "{coded}, so that players hide different lengths of its beginning; normalising the round "
    "re-encodes it"
)


def set_sound(data: Bytes, track: Track, entry: Entry, scale: int) -> None:
    """Set the times of a sound track, what of it is hidden, and what players read differently;
    ``scale`` is the nanoseconds of a tick.
    """
    track.sample_rate, track.channels = entry.whole("rate", 8000), entry.whole("channels", 1)
    if not track.samples:
        return
    _time_packets(data, track, entry)
    # Players take the delay off in whole units of the file's clock, and hide it to the sample.
    delay, unit = entry.whole("delay"), max(scale, 1)
    track.shift = Fraction(-((2 * delay + unit) // (2 * unit)) * unit, NANOSECONDS)
    hidden = Fraction(delay, NANOSECONDS) or _pre_skip_s(track)
    track.begin = track.time(track.samples[0]) + hidden
    track.is_hidden_once = True
    _note_other_rate(track, delay)
    _discard(track, entry)


def _pre_skip_s(track: Track) -> Fraction:
    """Return how much sound (s) an Opus decoder skips by its own header (RFC 7845 §5.1), which it
    does without a delay in the container.
    """
    samples = pre_skip(track.config) if track.codec == "opus" else 0
    return Fraction(samples, OPUS_RATE)


def _note_other_rate(track: Track, delay: int) -> None:
    """Note as an obstacle that the container gives AAC another rate than it is coded at, where a
    ``delay`` (ns) hides its beginning.

    libavformat turns the delay into samples by the container's rate; Chromium hides all of it.
    """
    packet = aac_packet_seconds(track.config) if track.codec == "aac" else None
    if packet is None or not delay:
        return
    coded = round(LONG_FRAME / packet)
    if track.sample_rate in (coded, 2 * coded):  # the second with spectral band replication
        return
    track.early = Fraction(delay, NANOSECONDS) * (1 - Fraction(track.sample_rate, coded))
    track.obstacle = OTHER_RATE.format(said=track.sample_rate, coded=coded)


def _discard(track: Track, entry: Entry) -> None:
    """Set what is dropped of the last packet, of which players drop no more than all; note as an
    obstacle what is dropped elsewhere.
    """
    last = len(track.samples) - 1
    drops = {number: length for number, length in entry.discards.items() if length}
    drop = drops.pop(last, 0)
    if drops or drop < 0:
        track.obstacle = "it drops sound inside the clip (DiscardPadding), which a copy cannot do"
    elif drop and last in entry.untimed:
        track.obstacle = "it drops sound of several packets that share a block (DiscardPadding)"
    track.tail = Fraction(min(max(drop, 0), track.samples[-1].duration), NANOSECONDS)


def _time_packets(data: Bytes, track: Track, entry: Entry) -> None:
    """Give each packet the length that it says itself, and those without a time the one at which
    the last one ends.
    """
    for number, sample in enumerate(track.samples):
        packet = data[sample.offset : sample.offset + sample.size]
        seconds = packet_seconds(track.codec, track.config, packet)
        if seconds is None:
            if number in entry.untimed and not entry.whole("default_duration"):
                track.obstacle = (
                    "several sound packets share a block, and nothing says when each is heard"
                )
            continue
        length, pts = round(seconds * NANOSECONDS), sample.pts
        if number in entry.untimed:
            before = track.samples[number - 1]
            pts = before.pts + before.duration
        track.samples[number] = sample._replace(pts=pts, duration=length)
