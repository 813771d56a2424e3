"""How much silence an encoder put before the sound, where players read that differently. No Django
here.

Sources: Apple's “Audio Priming” (QuickTime File Format, appendix G) for edit lists; the tag as
FFmpeg reads it.
"""

from collections.abc import Iterator
from fractions import Fraction

from fartbench.media.boxes import BadBoxes, Box, Bytes, child, walk
from fartbench.media.movie import Track
from fartbench.media.opus_header import pre_skip
from fartbench.media.packet_lengths import OPUS_RATE

HIDDEN_DIFFERENTLY = (
    "players differ on how much of the beginning of its sound they hide; normalising the round "
    "re-encodes it"
)
MOST = 16_384
"""FFmpeg, and with it Chromium, ignores a tag that says as many samples or more."""


def note_priming(data: Bytes, moov: Box, tracks: list[Track]) -> None:
    """Note as an obstacle of the last track's sound that a tag hides another stretch of it than the
    edit list.

    FFmpeg and Chromium follow the tag and not the edit list, other players the edit list alone.
    """
    if not tracks or tracks[-1].kind != "audio":
        return
    sound, tagged = tracks[-1], _tagged(data, moov)
    if not 0 < tagged < MOST or not sound.samples:
        return
    hidden = _hidden_ticks(sound)
    if hidden != tagged:
        sound.obstacle = (
            f"a tag (iTunSMPB) hides {tagged} samples of its sound and the edit list {hidden}, "
            "so that players differ in when the sound is heard"
        )


def note_early_sound(tracks: list[Track]) -> None:
    """Note how much earlier browsers play Opus in MP4 than libavformat.

    Chromium and Firefox hide what its header says in addition to what the edit list hides;
    libavformat follows the edit list alone.
    """
    for track in tracks:
        if track.codec == "opus":
            track.early = Fraction(pre_skip(track.config), OPUS_RATE)


def note_unlike_starts(tracks: list[Track], *, has_fragments: bool) -> None:
    """Note as an obstacle that FFmpeg, and with it Chromium, hides another stretch of a sound than
    its edit list says.

    FFmpeg takes the ticks that are hidden of Opus for samples of its one rate, whatever the track's
    clock is, and hides nothing of MP3 in fragments.
    """
    for track in tracks:
        is_unlike = (track.codec == "opus" and track.timescale != OPUS_RATE) or (
            track.codec == "mp3" and has_fragments
        )
        if is_unlike and track.samples and _hidden_ticks(track) > 0:
            track.obstacle = track.obstacle or HIDDEN_DIFFERENTLY


def _hidden_ticks(sound: Track) -> int:
    """Return how much of a sound the edit list hides at its beginning, in ticks of the track."""
    return (
        0
        if sound.begin is None
        else round((sound.begin - sound.time(sound.samples[0])) * sound.timescale)
    )


def _tagged(data: Bytes, moov: Box) -> int:
    """Return how many samples the tag says to skip, 0 without a tag that says so."""
    try:
        for item in _tags(data, moov):
            name, value = child(data, item, "name"), child(data, item, "data")
            if name and value and bytes(data[name.start + 4 : name.end]) == b"iTunSMPB":
                return int(bytes(data[value.start + 8 : value.end]).split()[1], 16)
    except (BadBoxes, ValueError, IndexError):
        return 0  # a tag that cannot be read is followed by no player
    return 0


def _tags(data: Bytes, moov: Box) -> Iterator[Box]:
    for udta in walk(data, moov.start, moov.end):
        meta = child(data, udta, "meta") if udta.kind == "udta" else None
        tags = child(data, meta, "ilst", skip=4) if meta else None
        if tags:
            yield from walk(data, tags.start, tags.end)
