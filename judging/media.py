"""What a judge is sent as the clip: the blind bytes themselves, or for a sensitivity run the same
without sound or picture. No Django here.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import ffmpeg

from fartbench.media.errors import MediaRefusal, MediaTimeout
from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.sandbox import call_apart
from fartbench.media.sandbox_policy import place_for

SECONDS = 120.0
MUTED, NO_PICTURE = "muted", "no_picture"


class NotVaried(MediaRefusal):
    """A blind copy of which no version without sound or picture could be made."""


def clip_bytes(path: Path, variant: str) -> bytes:
    """Return the bytes of a blind copy as this variant sends them.

    Raises NotVaried or MediaTimeout.
    """
    if variant not in (MUTED, NO_PICTURE):
        return path.read_bytes()
    with place_for("clip.mp4", path) as target:
        call_apart(_vary_here, path, str(target), str(ffmpeg_binary()), variant, seconds=SECONDS)
        return target.read_bytes()


def _vary_here(path: Path, target: str, program: str, variant: str) -> None:
    command = ["-y", *arguments(path, target, variant)]
    environment = {"PATH": os.environ.get("PATH", "")}
    try:
        done = subprocess.run(
            [program, *command],
            capture_output=True,
            timeout=SECONDS - 10,
            check=False,
            env=environment,
        )
    except subprocess.TimeoutExpired as fault:
        raise MediaTimeout(path, f"could not be varied within {SECONDS - 10:g} s.") from fault
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise NotVaried(path, f"could not be varied: {said[-1] if said else 'no reason given'}.")


def arguments(path: Path, target: str, variant: str) -> list[str]:
    """Return the arguments of ffmpeg: without sound the pictures are copied, without picture they
    are black and the sound is copied.
    """
    source = ffmpeg.input(f"file:{path}", f="mov", protocol_whitelist="file", threads=1)
    common = {"f": "mp4", "map_metadata": -1, "fflags": "+bitexact", "movflags": "+faststart"}
    if variant == MUTED:
        out = ffmpeg.output(source["v:0"], f"file:{target}", vcodec="copy", **common)
    else:
        black = source["v:0"].filter("drawbox", color="black", t="fill").filter("format", "yuv420p")
        coding = {
            "vcodec": "libx264",
            "preset": "veryfast",
            "threads": 1,
            "flags:v": "+bitexact",
            "acodec": "copy",
        }
        out = ffmpeg.output(black, source["a:0?"], f"file:{target}", **coding, **common)
    found: list[str] = out.global_args("-nostdin", "-v", "error").get_args()
    return found
