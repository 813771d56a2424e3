"""Joins the chunks of a stream to one file: coded pictures as they came, sound end to end. No
Django here.

Reading happens in the sandbox: chunks are what a stranger sent.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeVar

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from numpy.typing import NDArray

from fartbench.media.errors import NotAVideo
from fartbench.media.sandbox import call_apart
from generation.rollouts.log import RolloutLog, read_log
from generation.rollouts.streaming import SLACK_S

RATE = 48_000
SECONDS = 300.0
T = TypeVar("T")
_FILES_ONLY = {"protocol_whitelist": "file"}


def assemble(folder: Path, out: Path) -> RolloutLog:
    """Write the rollout in ``folder`` to the MP4 file ``out`` and return its log.

    Coded pictures are copied bit for bit, one after another at the rate of the stream; sound is
    laid at each chunk's start, cut or filled to its length, and coded once. Raises LogUnreadable,
    MediaToolDied, and NotAVideo when nothing came, or a chunk cannot be read, or its pictures are
    coded in another way than those before, fewer or more than announced, or not at one rate.
    """
    log = read_log(folder)
    partial = out.with_name(f".{out.name}.partial")
    try:
        chunks = [[chunk.file, chunk.frames, chunk.starts_s, chunk.ends_s] for chunk in log.chunks]
        call_apart(_assemble_here, folder, chunks, str(partial), seconds=SECONDS)
        partial.replace(out)
    finally:
        partial.unlink(missing_ok=True)
    return log


def _assemble_here(folder: Path, chunks: list[list[Any]], target: str) -> None:
    if not chunks:
        raise NotAVideo(folder, "holds no chunk; there is nothing to join.")
    frames = [count for _, count, _, _ in chunks]
    rate = Fraction(sum(frames) / chunks[-1][3]).limit_denominator(1001)
    delay = max(
        _read(folder / name, lambda chunk: _delay(chunk, chunk.streams.video[0]))
        for name, *_ in chunks
    )
    with av.open(target, "w", format="mp4", options={"movflags": "+faststart"}) as out:
        pictures, sound = (
            _Pictures(out, rate, delay),
            out.add_stream("aac", rate=RATE, layout="mono"),
        )
        for name, count, starts_s, ends_s in chunks:
            path = folder / name
            before = pictures.place
            _read(path, pictures.take)
            if pictures.place - before != count:
                raise _fault(
                    path, f"has {pictures.place - before} frames; the stream announced {count}."
                )
            if abs(before / rate - starts_s) > SLACK_S:
                raise _fault(path, "comes with pictures at another rate than those before.")
            _sound(path, out, sound, round(starts_s * RATE), round(ends_s * RATE))
        out.mux(sound.encode(None))


def _fault(path: Path, words: str) -> NotAVideo:
    """Return the refusal of a stream for one of its chunks: outside the sandbox, only the folder is
    known.
    """
    return NotAVideo(path.parent, f"{path.stem} {words}")


def _read(path: Path, take: Callable[[Any], T]) -> T:
    """Open a chunk and return what ``take`` makes of it.

    Raises NotAVideo for one without pictures, or that is none.
    """
    try:
        with av.open(
            str(path), format="mov", options=_FILES_ONLY, metadata_errors="replace"
        ) as chunk:
            if not chunk.streams.video:
                raise _fault(path, "holds no picture.")
            return take(chunk)
    except av.error.FFmpegError as error:
        raise _fault(path, f"cannot be read: {error.strerror}.") from error


def _coded(chunk: Any, video: Any) -> list[Any]:
    return [packet for packet in chunk.demux(video) if packet.size]


def _shown(packets: list[Any]) -> list[int]:
    """Return the turn in which each coded picture is shown."""
    times = sorted(packet.pts for packet in packets)
    return [times.index(packet.pts) for packet in packets]


def _delay(chunk: Any, video: Any) -> int:
    """Return how many pictures later than decoded a picture is shown at most."""
    return max(
        (decoded - shown for decoded, shown in enumerate(_shown(_coded(chunk, video)))), default=0
    )


class _Pictures:
    """The pictures of the joined file; ``place`` is how many there are."""

    def __init__(self, out: Any, rate: Fraction, delay: int) -> None:
        self._out, self._tick, self._delay = out, 1 / rate, delay
        self._stream: Any = None
        self._coding: Any = None
        self.place = 0

    def take(self, chunk: Any) -> None:
        """Add a chunk's coded pictures as they are, timed to follow those before."""
        video = chunk.streams.video[0]
        coding = (
            video.codec_context.name,
            video.width,
            video.height,
            bytes(video.codec_context.extradata or b""),
        )
        if self._stream is None:
            self._stream, self._coding = self._out.add_stream_from_template(video), coding
            self._stream.time_base = self._tick
        packets = _coded(chunk, video)
        if coding != self._coding:
            raise _fault(
                Path(chunk.name), "has pictures that are coded in another way than those before."
            )
        if packets and not packets[0].is_keyframe:
            raise _fault(Path(chunk.name), "begins with a picture that needs those before.")
        for decoded, (packet, shown) in enumerate(zip(packets, _shown(packets), strict=True)):
            packet.pts, packet.dts = self.place + shown, self.place + decoded - self._delay
            packet.duration, packet.time_base, packet.stream = 1, self._tick, self._stream
            self._out.mux(packet)
        self.place += len(packets)


def _sound(path: Path, out: Any, stream: Any, start: int, stop: int) -> None:
    """Code a chunk's sound in its place; silence where it has none."""
    samples = _decoded_sound(path)[: stop - start]
    samples = np.pad(samples, (0, stop - start - len(samples)))
    frame = AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
    out.mux(stream.encode(frame))


def _decoded_sound(path: Path) -> NDArray[np.float32]:
    def decoded(chunk: Any) -> NDArray[np.float32]:
        if not chunk.streams.audio:
            return np.zeros(0, np.float32)
        resampler = AudioResampler(format="fltp", layout="mono", rate=RATE)
        frames = [part for frame in chunk.decode(audio=0) for part in resampler.resample(frame)]
        frames += resampler.resample(None)
        return np.concatenate(
            [np.zeros(0, np.float32), *(frame.to_ndarray()[0] for frame in frames)]
        )

    return _read(path, decoded)
