"""Sound as packets, and the usual picture, to be put into files in ways that no program of ours
writes.
"""

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import av
from av.audio.layout import AudioLayout

from fartbench.media.bits import BitReader
from tests.media.clips import clip, ffmpeg

_FOLDER = TemporaryDirectory(prefix="fartbench-sound-")
MATROSKA = {
    "aac": "A_AAC",
    "opus": "A_OPUS",
    "mp3": "A_MPEG/L3",
    "mp3float": "A_MPEG/L3",
    "vorbis": "A_VORBIS",
}


@dataclass(frozen=True)
class Sound:
    """Coded sound: its codec, set-up record, packets, rate (Hz) and channels as a container says
    them, and how many samples at that rate a packet lasts.
    """

    codec: str
    config: bytes
    packets: tuple[bytes, ...]
    rate: int
    channels: int
    packet_samples: int

    @property
    def matroska_name(self) -> str:
        """The codec's name in Matroska."""
        return MATROSKA[self.codec]


@cache
def picture() -> tuple[bytes, list[tuple[int, bytes, bool]]]:
    """Return the usual H.264 picture: its set-up record, and each frame's time (ms), bytes and
    whether it is key.
    """
    with av.open(str(clip("h264_aac.mp4"))) as container:
        stream = container.streams.video[0]
        packets = [packet for packet in container.demux(stream) if packet.size]
        frames = [
            (round(1000 * one.pts * one.time_base), bytes(one), one.is_keyframe) for one in packets
        ]
        return bytes(stream.codec_context.extradata), frames


@cache
def sound(
    *options: str,
    rate: int = 48_000,
    seconds: float = 1.5,
    layout: str = "mono",
    exchanged: bool = False,
) -> Sound:
    """Return sound coded with these options of ffmpeg; each channel has a tone of its own, the
    first two ``exchanged``.
    """
    path = Path(_FOLDER.name) / (
        "-".join(["sound", *options, f"{rate}-{seconds}-{layout}-{exchanged}"]) + ".mkv"
    )
    pitches = [200 + 130 * index for index in range(AudioLayout(layout).nb_channels)]
    if exchanged:
        pitches[:2] = pitches[1::-1]
    tones = "|".join(f"0.2*sin({pitch}*2*PI*t)" for pitch in pitches)
    tone = f"aevalsrc=exprs={tones}:s={rate}:d={seconds}:c={layout}"
    ffmpeg("-f", "lavfi", "-i", tone, "-c:a", *options, "-ar", rate, path)
    with av.open(str(path)) as container:
        stream = container.streams.audio[0]
        packets = tuple(bytes(packet) for packet in container.demux(stream) if packet.size)
        context = stream.codec_context
        config = bytes(context.extradata or b"")
    with av.open(str(path)) as container:
        length = max(frame.samples for frame in container.decode(audio=0))
    return Sound(context.name, config, packets, rate, context.layout.nb_channels, length)


def with_band_replication(core: Sound, *, kind: str) -> Sound:
    """Return AAC whose decoded rate is twice that of its core: “implicit” (only packets tell),
    “explicit”, or “stereo” (explicit, and with parametric stereo).

    The packets have no replicated bands, so the decoder only doubles the rate: all that times are
    about.
    """
    index = {24_000: 6, 22_050: 7, 16_000: 8}[core.rate]
    if kind == "implicit":
        # The two bytes say LC alone; ffmpeg writes behind them that there is no band replication.
        packets = tuple(_with_empty_replication(packet) for packet in core.packets)
        return replace(core, config=core.config[:2], packets=packets)
    outer = 29 if kind == "stereo" else 5
    fields = ((outer, 5), (index, 4), (core.channels, 4), (index - 3, 4), (2, 5), (0, 3))
    value, width = 0, 0
    for field, bits in fields:
        value, width = value << bits | field, width + bits
    fill = -width % 8
    return replace(core, config=(value << fill).to_bytes((width + fill) // 8, "big"))


def _with_empty_replication(packet: bytes) -> bytes:
    """Return an AAC packet with a fill element of the type of spectral band replication before its
    end mark.
    """
    value = int.from_bytes(packet, "big")
    spare = (value & -value).bit_length() - 1
    end = 8 * len(packet) - spare - 3
    assert BitReader(packet, end).read(3) == 7, "an AAC packet ends in the mark of its end"
    body = int.from_bytes(packet, "big") >> (8 * len(packet) - end)
    for field, bits in (
        (6, 3),
        (4, 4),
        (0xD, 4),
        (0, 28),
        (7, 3),
    ):  # fill, 4 bytes, SBR, nothing in it, end
        body, end = body << bits | field, end + bits
    fill = -end % 8
    return (body << fill).to_bytes((end + fill) // 8, "big")
