"""Decoding a whole file: chosen pictures small and gray, and all of its sound. Runs in the sandbox.

No Django here.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.codec.context import Flags2
from av.error import FFmpegError
from av.video.reformatter import VideoReformatter
from numpy.typing import NDArray

from fartbench.media.bounds import Bounds
from fartbench.media.decoding import DECODERS, extradata
from fartbench.media.errors import NotAVideo
from fartbench.media.movie import Track
from fartbench.media.pcm import UnreadableSound, channels_last
from fartbench.media.presentation import picture_ticks, span


@dataclass(frozen=True, slots=True)
class Pictures:
    """Gray pictures (n, height, width), 0..255 over the full range, and the place of each in the
    file's order.
    """

    places: NDArray[np.int64]
    gray: NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Sound:
    """All sound as samples (n, channels), -1..1, from the first presented picture on; ``rate`` in
    hertz.
    """

    samples: NDArray[np.float32]
    rate: int


def gray_pictures(
    path: Path,
    data: memoryview,
    track: Track,
    bounds: Bounds,
    *,
    wanted: Callable[[int], bool],
    width: int,
) -> Pictures:
    """Decode every picture of a track and keep those whose place is wanted, ``width`` pixels wide
    and as high as fits.

    Raises NotAVideo for a codec that is not decoded here, or when decoding fails.
    """
    ticks = np.array(picture_ticks(track), np.int64)
    places, kept, scaler = [], [], VideoReformatter()
    for frame in _decoded(path, data, track, bounds):
        place = int(np.searchsorted(ticks, frame.pts))
        if place < len(ticks) and ticks[place] == frame.pts and wanted(place):
            height = max(2, round(frame.height * width / frame.width))
            places.append(place)
            small = scaler.reformat(
                frame, width=width, height=height, format="gray", interpolation="BICUBIC"
            )
            kept.append(small.to_ndarray())
    if not kept:
        return Pictures(np.zeros(0, np.int64), np.zeros((0, 2, width), np.uint8))
    order = np.argsort(places)
    return Pictures(np.array(places, np.int64)[order], np.stack(kept)[order].astype(np.uint8))


def colour_pictures(
    path: Path, data: memoryview, track: Track, bounds: Bounds, *, wanted: set[int]
) -> dict[int, NDArray[np.uint8]]:
    """Decode a track up to the last wanted place and return those pictures (height, width, 3), RGB,
    by their place.

    Decoding begins at the last picture before them that needs no other. A place that is not there
    is left out. Raises NotAVideo as gray_pictures() does.
    """
    ticks, last = np.array(picture_ticks(track), np.int64), max(wanted)
    begin = _stands_alone(track, int(ticks[min(wanted)]))
    found: dict[int, NDArray[np.uint8]] = {}
    for frame in _decoded(path, data, track, bounds, begin):
        place = int(np.searchsorted(ticks, frame.pts))
        if place in wanted and ticks[place] == frame.pts:
            found[place] = frame.to_ndarray(format="rgb24")
        if place >= last and len(found) == len(wanted):
            break
    return found


def whole_sound(
    path: Path, data: memoryview, track: Track, start: Fraction, bounds: Bounds
) -> Sound:
    """Decode all sound of a track, on the clock that begins at ``start`` seconds of the file's own.

    Raises NotAVideo for a codec that is not decoded here, or when decoding fails.
    """
    pieces, rate = [], track.sample_rate
    for frame in _decoded(path, data, track, bounds):
        rate = frame.sample_rate
        pieces.append(_channels_last(path, frame))
    if not pieces:
        return Sound(np.zeros((0, 1), np.float32), rate)
    samples = np.concatenate(pieces)
    if samples.dtype.kind == "i":
        samples = samples / np.float32(-np.iinfo(samples.dtype).min)
    first = track.time(track.samples[0])
    begin, end = span(track)
    samples[: max(0, round((begin - first) * rate))] = 0  # what the container hides is not heard
    lead = round((first - start) * rate)
    shown = round((end - start) * rate)
    silence = np.zeros((max(lead, 0), samples.shape[1]), np.float32)
    return Sound(
        np.concatenate([silence, samples[max(-lead, 0) :]])[:shown].astype(np.float32), rate
    )


def _channels_last(path: Path, frame: Any) -> NDArray[Any]:
    try:
        return channels_last(frame)
    except UnreadableSound as fault:
        raise NotAVideo(path, f"has sound that cannot be read: {fault}.") from fault


def _stands_alone(track: Track, pts: int) -> int:
    """Return the last sample, in the order of the file, that decoding can begin at to show all from
    ``pts`` on.

    Such a one is shown before everything that comes after it in the file: not every sync sample is.
    """
    earliest, found = math.inf, 0
    for number in range(len(track.samples) - 1, -1, -1):
        sample = track.samples[number]
        if sample.sync and sample.pts <= min(pts, earliest):
            found = number
            break
        earliest = min(earliest, sample.pts)
    return found


def _decoded(
    path: Path, data: memoryview, track: Track, bounds: Bounds, begin: int = 0
) -> Iterator[Any]:
    """Yield every decoded frame from a sample on; its ``pts`` is in the track's ticks."""
    if track.codec not in DECODERS:
        raise NotAVideo(
            path, f"has {track.kind} coded as {track.codec}, which is not decoded here."
        )
    context: Any = av.CodecContext.create(DECODERS[track.codec], "r")
    context.thread_count = 1
    context.extradata = extradata(track)
    context.options = {"max_pixels": str(bounds.pixels)}
    if track.kind == "audio":
        context.flags2 |= (
            Flags2.skip_manual
        )  # an Opus decoder would cut off what its header says, and all be early
    try:
        for sample in track.samples[begin:]:
            packet = av.Packet(bytes(data[sample.offset : sample.offset + sample.size]))
            packet.pts = sample.pts
            yield from context.decode(packet)
        yield from context.decode(None)
    except FFmpegError as fault:
        raise NotAVideo(
            path, f"has {track.kind} that cannot be decoded ({fault.strerror})."
        ) from fault
