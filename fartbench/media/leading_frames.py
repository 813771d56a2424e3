"""Frames at the start of a clip that nothing can decode. Runs in the sandbox. No Django here.

A clip that was cut before a key frame of an open group begins with that frame. Behind it lie frames
that are shown before it and are built on frames that are gone. libavformat, VLC and mpv pass over
them; Chromium stops with an error. Sources: ITU-T H.264 §7.4.1.2.4 (IDR), ITU-T H.265 §3.111
(RASL).
"""

from itertools import takewhile
from typing import Any

import av
from av.error import FFmpegError

from fartbench.media.bounds import Bounds
from fartbench.media.decoding import decoder
from fartbench.media.movie import Sample, Track

CODECS = ("h264", "hevc")
NAME = "frame that cannot be decoded"


def leave_out_undecodable(data: memoryview, track: Track, bounds: Bounds) -> None:
    """Take the frames out of a track that lie behind its first one, are shown before it and cannot
    be decoded; they are counted as left out.

    Where one of them can be decoded, all stay: others may be built on it.
    """
    if track.codec not in CODECS or not track.samples:
        return
    first = track.samples[0]
    leading = list(takewhile(lambda sample: sample.pts < first.pts, track.samples[1:]))
    if not leading or not _decodes_alone(data, track, [first, *leading], bounds):
        return
    del track.samples[1 : 1 + len(leading)]
    track.left_out[NAME] += len(leading)


def _decodes_alone(data: memoryview, track: Track, samples: list[Sample], bounds: Bounds) -> bool:
    """Say whether of some samples the first one is the only one that comes out of the decoder."""
    context = decoder(track, bounds)
    context.options |= {"err_detect": "explode"}
    shown: set[int | None] = set()
    for sample in [*samples, None]:
        try:
            shown |= {frame.pts for frame in context.decode(_packet(data, sample))}
        except FFmpegError:
            if sample is samples[0]:
                return False
    return shown == {samples[0].pts}


def _packet(data: memoryview, sample: Sample | None) -> Any:
    if sample is None:
        return None
    packet = av.Packet(bytes(data[sample.offset : sample.offset + sample.size]))
    packet.pts = sample.pts
    return packet
