"""Frames of a clip and of its normalised copy, made small and upright so that they can be compared.
No Django here.

Runs in the sandbox. Each frame becomes a grid of at most CELLS cells on its longer side; a cell is
the mean colour of the part of the shown frame that it covers, whatever the frame's own size, turn,
mirror, crop and pixel shape.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np
from av.video.reformatter import ColorRange, Colorspace, VideoReformatter
from numpy.typing import NDArray

from blinding.common_format import Box
from blinding.source_view import unstated_colour

CELLS = 48
WORKING_SIDE = 160
"""Frames are first scaled to at most this many pixels on the longer side; cells are cut out of that
exactly.
"""
_COLOURS = {"bt709": Colorspace.ITU709, "smpte170m": Colorspace.ITU601}

Small = NDArray[np.float32]
"""Cells of frames, RGB over the full range 0..255: (rows, columns, 3), or (n, rows, columns, 3)."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How the container says that coded frames are shown: which part of them, in which pixel shape,
    turned how.

    ``crop`` (pixels hidden at the left, top, right and bottom) and ``matrix`` (a quarter turn or
    mirror) are as in `fartbench.media.movie.Track`; ``pixel_aspect`` is that of the coded frame,
    before it is turned.
    """

    pixel_aspect: Fraction = Fraction(1)
    crop: tuple[int, int, int, int] = (0, 0, 0, 0)
    matrix: tuple[int, ...] = (1, 0, 0, 1)

    @property
    def is_turned(self) -> bool:
        """Whether rows become columns."""
        return self.matrix[0] == 0

    def region(self, width: int, height: int) -> Box:
        """Return which part of a coded frame of that many pixels is shown."""
        left, top, right, bottom = self.crop
        return Box(left, top, width - left - right, height - top - bottom)

    def aspect(self, width: int, height: int) -> Fraction:
        """Return the width of the shown frame over its height, for a coded frame of that many
        pixels.
        """
        region = self.region(width, height)
        upright = Fraction(region.width, region.height) * self.pixel_aspect
        return 1 / upright if self.is_turned else upright

    def upright(self, cells: Small) -> Small:
        """Return cells of the coded frame (rows, columns, 3) turned and mirrored as they are
        shown.
        """
        a, b, c, d = self.matrix
        if not self.is_turned:
            return cells[:: d or 1, :: a or 1]
        return cells.transpose(1, 0, 2)[:: b or 1, :: c or 1]


def grid_of(aspect: Fraction, *limits: int) -> tuple[int, int]:
    """Return rows and columns of a grid for a shown frame, at most CELLS and the limits on its
    longer side.
    """
    longer = max(4, min(CELLS, *limits))
    shorter = max(4, round(longer * (1 / aspect if aspect > 1 else aspect)))
    return (shorter, longer) if aspect > 1 else (longer, shorter)


@dataclass(slots=True)
class Shrinker:
    """Makes frames small: a frame in RGB no larger than WORKING_SIDE, and cells of a region of
    it.
    """

    _scaler: VideoReformatter = field(default_factory=VideoReformatter)
    _weights: dict[tuple[float, float, int, int], Small] = field(default_factory=dict)

    def working(self, frame: Any) -> Small:
        """Return a decoded frame scaled down (height, width, 3), over black where it is
        transparent.
        """
        share = min(1.0, WORKING_SIDE / max(frame.width, frame.height))
        width, height = max(2, round(frame.width * share)), max(2, round(frame.height * share))
        has_alpha = any(component.is_alpha for component in frame.format.components)
        pixels = self._scaler.reformat(
            frame,
            width=width,
            height=height,
            format="rgba" if has_alpha else "rgb24",
            src_colorspace=_COLOURS.get(unstated_colour(frame)),
            src_color_range=_range_of(frame),
            dst_color_range=ColorRange.JPEG,
            interpolation="AREA",
            threads=1,
        ).to_ndarray()
        if not has_alpha:
            return pixels.astype(np.float32)
        return np.asarray(pixels[:, :, :3] * (pixels[:, :, 3:] / 255), np.float32)

    def cells(
        self, working: Small, region: Box, full: tuple[int, int], grid: tuple[int, int]
    ) -> Small:
        """Return the cells (rows, columns, 3) of a region, given in pixels of the ``full`` frame
        (width, height).
        """
        height, width = working.shape[:2]
        across, down = width / full[0], height / full[1]
        rows = self._shares(region.top * down, (region.top + region.height) * down, height, grid[0])
        columns = self._shares(
            region.left * across, (region.left + region.width) * across, width, grid[1]
        )
        lines = (rows @ working.reshape(height, width * 3)).reshape(grid[0], width, 3)
        return np.asarray(columns @ lines, np.float32)

    def _shares(self, low: float, high: float, size: int, cells: int) -> Small:
        """Return how much of each cell (row) between two edges each of ``size`` pixels (column)
        covers.
        """
        key = low, high, size, cells
        if key not in self._weights:
            edges = np.linspace(low, high, cells + 1)
            pixels = np.arange(size)
            covered = np.minimum(edges[1:, None], pixels + 1) - np.maximum(edges[:-1, None], pixels)
            shares = np.clip(covered, 0, None)
            self._weights[key] = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
        return self._weights[key]


def _range_of(frame: Any) -> ColorRange:
    """Return the colour range of a frame: what it says, else the full one for RGB and the “j”
    formats alone.
    """
    stated = ColorRange(int(frame.color_range))
    if stated in {ColorRange.MPEG, ColorRange.JPEG}:
        return stated
    return (
        ColorRange.JPEG
        if frame.format.is_rgb or frame.format.name.startswith("yuvj")
        else ColorRange.MPEG
    )


def brightest_bar(working: Small, region: Box, full: tuple[int, int]) -> float:
    """Return how bright (0..255, the mean of each pixel's colours) the bars around a region are:
    the brightest row or column of them by its mean. Pixels at the region's edge do not count.
    """
    if (region.width, region.height) == full:
        return 0.0
    height, width = working.shape[:2]
    left, right = (
        floor(region.left * width / full[0]) - 1,
        ceil((region.left + region.width) * width / full[0]) + 1,
    )
    top, bottom = (
        floor(region.top * height / full[1]) - 1,
        ceil((region.top + region.height) * height / full[1]) + 1,
    )
    grey = working.mean(axis=2)
    rows = grey.mean(axis=1)
    columns = grey.mean(axis=0)
    bars = [
        *rows[: max(top, 0)],
        *rows[max(bottom, 0) :],
        *columns[: max(left, 0)],
        *columns[max(right, 0) :],
    ]
    return float(max(bars, default=0.0))
