"""What libavformat and libavcodec say of a clip that is to be re-encoded. Runs in the sandbox. No
Django here.

The program that re-encodes reads the clip with the same libraries, so both mean the same streams
and the same clock.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
from av.container import InputContainer
from av.error import FFmpegError

from fartbench.media.bounds import BOUNDS
from fartbench.media.errors import NotAVideo
from fartbench.media.movie import Movie

HIGH_DEFINITION = 720
"""From this height (pixels) on, browsers take a frame of unstated colour for BT.709, below it for
BT.601.
"""
UNSTATED = 2
"""The code of a colour matrix that is not stated (ITU-T H.273)."""
DEMUXERS = {"mp4": "mov", "matroska": "matroska"}
WITH_ALPHA = {"vp8": "libvpx", "vp9": "libvpx-vp9"}
"""Decoders that also decode the transparency beside the frames; the usual ones pass over it."""


@dataclass(frozen=True, slots=True)
class SourceView:
    """How to read a clip: its demuxer, the index of its frames' and its sound's stream in the file,
    the name of the decoder of its frames where it is not the usual one.

    ``origin`` is the first presented moment (s, on the file's clock). ``colour`` is the colour
    matrix to assume, empty where the frames state theirs. ``is_askew`` says that the container
    turns the frames by other than quarter turns, which browsers do not do. ``early`` is
    by how much (s) browsers play the sound earlier than libavformat says.
    """

    demuxer: str
    video: int
    audio: int | None
    origin: Fraction
    decoder: str
    colour: str
    has_alpha: bool
    is_askew: bool
    channels: int
    early: Fraction


def view_source(path: Path, form: str, movie: Movie) -> SourceView:
    """Return how to read a clip; raise NotAVideo when no frame of it can be decoded."""
    demuxer = DEMUXERS[form]
    video, audio = stream_indices(path, demuxer, movie)
    decoder = _alpha_decoder(path, demuxer, video)
    frame = next(decoded_frames(path, demuxer, video, decoder), None)
    if frame is None:
        raise NotAVideo(path, "has no frame that can be decoded.")
    view = SourceView(
        demuxer=demuxer,
        video=video,
        audio=None,
        origin=presented(frame),
        decoder=decoder,
        colour=unstated_colour(frame),
        has_alpha=_has_alpha(frame),
        is_askew=frame.rotation % 90 != 0,
        channels=0,
        early=Fraction(0),
    )
    return view if audio is None else _with_sound(view, path, audio, movie)


def _with_sound(view: SourceView, path: Path, audio: int, movie: Movie) -> SourceView:
    """Return how to read a clip's sound as well, or the same view when none can be decoded."""
    sound = next(decoded_frames(path, view.demuxer, audio), None)
    track = movie.main("audio")
    if sound is None or track is None:
        return view
    return replace(
        view,
        audio=audio,
        origin=min(view.origin, presented(sound)),
        channels=len(sound.layout.channels),
        early=track.early,
    )


def _has_alpha(frame: Any) -> bool:
    return any(component.is_alpha for component in frame.format.components)


def stream_indices(path: Path, demuxer: str, movie: Movie) -> tuple[int, int | None]:
    """Return the index in the file of the frames and of the sound that players show: of each kind
    the stream in the same place among its kind as the track that our reader chose. Cover pictures
    do not count.
    """
    indices: list[int | None] = []
    with opened(path, demuxer) as container:
        for kind in ("video", "audio"):
            track = movie.main(kind)
            if track is None or not track.samples:
                indices.append(None)
                continue
            place = [one for one in movie.tracks if one.kind == kind and not one.attached].index(
                track
            )
            streams = [
                one.index for one in container.streams if one.type == kind and not _is_cover(one)
            ]
            if place >= len(streams):
                raise NotAVideo(path, f"holds {kind} tracks of which the decoder finds fewer.")
            indices.append(streams[place])
    video, audio = indices
    if video is None:
        raise NotAVideo(path, "holds no moving picture.")
    return video, audio


def _is_cover(stream: Any) -> bool:
    return stream.type == "video" and bool(stream.disposition & av.stream.Disposition.attached_pic)


def _alpha_decoder(path: Path, demuxer: str, video: int) -> str:
    with opened(path, demuxer) as container:
        stream = container.streams[video]
        if stream.metadata.get("alpha_mode") != "1":
            return ""
        return WITH_ALPHA.get(stream.codec_context.name, "")


@contextmanager
def opened(path: Path, demuxer: str) -> Iterator[InputContainer]:
    """Give a container that is read from the open file with the named demuxer, so that it can open
    nothing else.
    """
    try:
        with (
            path.open("rb") as file,
            av.open(file, "r", format=demuxer, metadata_errors="replace") as container,
        ):
            yield container
    except FFmpegError as fault:
        raise NotAVideo(path, f"cannot be decoded to its end ({fault.strerror}).") from fault


def decoded_frames(  # noqa: PLR0917 - the first four say what, the last two from where and how fast
    path: Path,
    demuxer: str,
    index: int,
    decoder: str = "",
    seek: Fraction | None = None,
    threads: int = 1,
) -> Iterator[Any]:
    """Yield the decoded frames of one stream, from the start or from a moment to ``seek`` to (s,
    the file's clock).
    """
    with opened(path, demuxer) as container:
        stream: Any = container.streams[index]
        options = {"max_pixels": str(BOUNDS.pixels)} if stream.type == "video" else {}
        if decoder:
            context: Any = av.CodecContext.create(decoder, "r")
            context.extradata = stream.codec_context.extradata
        else:
            context = stream.codec_context
        context.thread_count = threads
        context.thread_type = "AUTO"
        context.options = options
        if seek is not None:
            _seek(container, seek)
        for packet in container.demux(stream):
            for frame in context.decode(None if packet.dts is None and not packet.size else packet):
                frame.time_base = stream.time_base
                yield frame


def _seek(container: InputContainer, moment: Fraction) -> None:
    try:
        container.seek(int(moment * av.time_base), backward=True)
    except FFmpegError:
        container.seek(
            0
        )  # a file without an index is read from its start; that is slower and as right


def presented(frame: Any) -> Fraction:
    """Return when a decoded frame is presented, in seconds on the file's clock."""
    moment = frame.pts if frame.pts is not None else frame.dts
    time: Fraction = Fraction(moment or 0) * frame.time_base
    return time


def unstated_colour(frame: Any) -> str:
    """Return the colour matrix that browsers take for a frame which does not state its own; empty
    when it does.
    """
    if int(frame.colorspace) != UNSTATED:
        return ""
    return "bt709" if frame.height >= HIGH_DEFINITION else "smpte170m"
