"""How a clip's frames are shown, by what libavformat and the decoder say, to compare a copy with.
No Django here.

Decoded frames can be alike to the last bit and still be shown otherwise: turned, mirrored,
stretched, in other colours.
"""

import math
import struct
from dataclasses import dataclass
from fractions import Fraction
from itertools import starmap
from typing import Any

from av.video.frame import VideoFrame
from av.video.stream import VideoStream

UNSPECIFIED = 2
LIMITED = 1
CLOSE = 1e-3
SMALLEST_STEP = 1e-4
"""The larger one of the steps in which boxes of MP4 count chromaticities and luminances."""
UPRIGHT = (1, 0, 0, 1)


@dataclass(frozen=True, slots=True)
class Showing:
    """How frames are shown.

    ``width`` and ``height`` are in square pixels after turning; ``matrix`` are the cells of the
    turn; ``colours`` are primaries, transfer, matrix and range by their codes; ``grading`` are the
    chromaticities and luminances that an HDR picture was graded for, and ``light`` its brightest
    pixel and frame (empty when nothing says so).
    """

    width: int
    height: int
    matrix: tuple[int, ...]
    colours: tuple[int, ...]
    grading: tuple[float, ...]
    light: tuple[int, ...]

    def __str__(self) -> str:
        turn = (
            "" if self.matrix == UPRIGHT else f" under the matrix {' '.join(map(str, self.matrix))}"
        )
        return f"{self.width}x{self.height}{turn}"


def showing(stream: VideoStream, frame: VideoFrame) -> Showing:
    """Return how a stream's frames are shown, from one decoded frame of it."""
    matrix = _matrix(frame)
    aspect = Fraction(stream.sample_aspect_ratio or 1)
    width, height = frame.width, frame.height
    if aspect > 1:
        width = round(width * aspect)
    else:
        height = round(height / aspect)
    if not matrix[0]:
        width, height = height, width
    return Showing(width, height, matrix, _colours(frame), _grading(frame), _light(frame))


def compare_showing(raw: Showing, blind: Showing) -> list[str]:
    """Return what differs between how the raw clip and its copy are shown."""
    faults = []
    if (raw.width, raw.height, raw.matrix) != (blind.width, blind.height, blind.matrix):
        faults.append(f"the raw clip is shown {raw}, the copy {blind}")
    if raw.colours != blind.colours:
        faults.append(
            f"the raw clip's colours are {_codes(raw.colours)}, the copy's {_codes(blind.colours)}"
        )
    if raw.light != blind.light or not _are_close(raw.grading, blind.grading):
        faults.append(
            "the raw clip and the copy say different things of how bright it was graded (HDR)"
        )
    return faults


def _codes(colours: tuple[int, ...]) -> str:
    return "/".join(map(str, colours))


def _are_close(one: tuple[float, ...], other: tuple[float, ...]) -> bool:
    def is_close(a: float, b: float) -> bool:
        return math.isclose(a, b, rel_tol=CLOSE, abs_tol=SMALLEST_STEP)

    return len(one) == len(other) and all(starmap(is_close, zip(one, other, strict=True)))


def _side_data(frame: VideoFrame, kind: str, layout: str) -> tuple[int, ...]:
    found: Any = frame.side_data.get(kind)
    return struct.unpack_from(layout, bytes(found)) if found is not None else ()


def _matrix(frame: VideoFrame) -> tuple[int, ...]:
    """Return the cells of the nearest quarter turn; upright for a matrix of zeros, as players show
    it.
    """
    cells = _side_data(frame, "DISPLAYMATRIX", "<9i")
    turn = [cells[at] for at in (0, 1, 3, 4)] if cells else UPRIGHT
    scale = max(map(abs, turn))
    return tuple(round(Fraction(cell, scale)) for cell in turn) if scale else UPRIGHT


def _colours(frame: VideoFrame) -> tuple[int, ...]:
    """Return the codes of the colours; a code of 0 says as little as “unspecified”, and YUV is
    limited unless said.
    """
    codes = (int(frame.color_primaries), int(frame.color_trc), int(frame.colorspace))
    return (*(code or UNSPECIFIED for code in codes), int(frame.color_range) or LIMITED)


def _grading(frame: VideoFrame) -> tuple[float, ...]:
    numbers = _side_data(frame, "MASTERING_DISPLAY_METADATA", "<22i")
    if not numbers:
        return ()
    fractions = [
        numbers[at] / numbers[at + 1] if numbers[at + 1] else 0.0 for at in range(0, 20, 2)
    ]
    has_chromaticities, has_luminances = numbers[20:]
    return (
        *(fractions[:8] if has_chromaticities else ()),
        *(fractions[8:] if has_luminances else ()),
    )


def _light(frame: VideoFrame) -> tuple[int, ...]:
    return _side_data(frame, "CONTENT_LIGHT_LEVEL", "<2I")
