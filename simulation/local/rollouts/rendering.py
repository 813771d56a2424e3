"""Writes a rollout to an MP4 file by ffmpeg; the file appears whole or not at all. No Django
here.
"""

from __future__ import annotations

import wave
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import ffmpeg as ffmpeg_graph
import numpy as np

from simulation.local.errors import RenderFailed
from simulation.local.rendering import ENCODING, raw_pictures, running
from simulation.local.rollouts.plan import RolloutPlan, RolloutTruth, truth_of
from simulation.local.rollouts.scenery import RATE, Scenery


def render_rollout(
    plan: RolloutPlan,
    out: Path,
    *,
    ffmpeg: Path,
    on_progress: Callable[[float], None] | None = None,
) -> RolloutTruth:
    """Render a rollout to the MP4 file ``out`` and return what it holds.

    ``on_progress`` is given the part done, 0 to 1. The file is written beside ``out`` and renamed.
    Raises RenderFailed.
    """
    report = on_progress or (lambda _: None)
    scenery = Scenery(plan)
    try:
        with TemporaryDirectory(prefix=f".{out.name}.", dir=out.absolute().parent) as folder:
            clip, sound = Path(folder) / "clip.mp4", Path(folder) / "sound.wav"
            _write_wave(scenery, sound)
            with running(_command(plan, clip, sound), ffmpeg) as pipe:
                for place in range(plan.frames):
                    pipe.write(scenery.picture(place, plan.responses).data)
                    report((place + 1) / plan.frames)
            clip.replace(out)
    except OSError as error:
        raise RenderFailed(
            f"{out.name} could not be written: {error}. Check the disk and the program."
        ) from error
    return truth_of(plan)


def _command(plan: RolloutPlan, clip: Path, sound: Path) -> ffmpeg_graph.Stream:
    rate = plan.geometry.frame_rate
    video = raw_pictures(f"{plan.width}x{plan.height}", rate)
    options = ENCODING | {
        "crf": 18,
        "g": 2 * rate,
        "acodec": "aac",
        "aac_coder": "fast",
        "audio_bitrate": "96k",
    }
    graph = ffmpeg_graph.output(video, ffmpeg_graph.input(str(sound)), str(clip), **options)
    return graph.global_args("-nostdin", "-loglevel", "error", "-filter_threads", "1")


def _write_wave(scenery: Scenery, path: Path) -> None:
    """Write the sound second by second: three minutes at once would be needless memory."""
    plan = scenery.plan
    total = round(plan.frames / plan.geometry.frame_rate * RATE)
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE)
        for start in range(0, total, RATE):
            samples = scenery.sound(start, min(start + RATE, total), plan.responses)
            file.writeframes(np.round(samples * 32767).astype("<i2").tobytes())
