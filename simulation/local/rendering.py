"""Writes a take to an MP4 file by ffmpeg; the file appears whole or not at all. No Django here."""

from __future__ import annotations

import os
import subprocess
import wave
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from math import ceil
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import ffmpeg as ffmpeg_graph
import numpy as np

from simulation.local.canvas import Bytes
from simulation.local.errors import RenderFailed
from simulation.local.scenes import Picture
from simulation.local.scenes.chair import ChairPicture
from simulation.local.scenes.lift import LiftPicture
from simulation.local.scenes.squat import SquatPicture
from simulation.local.scenes.toast import ToastPicture
from simulation.local.script import Script
from simulation.local.soundtrack import soundtrack
from simulation.local.stage import Stage
from simulation.local.takes import Scene, Sound, Take
from simulation.local.truth import Truth, truth_of
from simulation.local.voices import RATE

PICTURES: dict[Scene, Callable[[Script], Picture]] = {
    Scene.LIFT: LiftPicture,
    Scene.SQUAT: SquatPicture,
    Scene.CHAIR: ChairPicture,
    Scene.TOAST: ToastPicture,
}
# One thread each: two workers share two cores. The pictures are easy, so the fastest search will
# do; smooth walls need the filter that it leaves out.
ENCODING = {
    "vcodec": "libx264",
    "preset": "ultrafast",
    "x264-params": "no-deblock=0:cabac=1",
    "threads": 1,
    "pix_fmt": "yuv420p",
    "colorspace": "bt709",
    "color_primaries": "bt709",
    "color_trc": "bt709",
    "color_range": "tv",
    "movflags": "+faststart",
}
LAST_WORDS = 600  # characters of ffmpeg's complaint that a refusal quotes


def render(
    take: Take, out: Path, *, ffmpeg: Path, on_progress: Callable[[float], None] | None = None
) -> Truth:
    """Render a take to the MP4 file ``out`` with the program ``ffmpeg`` and return what the file
    holds.

    ``on_progress`` is given the part done, 0 to 1; what it raises stops the render. The file is
    written beside ``out`` under another name, synced and renamed: after a failure nothing is left
    and an older ``out`` is still there. Raises RenderFailed, with ffmpeg's last words where it has
    any.
    """
    out = out.absolute()
    try:
        with TemporaryDirectory(prefix=f".{out.name}.", dir=out.parent) as folder:
            clip = Path(folder) / "clip.mp4"
            _encode(take, clip, ffmpeg, on_progress or (lambda _: None))
            _sync(clip)
            clip.replace(out)
        _sync(out.parent)
    except OSError as error:
        raise RenderFailed(
            f"{out.name} could not be written: {error}. Check the disk and the ffmpeg program."
        ) from error
    return truth_of(take)


def frames(take: Take) -> Iterator[Bytes]:
    """Yield each frame as flat 4:2:0 bytes; the buffer is used again for the next one."""
    picture = PICTURES[take.scene](Script(take))
    stage = Stage(picture.background(), take.width, take.height)
    black = np.full_like(stage.picture, 128)
    black[: take.width * take.height] = 16
    for number in range(round(take.duration * take.frame_rate)):
        time = number / take.frame_rate
        if take.black and take.black[0] <= time < take.black[1]:
            yield black
            continue
        if take.frozen and take.frozen[0] <= time < take.frozen[1]:
            time = ceil(take.frozen[0] * take.frame_rate) / take.frame_rate
        yield stage.show(picture.parts(time, stage.scale))


def _encode(take: Take, clip: Path, ffmpeg: Path, on_progress: Callable[[float], None]) -> None:
    sound = None
    if take.sound is not Sound.MISSING:
        sound = clip.with_name("sound.wav")
        _write_wave(take, sound)
    count = round(take.duration * take.frame_rate)
    with running(_command(take, clip, sound), ffmpeg) as pipe:
        for done, frame in enumerate(frames(take), 1):
            pipe.write(frame.data)
            on_progress(done / count)


def _command(take: Take, clip: Path, sound: Path | None) -> Any:
    """Return the ffmpeg graph of a take: raw pictures from the pipe, sound from a file."""
    size = f"{take.width}x{take.height}"
    video = raw_pictures(size, take.frame_rate)
    if take.blur > 1:
        small = (max(2, round(part / take.blur / 2) * 2) for part in (take.width, take.height))
        video = video.filter("scale", *small, flags="area").filter(
            "scale", take.width, take.height, flags="bilinear"
        )
    tags = {"title": take.title, "comment": take.comment}
    labels = [f"{name}={value}" for name, value in tags.items() if value]
    options: dict[str, Any] = ENCODING | {"crf": take.crf, "g": 2 * take.frame_rate}
    options |= {f"metadata:g:{i}": label for i, label in enumerate(labels)}
    streams = [video]
    if sound is not None:
        streams.append(ffmpeg_graph.input(str(sound)))
        options |= {"acodec": "aac", "aac_coder": "fast", "audio_bitrate": "160k"}
    graph = ffmpeg_graph.output(*streams, str(clip), **options)
    return graph.global_args("-nostdin", "-loglevel", "error", "-filter_threads", "1")


def raw_pictures(size: str, frame_rate: int) -> Any:
    """Return the ffmpeg stream of raw BT.709 pictures that come through the pipe; ``size`` is
    "320x180".

    Raw pictures say nothing about their colours, and then ffmpeg takes them for another kind and
    converts them.
    """
    video = ffmpeg_graph.input("pipe:", format="rawvideo", pix_fmt="yuv420p", s=size, r=frame_rate)
    colours = {
        "color_primaries": "bt709",
        "color_trc": "bt709",
        "colorspace": "bt709",
        "range": "tv",
    }
    return video.filter("setparams", **colours)


@contextmanager
def running(graph: Any, ffmpeg: Path) -> Iterator[Any]:
    """Run ffmpeg while the block writes to its standard input; raise RenderFailed unless it ends
    well.
    """
    process = ffmpeg_graph.run_async(graph, cmd=str(ffmpeg), pipe_stdin=True, pipe_stderr=True)
    try:
        with suppress(BrokenPipeError):  # ffmpeg has died: its status and its last words say why
            yield process.stdin
        with suppress(BrokenPipeError):
            process.stdin.close()
        words = process.stderr.read().decode(errors="replace").strip()
        status = process.wait()
    finally:
        _end(process)
    if status:
        if words:
            said = f" Its last words: {words[-LAST_WORDS:]}"
        else:
            said = " It said nothing."
        raise RenderFailed(f"ffmpeg stopped with status {status} and no clip was made.{said}")


def _end(process: subprocess.Popen[bytes]) -> None:
    """Stop a process that may still run, and close its pipes."""
    if process.poll() is None:
        process.kill()
        process.wait()
    for pipe in (process.stdin, process.stderr):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _write_wave(take: Take, path: Path) -> None:
    samples = np.round(soundtrack(Script(take)) * 32767).astype("<i2")
    with wave.open(str(path), "wb") as file:
        file.setnchannels(2)
        file.setsampwidth(2)
        file.setframerate(RATE)
        file.writeframes(samples.tobytes())


def _sync(path: Path) -> None:
    """Have a file or a folder written to the disk."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
