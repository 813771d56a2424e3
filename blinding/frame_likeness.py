"""Whether the frames of a normalised copy are those of the clip, each at its time. No Django here;
runs in the sandbox.

The difference of two frames is the mean square of what their cells differ by, in grey levels of
0..255. A frame of the copy shows the clip's frame whose time is next to its own. What it shows has
to be

- like that frame: no more unlike than coding makes it (a part of what the frame's own cells
  vary by), and
- no less like it than like another frame of the clip nearby. So a held, swapped or late frame
  shows, however alike the frames of the clip are, as long as they differ more than coding
  changes them; and a still clip is no false alarm.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from blinding.common_format import Box
from blinding.small_frames import Small

LARGEST = 80.0
"""How unlike (grey levels squared) any frame may be to its own: what coding at a low rate does to
small frames.
"""
SHARE = 0.05
"""How much more, as a part of what the cells of a frame vary by: another picture with as much in it
comes to twice.
"""
TIMES_NEAREST, BEYOND_NEAREST = 3.0, 1.5
"""A frame is another one when its own is more than this many times, and these levels squared, less
like it.
"""
DARK = 16.0
"""The most (0..255) that the mean of a row or column of a black bar may be."""
BLOCKS, DISCOLOURED = 4, 24.0
"""Into how many parts a side of the frame is divided for its colours, and how many levels each may
be off.
"""
NEARBY_S = Fraction(3, 2)
CLOCK_S = 0.0015
"""How coarse (s) the times of a clip may be: Matroska rounds them to milliseconds."""
AT_ONCE = 32


@dataclass(slots=True)
class ClipFrames:
    """Frames of a clip in the order in which they are presented: when (s, from where a piece
    begins), small, and where each lies in the common frame.
    """

    times: list[Fraction] = field(default_factory=list)
    cells: list[Small] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)

    @property
    def distinct_boxes(self) -> list[Box]:
        """The places in the common frame, each once; a clip whose frames change their size has
        several.
        """
        return list(dict.fromkeys(self.boxes))


@dataclass(slots=True)
class CopyFrames:
    """Frames of a copy: the number of the first one, their rate, and for each place where those of
    the clip may lie what is there, small, and how bright the bars around it are (0..255).
    """

    first: int
    rate: Fraction
    cells: dict[Box, list[Small]]
    bars: dict[Box, list[float]]


@dataclass(slots=True)
class Comparison:
    """What comparing the frames of one piece found. ``differences`` has one value a frame, grey
    levels squared; ``offset`` is how much later (s) the frames of the copy are than the clip's,
    where that can be known.
    """

    differences: NDArray[np.float64]
    offset: float
    faults: list[str]


def compare_frames(clip: ClipFrames, copy: CopyFrames) -> Comparison:
    """Compare frames of a copy with those of the piece of a clip that they are to show."""
    count = len(copy.cells[clip.boxes[0]])
    low, high = _presented(clip.times, copy.rate, count)
    found = _Matches(
        np.full(count, np.inf), np.full(count, np.inf), np.zeros(count, int), np.zeros(count, int)
    )
    numbers = {box: number for number, box in enumerate(clip.distinct_boxes)}
    boxes = np.array([numbers[box] for box in clip.boxes])
    for rows, columns, differences in _differences(clip, copy, low, high):
        places = np.arange(columns.start, columns.stop)
        is_own = (places >= low[rows, None]) & (places <= high[rows, None])
        to_own = np.where(is_own, differences, np.inf)
        found.own[rows] = to_own.min(axis=1)
        own = places[to_own.argmin(axis=1)]
        found.own_place[rows] = own
        # Where a clip changes its size, the same picture is made small in two ways.
        is_comparable = boxes[places] == boxes[own][:, None]
        comparable = np.where(is_comparable, differences, np.inf)
        found.nearest[rows] = comparable.min(axis=1)
        found.which[rows] = places[comparable.argmin(axis=1)]
    faults = [*_unlike(found, clip, copy), *_others(found, clip, copy)]
    faults += [*_in_bars(found, clip, copy), *_discoloured(found, clip, copy)]
    return Comparison(found.own, _offset(found, clip, copy), faults)


@dataclass(slots=True)
class _Matches:
    """For each frame of the copy how unlike it is to its own in the clip, how unlike to the most
    alike one nearby, and the places of both in the clip.
    """

    own: NDArray[np.float64]
    nearest: NDArray[np.float64]
    which: NDArray[np.int64]
    own_place: NDArray[np.int64]

    @property
    def are_others(self) -> NDArray[np.bool_]:
        """Which frames of the copy show another moment of the clip."""
        return np.asarray(self.own > TIMES_NEAREST * self.nearest + BEYOND_NEAREST)


def _presented(
    times: Sequence[Fraction], rate: Fraction, count: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each frame of the copy the first and the last frame of the clip that it may show.

    A frame of the clip may begin at most half a frame of the copy before or after its time. So a
    frame of the copy shows the last one that begins before half a frame later; two are possible
    where one begins just then.
    """
    moments = np.array([float(time) for time in times])
    turns = (np.arange(count) + 0.5) / float(rate)
    low = np.searchsorted(moments, turns - CLOCK_S, side="right") - 1
    high = np.searchsorted(moments, turns + CLOCK_S, side="right") - 1
    return np.clip(low, 0, None), np.clip(high, 0, None)


