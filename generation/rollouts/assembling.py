"""Joins the chunks of a stream to one file: coded pictures as they came, sound end to end. No Django here.

Reading happens in the sandbox: chunks are what a stranger sent.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np
from av.audio.frame import AudioFrame
from av.audio.resampler import AudioResampler
from numpy.typing import NDArray

from fartbench.media.errors import NotAVideo
from fartbench.media.sandbox import call_apart
from generation.rollouts.log import RolloutLog, read_log

RATE = 48_000
SECONDS = 300.0
_FILES_ONLY = {"protocol_whitelist": "file"}


def assemble(folder: Path, out: Path) -> RolloutLog:
    """Write the rollout in ``folder`` to the MP4 file ``out`` and return its log.

    Coded pictures are copied bit for bit, one after another at the rate of the stream; sound is laid at each chunk's
    start, cut or filled to its length, and coded once. Raises NotAVideo or MediaToolDied when a chunk cannot be read or
    its pictures are coded in another way, LogUnreadable, and NotAVideo when nothing came.
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
    rate = Fraction(sum(frames for _, frames, _, _ in chunks) / chunks[-1][3]).limit_denominator(1001)
    with av.open(target, "w", format="mp4", options={"movflags": "+faststart"}) as out:
        copied, sound = None, out.add_stream("aac", rate=RATE, layout="mono")
        config, place = b"", 0
        for name, _, starts_s, ends_s in chunks:
            path = folder / name
            with av.open(str(path), format="mov", options=_FILES_ONLY) as chunk:
                video = chunk.streams.video[0]
                if copied is None:
                    copied = out.add_stream_from_template(video)
                    copied.time_base = 1 / rate
                    config = bytes(video.codec_context.extradata or b"")
                if bytes(video.codec_context.extradata or b"") != config:
                    raise NotAVideo(path, "has pictures that are coded in another way than those before.")
                for packet in _packets(chunk, video, place, 1 / rate):
                    packet.stream = copied
                    out.mux(packet)
                    place += 1
            _sound(path, out, sound, round(starts_s * RATE), round(ends_s * RATE))
        out.mux(sound.encode(None))


def _packets(chunk: Any, video: Any, place: int, tick: Fraction) -> list[Any]:
    """Return a chunk's coded pictures, timed to follow the ``place`` pictures before them."""
    packets = [packet for packet in chunk.demux(video) if packet.size]
    order = sorted(packet.pts for packet in packets)
    for decode, packet in enumerate(packets):
        packet.pts, packet.dts, packet.duration = place + order.index(packet.pts), place + decode, 1
        packet.time_base = tick
    return packets


def _sound(path: Path, out: Any, stream: Any, start: int, stop: int) -> None:
    """Code a chunk's sound in its place; silence where it has none."""
    samples = _decoded_sound(path)[: stop - start]
    samples = np.pad(samples, (0, stop - start - len(samples)))
    frame = AudioFrame.from_ndarray(samples[None], format="fltp", layout="mono")
    frame.sample_rate, frame.pts, frame.time_base = RATE, start, Fraction(1, RATE)
    out.mux(stream.encode(frame))


def _decoded_sound(path: Path) -> NDArray[np.float32]:
    with av.open(str(path), format="mov", options=_FILES_ONLY) as chunk:
        if not chunk.streams.audio:
            return np.zeros(0, np.float32)
        resampler = AudioResampler(format="fltp", layout="mono", rate=RATE)
        frames = [part for frame in chunk.decode(audio=0) for part in resampler.resample(frame)]
        frames += resampler.resample(None)
        return np.concatenate([np.zeros(0, np.float32), *(frame.to_ndarray()[0] for frame in frames)])
