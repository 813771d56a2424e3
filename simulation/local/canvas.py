"""A small vector painter: smooth outlines filled with exact-area antialiasing into 4:2:0 sprites.

No Django here.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Shorts = NDArray[np.uint16]
Points = NDArray[np.float64]
Colour = tuple[int, int, int]


class Box(NamedTuple):
    """A rectangle of device pixels with even edges, right and bottom exclusive."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def empty(self) -> bool:
        """Whether no pixel lies in it."""
        return self.right <= self.left or self.bottom <= self.top

    def union(self, other: Box) -> Box:
        """Return the smallest box around both."""
        return Box(*map(min, self[:2], other[:2]), *map(max, self[2:], other[2:]))

    def meet(self, other: Box) -> Box:
        """Return what both share; it may be empty."""
        return Box(*map(max, self[:2], other[:2]), *map(min, self[2:], other[2:]))

    def clamped(self) -> Box:
        """Return it, or a box without pixels when right lies left of left."""
        return Box(self.left, self.top, max(self.left, self.right), max(self.top, self.bottom))

    def moved(self, right: int, down: int) -> Box:
        """Return it shifted by whole pixels."""
        return Box(self.left + right, self.top + down, self.right + right, self.bottom + down)


@dataclass(frozen=True, slots=True)
class Fill:
    """One painted shape: an outline in scene units, a colour that may fade to a second one, and
    what it is cut to.
    """

    outline: Points
    colour: Colour
    fades_to: Colour | None
    along: tuple[float, float]
    opacity: float
    within: Points | None
    glow: bool


@dataclass(slots=True)
class Drawing:
    """A list of fills, back to front; nothing is rasterised until asked."""

    fills: list[Fill] = field(default_factory=list)

    def fill(
        self,
        outline: Points,
        colour: Colour,
        fades_to: Colour | None = None,
        *,
        along: tuple[float, float] = (0.0, 1.0),
        opacity: float = 1.0,
        within: Points | None = None,
    ) -> None:
        """Add a filled outline (n, 2); ``fades_to`` is reached at the far end of the outline along
        a direction.
        """
        self.fills.append(Fill(outline, colour, fades_to, along, opacity, within, glow=False))

    def glow(
        self,
        centre: tuple[float, float],
        radii: tuple[float, float],
        colour: Colour,
        opacity: float,
        within: Points | None = None,
    ) -> None:
        """Add a soft ellipse that fades from ``opacity`` at its centre to nothing at its radii."""
        corners = np.array([[-1.0, -1.0], [1.0, 1.0]]) * radii + centre
        self.fills.append(Fill(corners, colour, None, (0, 1), opacity, within, glow=True))

    def bounds(self, scale: float, frame: Box) -> Box:
        """Return the even device box around all fills, cut to ``frame``."""
        corners = [(fill.outline.min(0), fill.outline.max(0)) for fill in self.fills]
        low = np.floor(np.min([low for low, _ in corners], 0) * scale / 2).astype(int) * 2 - 2
        high = np.ceil(np.max([high for _, high in corners], 0) * scale / 2).astype(int) * 2 + 2
        return Box(int(low[0]), int(low[1]), int(high[0]), int(high[1])).meet(frame)


