"""All that is measured from a rollout's picture, sound and log, in one pass over the file.

No Django here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from fartbench.media.bounds import BOUNDS
from fartbench.media.movie import Track
from fartbench.media.presentation import frame_rate, picture_ticks, span
from fartbench.media.reading import open_bytes, read_movie
from fartbench.media.sandbox import call_apart
from generation.rollouts.geometry import Geometry
from measuring import continuity
from measuring.continuity import Window
from measuring.flags import Flag, sound_flags
from measuring.measurement import Measurement
from measuring.pace import Timing, frames_per_second, time_to_first_chunk

SECONDS = 120.0
TOOL, VERSION = "continuity", "1"


@dataclass(frozen=True, slots=True)
class Boundaries:
    """The places (in pictures) where a rollout's own chunks meet, logged or computed from a
    declared geometry.

    ``places`` is None where nobody can observe them; ``reason`` then says why.
    """

    places: tuple[int, ...] | None
    source: str
    reason: str = ""

    @classmethod
    def declared(cls, geometry: Geometry, frames: int) -> Boundaries:
        """Return the boundaries that a declared geometry gives."""
        return cls(tuple(geometry.boundaries(frames)), "geometry")

    @classmethod
    def unknown(cls, reason: str) -> Boundaries:
        """Return that there is no way to tell."""
        return cls(None, "none", reason)


@dataclass(frozen=True, slots=True)
class Signals:
    """What was measured: continuity at native boundaries (``NBC``) and at prompts, pace, and marks
    in the sound.
    """

    native: tuple[Window, ...]
    prompts: tuple[Window, ...]
    flags: tuple[Flag, ...]
    measurements: tuple[Measurement, ...]

    def worst(self, count: int = 5) -> list[Window]:
        """Return the native boundaries with the lowest scores (`continuity.worst`)."""
        return continuity.worst(self.native, count)


def measure_signals(
    path: Path,
    *,
    boundaries: Boundaries,
    prompts_s: Sequence[float] = (),
    timing: Timing | None = None,
) -> Signals:
    """Measure one rollout. ``prompts_s`` are the media times (s) at which prompts arrived.

    Raises NotAVideo, UnsafeMedia or MediaToolDied for a file that cannot be read; nothing is
    measured then.
    """
    seen = call_apart(
        _look_here, path, list(boundaries.places or ()), list(prompts_s), seconds=SECONDS
    )
    native = tuple(Window(**window) for window in seen["native"])
    timing = timing or Timing(seen["frames"], None, None)
    measurements = [
        _native(boundaries, native, seen["reason"]),
        frames_per_second(timing),
        time_to_first_chunk(timing),
    ]
    return Signals(
        native=native,
        prompts=tuple(Window(**window) for window in seen["prompts"]),
        flags=tuple(Flag(**flag) for flag in seen["flags"]),
        measurements=tuple(measurements),
    )


def _native(boundaries: Boundaries, windows: tuple[Window, ...], fault: str) -> Measurement:
    if boundaries.places is None:
        return _none("unavailable", f"boundaries cannot be observed: {boundaries.reason}")
    if fault:
        return _none("unavailable", fault)
    if not windows:
        return _none("not_applicable", "no boundary has a whole window inside the rollout")
    evidence = {
        "boundaries": len(boundaries.places),
        "source": boundaries.source,
        "windows": [window.as_json() for window in windows],
    }
    value = float(np.mean([window.score for window in windows]))
    return Measurement("NBC", value, "points", TOOL, VERSION, evidence=evidence)


def _none(status: Any, reason: str) -> Measurement:
    return Measurement.without("NBC", status, reason, unit="points", tool=TOOL, version=VERSION)


def _look_here(path: Path, native: list[int], prompts_s: list[float]) -> dict[str, Any]:
    """Decode the file once and return its windows and marks as JSON. Runs in the sandbox."""
    from fartbench.media.sampling import whole_sound  # noqa: PLC0415 - a web process does without decoders

    with open_bytes(path) as data:
        movie = read_movie(path, data)
        video, audio = movie.main("video"), movie.main("audio")
        assert video is not None  # noqa: S101 - read_movie refuses a file without one
        begin, end = span(video)
        ticks = picture_ticks(video)
        rate, variable = frame_rate(
            ticks, video.timescale, end - Fraction(ticks[-1], video.timescale) - video.shift
        )
        every = None if variable else continuity.step(rate)
        prompts = [round(at * rate) for at in prompts_s]
        seen: dict[str, Any] = {
            "frames": len(ticks),
            "native": [],
            "prompts": [],
            "flags": [],
            "reason": "",
        }
        if every is None:
            rate_in_words = "a varying rate" if variable else f"{float(rate):g} pictures a second"
            seen["reason"] = (
                f"{rate_in_words} cannot be sampled {continuity.SAMPLES_S} times a second"
            )
        else:
            windows = _windows(path, data, video, [*native, *prompts], rate)
            seen["native"] = [windows[at] for at in native if at in windows]
            seen["prompts"] = [windows[at] for at in prompts if at in windows]
        if audio is not None and audio.samples:
            sound = whole_sound(path, data, audio, begin, BOUNDS)
            seen["flags"] = [flag.as_json() for flag in sound_flags(sound.samples, sound.rate)]
    return seen


def _windows(
    path: Path, data: memoryview, video: Track, boundaries: list[int], rate: Fraction
) -> dict[int, dict[str, Any]]:
    """Return the window of each boundary that has a whole one, at a rate that can be sampled."""
    from fartbench.media.sampling import gray_pictures  # noqa: PLC0415

    frames, every = len(picture_ticks(video)), int(rate / continuity.SAMPLES_S)
    whole = [at for at in dict.fromkeys(boundaries) if continuity.is_whole(at, frames, rate)]
    wanted = np.zeros(frames, np.bool_)
    for at in whole:
        wanted[list(continuity.places(at, every))] = True
    pictures = gray_pictures(
        path, data, video, BOUNDS, wanted=lambda place: bool(wanted[place]), width=continuity.WIDTH
    )
    row = {int(place): index for index, place in enumerate(pictures.places)}
    windows = {}
    for at in whole:
        rows = [row[place] for place in continuity.places(at, every)]
        windows[at] = continuity.look(pictures.gray[rows], float(at / rate)).as_json()
    return windows
