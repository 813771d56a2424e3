"""Puts moving parts before a still background, repainting only what changed. No Django here."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass

import numpy as np

from simulation.local.canvas import Box, Bytes, Drawing, Sprite, rasterise

SCENE_WIDTH = 1280
SCENE_HEIGHT = 720
CACHE_BYTES = 64 * 2**20


@dataclass(frozen=True, slots=True)
class Part:
    """A movable part of a picture in one pose: equal ``pose`` means equal paint, so a pose is
    painted once.
    """

    pose: Hashable
    paint: Callable[[Drawing], None]
    shift: tuple[int, int] = (0, 0)  # device pixels, even

    @property
    def key(self) -> Hashable:
        """What tells two appearances of it apart."""
        return (self.pose, self.shift)


class Stage:
    """A 4:2:0 picture that is composed frame by frame from a background drawing and parts, back to
    front.
    """

    def __init__(self, background: Drawing, width: int, height: int) -> None:
        """Paint the background; ``width`` and ``height`` are even device pixels."""
        self.frame = Box(0, 0, width, height)
        self.scale = max(width / SCENE_WIDTH, height / SCENE_HEIGHT)
        self._still = _planes(width, height)
        self.picture = _planes(width, height)
        black = _views(self._still, self.frame)
        black[0][...], black[1][...] = 16, 128
        _blend(black, rasterise(background, self.scale, self.frame), (0, 0), self.frame)
        self.picture[:] = self._still
        self._sprites: OrderedDict[Hashable, Sprite] = OrderedDict()
        self._held = 0
        self._shown: dict[int, tuple[Hashable, Box]] = {}

    def show(self, parts: Sequence[Part]) -> Bytes:
        """Return the flat 4:2:0 picture of the parts; the same buffer every time.

        The number of parts never changes.
        """
        sprites = [self._sprite(part) for part in parts]
        damage = []
        for place, (part, sprite) in enumerate(zip(parts, sprites, strict=True)):
            box = sprite.box.moved(*part.shift).meet(self.frame)
            key, before = self._shown.get(place, (None, box))
            if key != part.key:
                damage.append(box.union(before) if not before.empty else box)
            self._shown[place] = (part.key, box)
        for box in damage:
            self._repaint(box, parts, sprites)
        return self.picture

    def _repaint(self, box: Box, parts: Sequence[Part], sprites: Sequence[Sprite]) -> None:
        if box.empty:
            return
        views = _views(self.picture, self.frame)
        for half, (view, still) in enumerate(
            zip(views, _views(self._still, self.frame), strict=True)
        ):
            window = _window(box, half=bool(half))
            view[..., window[0], window[1]] = still[..., window[0], window[1]]
        for part, sprite in zip(parts, sprites, strict=True):
            _blend(views, sprite, part.shift, box)

    def _sprite(self, part: Part) -> Sprite:
        sprite = self._sprites.get(part.pose)
        if sprite is None:
            drawing = Drawing()
            part.paint(drawing)
            sprite = rasterise(drawing, self.scale, self.frame)
            self._held += sprite.weight
        self._sprites[part.pose] = sprite
        self._sprites.move_to_end(part.pose)
        while self._held > CACHE_BYTES:
            self._held -= self._sprites.popitem(last=False)[1].weight
        return sprite


def _planes(width: int, height: int) -> Bytes:
    return np.empty(width * height * 3 // 2, np.uint8)


def _views(planes: Bytes, frame: Box) -> tuple[Bytes, Bytes]:
    """Return luma (height, width) and chroma (2, height / 2, width / 2) of a flat picture."""
    width, height = frame.right, frame.bottom
    return planes[: width * height].reshape(height, width), planes[width * height :].reshape(
        2, height // 2, width // 2
    )


def _window(box: Box, *, half: bool) -> tuple[slice, slice]:
    by = 2 if half else 1
    return slice(box.top // by, box.bottom // by), slice(box.left // by, box.right // by)


def _blend(views: tuple[Bytes, Bytes], sprite: Sprite, shift: tuple[int, int], within: Box) -> None:
    """Lay a sprite over a picture, cut to a box."""
    box = sprite.box.moved(*shift).meet(within)
    if box.empty:
        return
    own = box.moved(-sprite.box.left - shift[0], -sprite.box.top - shift[1])
    layers = (
        (views[0], sprite.luma, sprite.luma_left),
        (views[1], sprite.chroma, sprite.chroma_left),
    )
    for half, (view, paint, left) in enumerate(layers):
        to, at = _window(box, half=bool(half)), _window(own, half=bool(half))
        under = view[..., to[0], to[1]]
        below = under * left[at]
        below += 128
        below >>= 8
        under[...] = below
        under += paint[..., at[0], at[1]]
