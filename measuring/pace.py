"""How fast a rollout came, from its log. No Django here.

Source: arXiv:2608.26336v1, §B.2 and its public evaluation code. A cascade's times include its sound
stage.
"""

from __future__ import annotations

from dataclasses import dataclass

from measuring.measurement import Measurement

TOOL, VERSION = "log", "1"


@dataclass(frozen=True, slots=True)
class Timing:
    """What a log says of one rollout: pictures made, and wall-clock seconds from the request to the
    first chunk and to the end. None where nothing was logged, as with systems that are only a web
    page.
    """

    frames: int
    generation_s: float | None
    first_chunk_s: float | None


def frames_per_second(timing: Timing) -> Measurement:
    """Return pictures made per second of generation."""
    if fault := _fault(timing):
        return Measurement.without(
            "FPS", "unavailable", fault, unit="fps", tool=TOOL, version=VERSION
        )
    assert timing.generation_s is not None  # noqa: S101 - no fault says so
    return Measurement("FPS", timing.frames / timing.generation_s, "fps", TOOL, VERSION)


def time_to_first_chunk(timing: Timing) -> Measurement:
    """Return the seconds until the first chunk had come."""
    if fault := _fault(timing):
        return Measurement.without(
            "TTFC", "unavailable", fault, unit="s", tool=TOOL, version=VERSION
        )
    return Measurement("TTFC", timing.first_chunk_s, "s", TOOL, VERSION)


def _fault(timing: Timing) -> str:
    """Return why a log cannot be used, nothing when it can."""
    if timing.generation_s is None or timing.first_chunk_s is None:
        return "no times were logged"
    if timing.generation_s <= 0 or timing.first_chunk_s < 0:
        return f"the log says {timing.generation_s:g} s and {timing.first_chunk_s:g} s"
    if timing.first_chunk_s > timing.generation_s:
        return (
            f"the first chunk came at {timing.first_chunk_s:g} s, after the end at "
            f"{timing.generation_s:g} s"
        )
    return ""