def _differences(
    clip: ClipFrames, copy: CopyFrames, low: NDArray[np.int64], high: NDArray[np.int64]
) -> Iterator[tuple[slice, slice, NDArray[np.float64]]]:
    """Yield, for a stretch of the copy's frames at a time, how unlike each is to each frame of the
    clip nearby.
    """
    width = _nearby(clip.times)
    for begin in range(0, len(low), AT_ONCE):
        rows = slice(begin, min(begin + AT_ONCE, len(low)))
        columns = slice(
            max(0, int(low[rows].min()) - width),
            min(len(clip.times), int(high[rows].max()) + width + 1),
        )
        block = np.zeros((rows.stop - rows.start, columns.stop - columns.start))
        for box in set(clip.boxes[columns]):
            places = [
                place for place in range(columns.start, columns.stop) if clip.boxes[place] == box
            ]
            theirs = np.stack([clip.cells[place].ravel() for place in places])
            ours = np.stack([cells.ravel() for cells in copy.cells[box][rows]])
            block[:, np.array(places) - columns.start] = _mean_squares(ours, theirs)
        yield rows, columns, block


def _mean_squares(ours: NDArray[np.float32], theirs: NDArray[np.float32]) -> NDArray[np.float64]:
    squares = (ours**2).sum(axis=1)[:, None] + (theirs**2).sum(axis=1)[None] - 2 * (ours @ theirs.T)
    return np.asarray(np.maximum(squares, 0) / ours.shape[1], np.float64)


def _nearby(times: Sequence[Fraction]) -> int:
    """Return how many frames of the clip are presented within NEARBY_S of each other, but at least
    eight.
    """
    length = times[-1] - times[0]
    return max(8, round(NEARBY_S * (len(times) - 1) / length)) if length > 0 else 8


def _unlike(found: _Matches, clip: ClipFrames, copy: CopyFrames) -> Iterator[str]:
    varies = np.array(
        [float(clip.cells[place].std(axis=(0, 1)).mean()) ** 2 for place in found.own_place]
    )
    wrong = np.flatnonzero(found.own > LARGEST + SHARE * varies)
    if len(wrong):
        first = copy.first + wrong[0]
        yield (
            f"{len(wrong)} of {len(found.own)} frames are not the clip's, the first of them frame "
            f"{first}"
        )


def _others(found: _Matches, clip: ClipFrames, copy: CopyFrames) -> Iterator[str]:
    wrong = np.flatnonzero(found.are_others)
    if len(wrong):
        number = int(wrong[0])
        away = float(number / copy.rate - clip.times[int(found.which[number])])
        yield (
            f"{len(wrong)} of {len(found.own)} frames show another moment of the clip; the first, "
            "frame "
            f"{copy.first + number}, is {away * 1000:+.1f} ms off"
        )


def _in_bars(found: _Matches, clip: ClipFrames, copy: CopyFrames) -> Iterator[str]:
    for number, place in enumerate(found.own_place):
        if copy.bars[clip.boxes[place]][number] > DARK:
            yield (
                f"the bars of frame {copy.first + number} are not black: it is shown in another "
                "shape"
            )
            return


def _discoloured(found: _Matches, clip: ClipFrames, copy: CopyFrames) -> Iterator[str]:
    """Yield a fault when parts of the frame have another colour than in the clip, on average over
    all frames: coding changes single cells and not the mean of many.
    """
    total = np.zeros_like(clip.cells[0])
    for number, place in enumerate(found.own_place):
        total += copy.cells[clip.boxes[place]][number] - clip.cells[place]
    rows, columns = (size // BLOCKS for size in total.shape[:2])
    blocks = (
        total[: rows * BLOCKS, : columns * BLOCKS]
        .reshape(BLOCKS, rows, BLOCKS, columns, 3)
        .mean(axis=(1, 3))
    )
    most = float(np.abs(blocks).max()) / len(found.own)
    if most > DISCOLOURED:
        yield f"its colours are up to {most:.0f} of 255 levels off"


def _offset(found: _Matches, clip: ClipFrames, copy: CopyFrames) -> float:
    """Return the middle of how far frames are off their time, when most of them are."""
    wrong = np.flatnonzero(found.are_others)
    if 2 * len(wrong) < len(found.own):
        return 0.0
    return float(
        np.median(
            [float(int(number) / copy.rate - clip.times[found.which[number]]) for number in wrong]
        )
    )
