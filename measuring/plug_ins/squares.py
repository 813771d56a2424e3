"""A picture as CLIP's own loader takes it: Pillow's bicubic scaling and the middle square.

No Django here.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def square(picture: NDArray[np.uint8], side: int) -> NDArray[np.uint8]:
    """Return (side, side, 3): the shorter side brought to ``side``, the middle cut out. Pillow
    scales rows first, then columns, and rounds to whole levels after each.
    """
    height, width = picture.shape[:2]
    tall, wide = (int(side * size / min(height, width)) for size in (height, width))
    small = _levels(np.einsum("ow,hwc->hoc", bicubic(width, wide), picture))
    small = _levels(np.einsum("oh,hwc->owc", bicubic(height, tall), small))
    top, left = round((tall - side) / 2), round((wide - side) / 2)
    return small[top : top + side, left : left + side].astype(np.uint8)


def bicubic(size: int, wanted: int) -> Floats:
    """Return the (wanted, size) matrix that resizes a line by cubic convolution (a = -0.5), widened
    when it shrinks.
    """
    scale = max(size / wanted, 1.0)
    centre = (np.arange(wanted) + 0.5) * size / wanted
    x = np.abs((np.arange(size)[None] + 0.5 - centre[:, None]) / scale)
    near = (1.5 * x - 2.5) * x**2 + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    weights = np.where(x < 1, near, np.where(x < 2, far, 0))  # noqa: PLR2004 - where the cubic's two parts meet
    return np.asarray(weights / weights.sum(1, keepdims=True), np.float64)


def _levels(picture: Floats) -> Floats:
    return np.clip(np.floor(picture + 0.5), 0, 255)
