"""The sound of a blind copy: what of each codec is carried over, and when it is heard.

No Django here.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

from blinding.mp4_entries import sound_entry
from blinding.mp4_writer import Stream
from blinding.scrub.aac import scrub_aac
from blinding.scrub.coded import CannotScrub, Coded
from blinding.scrub.mp3 import scrub_mp3
from blinding.scrub.opus import scrub_opus
from blinding.sound_timeline import sound_timeline
from blinding.timeline import Timeline
from fartbench.media.movie import Track
from fartbench.media.opus_header import without_pre_skip
from fartbench.media.packet_lengths import OPUS_RATE, opus_packet_samples
from fartbench.media.probe import MediaFacts

SCRUBBERS: dict[str, Callable[[bytes, list[memoryview]], Coded]] = {
    "aac": scrub_aac,
    "mp3": lambda _, packets: scrub_mp3(packets),
    "opus": scrub_opus,
}
NAMES = {
    "vorbis": "vorbis", "A_FLAC": "FLAC", "fLaC": "FLAC", "alac": "ALAC", "A_ALAC": "ALAC",
    "ac-3": "AC-3", "A_AC3": "AC-3", "mp4a.a5": "AC-3", "ec-3": "E-AC-3", "A_EAC3": "E-AC-3",
    "mp4a.a6": "E-AC-3",
    "A_DTS": "DTS", "mp4a.a9": "DTS", "A_TRUEHD": "TrueHD", "msVo": "vorbis",
    "A_MPEG/L2": "MPEG layer II", "mp2": "MPEG layer II",
    "A_PCM/INT/LIT": "PCM", "A_PCM/INT/BIG": "PCM", "A_PCM/FLOAT/IEEE": "PCM",
    "sowt": "PCM", "twos": "PCM", "lpcm": "PCM", "ipcm": "PCM", "fpcm": "PCM", "raw": "PCM",
    "NONE": "PCM",
    "in24": "PCM", "in32": "PCM", "fl32": "PCM", "fl64": "PCM", "ulaw": "PCM (µ-law)",
    "alaw": "PCM (A-law)",
}  # fmt: skip
"""What people call the codecs that containers name otherwise."""
WAY_ON = "normalising the round re-encodes it"


def copied_sound(data: memoryview, track: Track, raw: MediaFacts) -> tuple[Stream, dict[str, int]]:
    """Return the sound stream of a copy and what was left out of it (name to count).

    Raises CannotScrub or CannotTime when the sound cannot be carried over.
    """
    if track.codec not in SCRUBBERS:
        raise CannotScrub(_refusal(track.codec))
    if track.obstacle:
        raise CannotScrub(track.obstacle)
    packets = [data[sample.offset : sample.offset + sample.size] for sample in track.samples]
    coded = SCRUBBERS[track.codec](track.config, packets)
    rate, lengths = _packet_lengths(track, packets, raw)
    times = sound_timeline(track, rate, lengths)
    if track.is_hidden_once and track.codec == "mp3":
        play_what_is_hidden(times)  # browsers would hide it twice
    if track.is_hidden_once and track.codec == "opus":
        # Chromium and Firefox would hide again what the edit list hides already.
        coded = replace(coded, record=without_pre_skip(coded.record))
    entry = sound_entry(coded, track.codec, raw.channels, rate)
    return Stream("audio", entry, times, coded.samples[: times.kept.stop]), dict(coded.removed)


def play_what_is_hidden(times: Timeline) -> None:
    """Have what a container hides at the beginning of sound played: an encoder's own silence, as
    the proof makes sure.
    """
    times.start -= Fraction(times.skip, times.timescale)
    times.length += times.skip
    times.skip = 0


def is_played_early(track: Track, times: Timeline) -> bool:
    """Say whether browsers play the sound of a copy earlier than that of the clip, by what is
    hidden.

    Chromium takes what is hidden in MP4 off the sound's time when its first packet lies behind the
    beginning of the file. In Matroska it does not.
    """
    first_packet = times.start - Fraction(times.skip, times.timescale)
    may_be = track.is_hidden_once and track.codec != "opus"
    return may_be and times.skip > 0 and first_packet >= 0


def _packet_lengths(
    track: Track, packets: list[memoryview], raw: MediaFacts
) -> tuple[int, list[int]]:
    """Return the rate of the decoded sound (Hz) and how many of its samples each packet holds.

    The decoder is asked, not the container: sample entries say the rate of the core, another one,
    or zero.
    """
    if track.codec == "opus":
        lengths = [opus_packet_samples(packet) for packet in packets]
        if 0 in lengths:
            raise CannotScrub("a sound packet is damaged")
        return OPUS_RATE, lengths
    if not raw.sample_rate or not raw.audio_packet_samples:
        raise CannotScrub("its sound does not decode")
    return raw.sample_rate, [raw.audio_packet_samples] * len(packets)


def _refusal(codec: str) -> str:
    """Return why sound of a codec is not carried over, and the way on."""
    name = NAMES.get(codec, codec)
    if name == "FLAC":
        # Browsers play it, but what a FLAC packet holds behind its sound is known only when all of
        # it is decoded.
        return f"{name} sound is not carried over, since it may hold more than sound; {WAY_ON}"
    return f"not every browser plays {name} sound in MP4; {WAY_ON}"