def coverage(outline: Points, width: int, height: int) -> Floats:
    """Return how much of each pixel (height, width) the closed outline (n, 2) covers, 0..1.

    Signed areas of the edges are accumulated and summed along each row, as font rasterisers do;
    each edge is cut at pixel rows, so that rows are exact, and at half pixels along them.
    """
    x0, y0 = outline.T
    x1, y1 = np.concatenate([outline[1:], outline[:1]]).T
    # Which pixel rows each edge crosses: one entry per edge and row.
    top = np.minimum(np.maximum(np.floor(np.minimum(y0, y1)), 0), height).astype(np.intp)
    bottom = np.minimum(np.maximum(np.ceil(np.maximum(y0, y1)), 0), height).astype(np.intp)
    rows = np.where(y0 == y1, 0, bottom - top)
    edge = np.repeat(np.arange(len(rows)), rows)
    row = np.arange(len(edge)) + np.repeat(top - np.cumsum(rows) + rows, rows)
    x0, y0, slope = x0[edge], y0[edge], (x1 - x0)[edge] / (y1 - y0)[edge]
    start = np.minimum(np.maximum(y0, row), row + 1)
    end = np.minimum(np.maximum(y1[edge], row), row + 1)
    first, run = x0 + (start - y0) * slope, (end - start) * slope
    # Cut flat ones into pieces of at most half a pixel, so that each lies in one pixel nearly
    # enough.
    pieces = np.minimum(np.ceil(np.abs(run) * 2) + 1, 2 * width).astype(np.intp)
    piece = np.repeat(np.arange(len(row)), pieces)
    step = np.arange(len(piece)) - np.repeat(np.cumsum(pieces) - pieces, pieces) + 0.5
    x = np.minimum(np.maximum(first[piece] + (run / pieces)[piece] * step, 0), width)
    rise = ((end - start) / pieces)[piece]
    column = x.astype(np.intp)
    spilt = rise * (x - column)
    cell = row[piece] * (width + 2) + column
    size = height * (width + 2)
    area = np.bincount(
        np.concatenate([cell, cell + 1]), np.concatenate([rise - spilt, spilt]), size
    )[:size]
    sums = np.cumsum(area.reshape(height, width + 2), axis=1, dtype=np.float32)[:, :width]
    return np.asarray(np.minimum(np.abs(sums), 1), np.float32)


@dataclass(frozen=True, slots=True)
class Sprite:
    """A painted region as video-range BT.709, premultiplied, with what it leaves of the picture
    below in 256ths.

    Luma is (height, width); chroma (2: Cb and Cr, height / 2, width / 2).
    """

    box: Box
    luma: Bytes
    luma_left: Shorts
    chroma: Bytes
    chroma_left: Shorts

    @property
    def weight(self) -> int:
        """Bytes held in memory."""
        return (
            self.luma.nbytes + self.luma_left.nbytes + self.chroma.nbytes + self.chroma_left.nbytes
        )


def to_ycc(colour: Colour) -> tuple[float, float, float]:
    """Return 8-bit R'G'B' as video-range Y'CbCr (ITU-R BT.709-6, items 3.2 to 3.5)."""
    red, green, blue = (part / 255 for part in colour)
    luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return 16 + 219 * luma, 128 + 224 * (blue - luma) / 1.8556, 128 + 224 * (red - luma) / 1.5748


