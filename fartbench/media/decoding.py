"""Decoding coded samples with PyAV's codecs, without any demuxer. Runs in the sandbox.

No Django here.
"""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from struct import pack, unpack_from
from typing import Any, NamedTuple

import av
from av.audio.frame import AudioFrame
from av.codec.context import Flags2
from av.error import FFmpegError
from av.video.codeccontext import VideoCodecContext
from av.video.frame import VideoFrame

from fartbench.media.bounds import Bounds
from fartbench.media.errors import NotAVideo
from fartbench.media.first_slice import begin_of_frame
from fartbench.media.movie import Track

DECODERS = {
    "h264": "h264", "hevc": "hevc", "av1": "libdav1d", "vp8": "vp8", "vp9": "vp9",
    "aac": "aac", "opus": "opus", "vorbis": "vorbis", "mp3": "mp3float",
}  # fmt: skip
FULL_RANGE = 2
"""libav's name for a picture whose numbers use the full range of a byte."""
PICTURES_TRIED = 40
PACKETS_TRIED = 8


class Picture(NamedTuple):
    """What a decoder says of a picture track: the size of a frame (pixels), its format, the codec's
    profile, the shape of a pixel (width, height; 1, 1 when the bitstream does not say), whether the
    range of its numbers is full, and its transfer characteristic (ITU-T H.273).
    """

    width: int
    height: int
    pix_fmt: str
    has_alpha: bool
    profile: str
    aspect: tuple[int, int]
    is_full_range: bool
    transfer: int


def first_picture(path: Path, data: memoryview, track: Track, bounds: Bounds) -> Picture | None:
    """Return what the first decoded frame of a track is like, or None for a codec that is not
    decoded here.

    Raises NotAVideo when no picture comes out.
    """
    if track.codec not in DECODERS:
        return None
    frame, context = _first_frame(path, data, track, bounds)
    if not isinstance(frame, VideoFrame):
        raise NotAVideo(path, "has a picture track that decodes to sound.")
    return _picture(frame, context)


def picture_headers(data: memoryview, track: Track, bounds: Bounds) -> Picture | None:
    """Return the same from the headers alone, or None where they do not say it."""
    begun = begin_of_frame(data, track)
    if begun is None:
        return None
    context = decoder(track, bounds)
    context.options |= {"ec": "0"}  # what is missing of the frame is not made up
    with suppress(FFmpegError):  # the frame is cut off, and only what it begins with is asked for
        context.decode(av.Packet(begun))
    return _picture(context, context) if context.width and context.pix_fmt else None


def _picture(shown: VideoFrame | VideoCodecContext, context: VideoCodecContext) -> Picture:
    aspect = context.sample_aspect_ratio
    pixels: Any = shown.format
    return Picture(
        width=shown.width,
        height=shown.height,
        pix_fmt=pixels.name,
        has_alpha=any(component.is_alpha for component in pixels.components),
        profile=str(context.profile or ""),
        aspect=(aspect.numerator, aspect.denominator) if aspect else (1, 1),
        is_full_range=shown.color_range == FULL_RANGE,
        transfer=int(shown.color_trc),
    )


def first_sound(
    path: Path, data: memoryview, track: Track, bounds: Bounds
) -> tuple[AudioFrame, str] | None:
    """Return the first decoded sound frame of a track and the codec's profile, or None for a codec
    that is not decoded here.

    Raises NotAVideo when no sound comes out.
    """
    if track.codec not in DECODERS:
        return None
    frame, context = _first_frame(path, data, track, bounds)
    if not isinstance(frame, AudioFrame):
        raise NotAVideo(path, "has a sound track that decodes to pictures.")
    return frame, str(context.profile or "")


def _first_frame(path: Path, data: memoryview, track: Track, bounds: Bounds) -> tuple[Any, Any]:
    context = decoder(track, bounds)
    if track.kind == "audio":
        context.flags2 |= Flags2.skip_manual  # an Opus decoder would cut off what its header says
    try:
        frames = _frames(context, data, track)
        frame = next(frames, None) if track.kind == "video" else _whole_frame(frames)
    except FFmpegError as fault:
        raise NotAVideo(
            path, f"has {track.kind} that cannot be decoded ({fault.strerror})."
        ) from fault
    if frame is None:
        raise NotAVideo(path, f"has {track.kind} that cannot be decoded (no frame comes out).")
    return frame, context


def _whole_frame(frames: Iterator[AudioFrame]) -> AudioFrame | None:
    """Return a sound frame that is not cut short.

    A decoder may shorten the first one of a stream, so decoding ends with two alike in a row.
    """
    longest: AudioFrame | None = None
    for frame in frames:
        if longest is not None and frame.samples == longest.samples:
            return frame
        if longest is None or frame.samples > longest.samples:
            longest = frame
    return longest


def decoder(track: Track, bounds: Bounds) -> Any:
    """Return a decoder of a track's samples, set up by the track's record alone."""
    context = av.CodecContext.create(DECODERS[track.codec], "r")
    context.thread_count = 1
    context.extradata = extradata(track)
    context.options = {"max_pixels": str(bounds.pixels)}
    return context


def _frames(context: Any, data: memoryview, track: Track) -> Iterator[Any]:
    most = PICTURES_TRIED if track.kind == "video" else PACKETS_TRIED
    for sample in islice(track.samples, most):
        yield from context.decode(
            av.Packet(bytes(data[sample.offset : sample.offset + sample.size]))
        )
    yield from context.decode(None)


def extradata(track: Track) -> bytes | None:
    """Return the set-up record as the decoder wants it: Opus headers are turned from MP4's layout
    to Ogg's.
    """
    if (
        track.codec == "opus"
        and len(track.config) >= 11
        and not track.config.startswith(b"OpusHead")
    ):
        _, channels, skip, rate, gain, family = unpack_from(">BBHIhB", track.config)
        return (
            b"OpusHead" + pack("<BBHIhB", 1, channels, skip, rate, gain, family) + track.config[11:]
        )
    return track.config or None
