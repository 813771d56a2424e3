"""Where the ffmpeg program is. No Django here."""

import os
import shutil
from functools import cache
from pathlib import Path

import imageio_ffmpeg

from fartbench.errors import Refusal


class FfmpegMissing(Refusal):
    """There is no ffmpeg program to run."""


@cache
def ffmpeg_binary(named: str | None = None) -> Path:
    """Return the ffmpeg program: ``named``, else ``FFMPEG_BINARY``, else the one that
    imageio-ffmpeg carries.

    Raises FfmpegMissing when a named program is not there; a name that was set is never silently
    replaced.
    """
    wanted = named or os.environ.get("FFMPEG_BINARY", "")
    if wanted:
        found = shutil.which(wanted)
        if found is None:
            raise FfmpegMissing(
                f"No ffmpeg program at “{wanted}”. Install ffmpeg, correct FFMPEG_BINARY, "
                "or leave it unset to use the packaged one."
            )
        return Path(found)
    try:
        return Path(imageio_ffmpeg.get_ffmpeg_exe())
    except RuntimeError as error:
        raise FfmpegMissing(
            "No ffmpeg program was found. Run “make setup”, or set FFMPEG_BINARY to the path of "
            "one."
        ) from error