class _Target:
    """Planes under a brush: premultiplied luma with alpha at full size, Cb and Cr with alpha at
    half size.
    """

    def __init__(self, box: Box) -> None:
        self.box = box
        height, width = box.bottom - box.top, box.right - box.left
        self.full = np.zeros((2, height, width), np.float32)  # alpha, luma
        self.half = np.zeros((3, height // 2, width // 2), np.float32)  # alpha, Cb, Cr

    def paint(self, fill: Fill, scale: float) -> None:
        """Lay one fill over what is there."""
        outline = fill.outline * scale - self.box[:2]
        low, high = outline.min(0), outline.max(0)
        height, width = self.full.shape[1:]
        left, top = (max(0, int(part) // 2 * 2) for part in low)
        right, bottom = min(width, -int(-high[0] // 2) * 2), min(height, -int(-high[1] // 2) * 2)
        if right <= left or bottom <= top:
            return
        alpha = _alpha(
            fill,
            outline - (left, top),
            scale,
            (left + self.box.left, top + self.box.top),
            (right - left, bottom - top),
        )
        pairs = alpha[::2] + alpha[1::2]
        halved = (pairs[:, ::2] + pairs[:, 1::2]) * np.float32(0.25)
        fade, faded = _fades(fill, low, high, (left, top), alpha.shape)
        luma, *chroma = to_ycc(fill.colour)
        change = [new - old for new, old in zip(faded, (luma, *chroma), strict=True)]
        _lay(self.full[:, top:bottom, left:right], alpha, [luma], change[:1], fade)
        half_fade = None if fade is None else (fade[0][::2], fade[1][:, ::2])
        _lay(
            self.half[:, top // 2 : bottom // 2, left // 2 : right // 2],
            halved,
            chroma,
            change[1:],
            half_fade,
        )

    def sprite(self) -> Sprite:
        """Return what was painted."""

        def left(alpha: Floats) -> Shorts:
            return np.asarray(256.5 - 256 * alpha, np.uint16)

        return Sprite(
            self.box,
            (self.full[1] + 0.5).astype(np.uint8), left(self.full[0]),
            (self.half[1:] + 0.5).astype(np.uint8), left(self.half[0]),
        )  # fmt: skip


def _alpha(
    fill: Fill, outline: Points, scale: float, corner: tuple[int, int], size: tuple[int, int]
) -> Floats:
    """Return how much of each pixel of a region the fill takes, 0..1."""
    if fill.glow:
        low, high = outline
        x = (
            (np.arange(size[0]) + 0.5 - (low[0] + high[0]) / 2) / ((high[0] - low[0]) / 2 + 1e-9)
        ).astype(np.float32)
        y = (
            (np.arange(size[1]) + 0.5 - (low[1] + high[1]) / 2) / ((high[1] - low[1]) / 2 + 1e-9)
        ).astype(np.float32)
        alpha = np.maximum((1 - x * x)[None, :] - (y * y)[:, None], 0)
        alpha *= alpha
    else:
        alpha = coverage(outline, *size)
    if fill.within is not None:
        alpha *= coverage(fill.within * scale - corner, *size)
    if fill.opacity != 1:
        alpha *= np.float32(fill.opacity)
    return np.asarray(alpha, np.float32)


_Fade = tuple[Floats, Floats]  # a column and a row whose sum is how far each pixel lies along, 0..1


def _fades(
    fill: Fill, low: Points, high: Points, corner: tuple[int, int], shape: tuple[int, ...]
) -> tuple[_Fade | None, tuple[float, float, float]]:
    """Return how far each pixel lies along the fill's direction, and the Y'CbCr that is reached
    there.
    """
    if fill.fades_to is None:
        return None, to_ycc(fill.colour)
    across, down = fill.along
    width, height = high - low + 1e-9
    whole = abs(across) * width + abs(down) * height
    x = (np.arange(shape[1]) + 0.5 + corner[0] - (low[0] + high[0]) / 2) * (across / whole)
    y = (np.arange(shape[0]) + 0.5 + corner[1] - (low[1] + high[1]) / 2) * (down / whole) + 0.5
    return (y[:, None].astype(np.float32), x[None, :].astype(np.float32)), to_ycc(fill.fades_to)


def _lay(
    planes: Floats, alpha: Floats, colour: list[float], change: list[float], fade: _Fade | None
) -> None:
    """Lay one colour, or one that fades, over premultiplied planes whose first is alpha."""
    planes *= 1 - alpha
    planes[0] += alpha
    for plane, base, rise in zip(
        planes[1:], np.array(colour, np.float32), np.array(change, np.float32), strict=True
    ):
        np.add(
            plane,
            alpha * (base if fade is None else fade[0] * rise + (base + fade[1] * rise)),
            out=plane,
        )


def rasterise(drawing: Drawing, scale: float, frame: Box) -> Sprite:
    """Return the drawing painted at ``scale`` device pixels per scene unit, cut to ``frame``."""
    target = _Target(drawing.bounds(scale, frame).clamped())
    for fill in drawing.fills:
        target.paint(fill, scale)
    return target.sprite()
