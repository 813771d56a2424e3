"""A small still picture of a clip, for people who choose among files. No Django here."""

import base64
from fractions import Fraction
from pathlib import Path

import numpy as np

from fartbench.media.bounds import BOUNDS
from fartbench.media.display import rotation, shown_size
from fartbench.media.errors import NotAVideo
from fartbench.media.presentation import picture_ticks
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart

SECONDS = 15.0
HEIGHT = 120


def poster(path: Path) -> bytes:
    """Return a JPEG of a clip, ``HEIGHT`` pixels high, of a picture a third of the way in.

    Raises NotAVideo, UnsafeMedia or MediaToolDied as `fartbench.media.probe.probe` does.
    """
    return base64.b64decode(call_apart(_poster_here, path, seconds=SECONDS))


def _poster_here(path: Path) -> str:
    from fartbench.media.sampling import colour_pictures  # noqa: PLC0415 - only the child decodes

    with open_bytes(path) as data:
        movie = read_movie(path, data)
        track = movie.main("video")
        ticks = picture_ticks(track) if track else []
        if track is None or not ticks:
            raise NotAVideo(path, "has no visible frames.")
        place = len(ticks) // 3
        pictures = colour_pictures(path, data, track, BOUNDS, wanted={place})
        if place not in pictures:
            raise NotAVideo(path, "has a frame that cannot be decoded.")
        picture = pictures[place]
        width, height = shown_size(track, picture.shape[1], picture.shape[0])
        turned = np.ascontiguousarray(np.rot90(picture, -rotation(track.matrix) // 90))
    return base64.b64encode(_jpeg(turned, Fraction(width, height))).decode()


def _jpeg(picture: np.ndarray, shape: Fraction) -> bytes:
    import av  # noqa: PLC0415 - only the child decodes

    # Decoders of JPEG want even sides where colours have half the size.
    width = max(2, min(HEIGHT * 4, round(HEIGHT * shape / 2) * 2))
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
    small = frame.reformat(width=width, height=HEIGHT, format="yuvj420p")
    encoder = av.CodecContext.create("mjpeg", "w")
    encoder.width, encoder.height, encoder.pix_fmt = width, HEIGHT, "yuvj420p"
    encoder.time_base = Fraction(1, 25)
    small.pts, small.time_base = 0, encoder.time_base
    return b"".join(bytes(packet) for packet in (*encoder.encode(small), *encoder.encode(None)))
