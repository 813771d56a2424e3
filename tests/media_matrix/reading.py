"""Reading a clip back as a viewer would see and hear it, by libavformat and libavcodec.

The copy's frames are turned, mirrored and stretched as the container says, and only then looked at.
"""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from struct import unpack
from typing import Any

import av
import numpy as np
from av.video.frame import VideoFrame

from tests.media_matrix.pattern import BITS, CORNERS, GROUND, WHITE, Source

LOUD = 0.3
"""The part of the loudest sample from which on the tone counts as begun."""
TURNS = {"rg/by": "upright", "br/yg": "90", "yb/gr": "180", "gy/rb": "270",
         "gr/yb": "mirrored", "by/rg": "flipped", "rb/gy": "transposed",
         "yg/br": "transversed"}  # fmt: skip
"""Which turn (degrees clockwise) or mirror the four corners, in reading order, tell of."""
_BACK: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "90": lambda frame: np.rot90(frame, 1),
    "180": lambda frame: np.rot90(frame, 2),
    "270": lambda frame: np.rot90(frame, -1),
    "mirrored": np.fliplr,
    "flipped": np.flipud,
    "transposed": lambda frame: frame.transpose(1, 0, 2),
    "transversed": lambda frame: np.rot90(frame, 2).transpose(1, 0, 2),
}


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a frame: its corner and size in pixels."""

    left: int
    top: int
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Seen:
    """What a clip shows: size in square pixels, turn, the number of each frame in order and when it
    is shown (s).
    """

    size: tuple[int, int]
    turn: str
    numbers: list[int]
    times: list[float]
    flash_s: float
    beep_s: float | None
    channels: int


def turn_of(picture: np.ndarray) -> str:
    """Return the turn or mirror of a shown frame from the colours of its corners."""
    height, width = picture.shape[:2]
    down, across = max(height // 16, 1), max(width // 16, 1)
    spots = [
        picture[y, x].astype(int)
        for y in (down, height - 1 - down)
        for x in (across, width - 1 - across)
    ]
    letters = [min(CORNERS, key=lambda name: np.abs(spot - CORNERS[name]).sum()) for spot in spots]
    return TURNS.get(
        f"{''.join(letters[:2])}/{''.join(letters[2:])}", f"corners {''.join(letters)}"
    )


def upright(picture: np.ndarray, turn: str) -> np.ndarray:
    """Return a frame turned and mirrored back to how it was made."""
    return _BACK[turn](picture) if turn in _BACK else picture


def number_of(picture: np.ndarray) -> int:
    """Return the number that an upright frame bears."""
    height, width = picture.shape[:2]
    spots = (width / 5 + (bit + 0.5) * width * 3 / 5 / BITS for bit in range(BITS))
    middle = picture[height // 2]
    return sum(int(middle[int(x)].mean() > 127) << bit for bit, x in enumerate(spots))


def is_white(picture: np.ndarray) -> bool:
    """Return whether an upright frame flashes."""
    height, width = picture.shape[:2]
    return picture[height // 8, width // 2].mean() > (GROUND + WHITE) / 2


def see(path: Path, part: Part | None = None) -> Seen:
    """Decode a clip and return what it shows, or what the ``part`` of its frames shows that has no
    bars.
    """
    numbers: list[int] = []
    times: list[float] = []
    flash, turn, size = -1.0, "", (0, 0)
    with av.open(str(path)) as container:
        stream = container.streams.video[0]
        stream.codec_context.thread_count = 1
        shape = stream.sample_aspect_ratio or 1
        for frame in container.decode(stream):
            picture = _as_shown(frame)
            if part is not None:
                picture = picture[
                    part.top : part.top + part.height, part.left : part.left + part.width
                ]
            if not turn:
                turn = turn_of(picture)
                size = _shown_size(frame, picture, shape)
            picture = upright(picture, turn)
            numbers.append(number_of(picture))
            times.append(float(frame.pts * frame.time_base))
            if flash < 0 and is_white(picture):
                flash = times[-1]
    beep, channels = hear(path)
    return Seen(size, turn, numbers, times, flash, beep, channels)


def _shown_size(frame: VideoFrame, picture: np.ndarray, shape: Any) -> tuple[int, int]:
    height, width = picture.shape[:2]
    is_turned = (width, height) != (frame.width, frame.height)
    return (width, round(height * shape)) if is_turned else (round(width * shape), height)


def _as_shown(frame: VideoFrame) -> np.ndarray:
    """Return a frame as RGB, turned and mirrored by its display matrix."""
    picture = frame.to_ndarray(format="rgb24")
    cells = _matrix(frame)
    if cells == (1, 0, 0, 1):
        return picture
    across, down = (cells[0], cells[2]), (cells[1], cells[3])
    if cells[0] == 0:
        picture = picture.transpose(1, 0, 2)
    if sum(across) < 0:
        picture = np.fliplr(picture)
    return np.flipud(picture) if sum(down) < 0 else picture


def _matrix(frame: VideoFrame) -> tuple[int, ...]:
    """Return a, b, c, d of a frame's display matrix, each -1, 0 or 1."""
    for data in frame.side_data:
        if data.type.name == "DISPLAYMATRIX":
            cells = unpack("=9i", bytes(data)[:36])
            return tuple(int(np.sign(cells[place])) for place in (0, 1, 3, 4))
    return (1, 0, 0, 1)


def hear(path: Path) -> tuple[float | None, int]:
    """Return when the tone begins (s, None without one) and how many channels the sound has."""
    with av.open(str(path)) as container:
        if not container.streams.audio:
            return None, 0
        stream = container.streams.audio[0]
        plain = av.AudioResampler("flt")  # one plane, whatever the codec gives
        frames = (made for frame in container.decode(stream) for made in plain.resample(frame))
        pieces = [
            (float(frame.pts * frame.time_base), frame.sample_rate, _mono(frame))
            for frame in frames
        ]
        channels = len(stream.codec_context.layout.channels)
    loudest = max((np.abs(samples).max() for _, _, samples in pieces if len(samples)), default=0.0)
    if loudest < 0.01:
        return None, channels
    for start, rate, samples in pieces:
        loud = np.flatnonzero(np.abs(samples) > LOUD * loudest)
        if len(loud):
            return start + loud[0] / rate, channels
    return None, channels


def _mono(frame: Any) -> np.ndarray:
    """Return the first channel of a sound frame as floats from -1 to 1."""
    return frame.to_ndarray()[0][:: len(frame.layout.channels)]


def expected_times(source: Source) -> list[float]:
    """Return when each frame of a source is shown (s), the first at zero."""
    return [float(number / source.rate) for number in range(source.frames)]
