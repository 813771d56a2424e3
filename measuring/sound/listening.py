"""Everything that is heard in one clip, as a document; a file is decoded in the sandbox.

No Django here.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from fartbench.media.bounds import BOUNDS
from fartbench.media.presentation import span
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart
from measuring.sound.loudness import Samples, integrated_loudness, silence_of
from measuring.sound.onsets import candidates

VERSION = "1"
SECONDS = 120.0


def listen(samples: Samples, rate: int) -> dict[str, Any]:
    """Return loudness (LUFS, or None), silence and candidate onsets of samples (n, channels),
    -1..1.
    """
    loudness = integrated_loudness(samples, rate)
    return {
        "loudness_lufs": None if loudness is None else round(loudness, 1),
        "silence": {
            key: round(value, 3) for key, value in asdict(silence_of(samples, rate)).items()
        },
        "candidates": [asdict(candidate) for candidate in candidates(samples, rate)],
    }


def listen_to(path: Path) -> dict[str, Any]:
    """Return what is heard in a file, with ``has_sound``.

    Raises NotAVideo, UnsafeMedia or MediaToolDied for a file that cannot be read.
    """
    heard: dict[str, Any] = call_apart(_listen_here, path, seconds=SECONDS)
    return heard


def _listen_here(path: Path) -> dict[str, Any]:
    from fartbench.media.sampling import whole_sound  # noqa: PLC0415 - a web process does without decoders

    with open_bytes(path) as data:
        movie = read_movie(path, data)
        video, audio = movie.main("video"), movie.main("audio")
        if audio is None or not audio.samples:
            return {"has_sound": False, "loudness_lufs": None, "silence": None, "candidates": []}
        start = span(video)[0] if video is not None else span(audio)[0]
        sound = whole_sound(path, data, audio, start, BOUNDS)
    return {"has_sound": True, **listen(sound.samples, sound.rate)}
