"""What the coded data of a track says about it: facts that its container does not know.

No Django here.
"""

from enum import Enum, auto
from fractions import Fraction
from pathlib import Path
from typing import Any

from fartbench.media.bounds import Bounds
from fartbench.media.errors import UnsafeMedia
from fartbench.media.movie import Track
from fartbench.media.presentation import span

UNSPECIFIED = 2
"""The transfer characteristic of a picture that does not say which it has (ITU-T H.273)."""
SOUND_FACTS = (
    "audio_codec",
    "audio_profile",
    "sample_rate",
    "audio_start",
    "audio_duration_s",
    "audio_bit_rate",
    "audio_packet_samples",
)


class Looking(Enum):
    """How the facts of a picture are found."""

    DECODE = auto()
    """Its first frame is decoded, so a file that does not decode at all is refused."""
    READ_HEADERS = auto()
    """The decoder is given the headers alone where they say enough. For files that are decoded in
    full anyway, as by a proof: the first frame is the largest one, and takes as long as all the
    rest of a copy.
    """


def picture_facts(
    path: Path, data: memoryview, video: Track, bounds: Bounds, looking: Looking
) -> dict[str, Any]:
    """Return the facts that the decoder says of a picture track, or the container for a codec that
    is not decoded here. Sets the track's ``coded_aspect``, and what follows from it.
    """
    from fartbench.media.decoding import first_picture, picture_headers  # noqa: PLC0415 - only the sandbox's child decodes

    picture = None
    if looking is Looking.READ_HEADERS:
        picture = picture_headers(data, video, bounds)
    if picture is None:
        picture = first_picture(path, data, video, bounds)
    transfer = video.colour[1] if video.colour else UNSPECIFIED
    if picture is None:
        return {
            "width": video.width,
            "height": video.height,
            "profile": "",
            "pix_fmt": "",
            "transfer": transfer,
            "has_alpha": video.has_alpha,
        }
    if picture.width * picture.height > bounds.pixels:
        raise UnsafeMedia(
            path,
            f"is {picture.width}x{picture.height}; a clip may have at most {bounds.pixels} pixels.",
        )
    video.coded_aspect = picture.aspect
    if not video.aspect_declared:
        video.pixel_aspect = picture.aspect
    if video.colour is not None and video.colour[3] is None:
        video.colour = (*video.colour[:3], int(picture.is_full_range))
    return {
        "width": picture.width,
        "height": picture.height,
        "profile": picture.profile,
        "pix_fmt": picture.pix_fmt,
        "transfer": picture.transfer if transfer == UNSPECIFIED else transfer,
        "has_alpha": video.has_alpha or picture.has_alpha,
    }


def sound_facts(
    path: Path, data: memoryview, track: Track | None, bounds: Bounds
) -> dict[str, Any]:
    """Return the facts of a sound track from its first packets; None for each without a track."""
    from fartbench.media.decoding import first_sound  # noqa: PLC0415 - only the sandbox's child decodes

    if track is None:
        return {"has_audio": False, "channels": 0} | dict.fromkeys(SOUND_FACTS)
    begin, end = span(track)
    facts = {
        "has_audio": True,
        "audio_codec": track.codec,
        "audio_profile": "",
        "sample_rate": track.sample_rate,
        "channels": track.channels,
        "audio_start": float(begin),
        "audio_duration_s": float(end - begin),
        "audio_bit_rate": bit_rate(track, end - begin),
        "audio_packet_samples": None,
    }
    decoded = first_sound(path, data, track, bounds)
    if decoded is None:
        return facts
    frame, facts["audio_profile"] = decoded
    channels = frame.layout.nb_channels
    if channels > bounds.channels:
        raise UnsafeMedia(path, f"has {channels} channels of sound, more than a clip may have.")
    facts["sample_rate"] = frame.sample_rate
    facts["channels"] = channels
    facts["audio_packet_samples"] = frame.samples
    return facts


def bit_rate(track: Track, length: Fraction) -> int:
    """Return how many bits of a track there are for each second of ``length``, 0 for no length."""
    if length <= 0:
        return 0
    return round(8 * sum(sample.size for sample in track.samples) / length)
