"""Whether frames that come with an alpha plane are see-through anywhere. Runs in the sandbox. No
Django here.

Browsers that record a page or a canvas write an alpha plane for every frame, mostly one that is
opaque everywhere.
"""

from pathlib import Path
from typing import Any

import av
import numpy as np
from av.error import FFmpegError
from av.video.frame import VideoFrame

from fartbench.media.bounds import Bounds
from fartbench.media.decoding import DECODERS
from fartbench.media.errors import NotAVideo
from fartbench.media.movie import Track

OPAQUE = 250
"""From this value of 255 on a pixel counts as opaque: lossy coding leaves some a little below,
which nobody sees.
"""


def is_opaque(path: Path, data: memoryview, track: Track, bounds: Bounds) -> bool:
    """Return whether every decoded alpha plane of a track is opaque everywhere; raise NotAVideo
    when one cannot be decoded.
    """
    decoder: Any = av.CodecContext.create(DECODERS[track.codec], "r")
    decoder.thread_count = 1
    decoder.options = {"max_pixels": str(bounds.pixels)}
    packets = [av.Packet(bytes(data[offset : offset + size])) for offset, size in track.alpha]
    try:
        return all(
            _lowest(frame) >= OPAQUE
            for packet in [*packets, None]
            for frame in decoder.decode(packet)
        )
    except FFmpegError as fault:
        raise NotAVideo(
            path, f"has an alpha plane that cannot be decoded ({fault.strerror})."
        ) from fault


def _lowest(frame: VideoFrame) -> int:
    """Return the lowest value of a frame's first plane, which is the one that holds alpha; 0 for
    more than a byte.
    """
    if frame.format.components[0].bits != 8:
        return 0
    rows = np.frombuffer(bytes(frame.planes[0]), np.uint8).reshape(-1, frame.planes[0].line_size)
    return int(rows[: frame.height, : frame.width].min())
