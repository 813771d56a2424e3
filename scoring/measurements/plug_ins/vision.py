"""The picture tower of CLIP in numpy. No Django here.

Radford et al. 2021 (arXiv:2103.00020); layer names are those of the published Hugging Face checkpoints, so the weights
are read as they come. Width, depth and patch size follow from the shapes; a head is 64 wide in every published tower.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from scoring.measurements.plug_ins.tensors import Tensors

Floats = NDArray[np.float32]
MEAN = np.array([0.48145466, 0.4578275, 0.40821073], np.float32)
SPREAD = np.array([0.26862954, 0.26130258, 0.27577711], np.float32)
HEAD = 64
TINY = np.float32(1e-5)
_LAYER = "encoder.layers.{}."


class ClipVision:
    """Turns pictures into embeddings of unit length."""

    def __init__(self, tower: Tensors, projection: Floats, *, head: int = HEAD) -> None:
        """Take the tensors under ``vision_model.`` and the (out, width) ``visual_projection.weight``."""
        self._tensors, self._projection, self._head = tower, projection, head
        self._depth = sum(name.endswith("layer_norm1.weight") for name in tower)
        self.patch = tower["embeddings.patch_embedding.weight"].shape[-1]
        self.side = self.patch * round((len(tower["embeddings.position_embedding.weight"]) - 1) ** 0.5)

    def embed(self, pictures: Sequence[NDArray[np.uint8]] | NDArray[np.uint8]) -> Floats:
        """Return (n, out) embeddings of pictures (height, width, 3), uint8 RGB of any size."""
        return np.stack([self._embed(prepared(picture, self.side)) for picture in pictures])

    def _embed(self, picture: Floats) -> Floats:
        from scipy.special import expit  # noqa: PLC0415 - a web process does without it

        tower = self._tensors
        flow = np.concatenate([tower["embeddings.class_embedding"][None], self._patches(picture)])
        flow = flow + tower["embeddings.position_embedding.weight"]
        flow = self._norm("pre_layrnorm", flow)  # spelt so in the checkpoints
        for layer in range(self._depth):
            name = _LAYER.format(layer)
            flow = flow + self._attention(name + "self_attn.", self._norm(name + "layer_norm1", flow))
            hidden = self._linear(name + "mlp.fc1", self._norm(name + "layer_norm2", flow))
            flow = flow + self._linear(name + "mlp.fc2", hidden * expit(np.float32(1.702) * hidden))
        found = self._projection @ self._norm("post_layernorm", flow[0])
        return np.asarray(found / np.linalg.norm(found), np.float32)

    def _patches(self, picture: Floats) -> Floats:
        """Return (patches, width) of a picture (3, side, side), row by row."""
        kernel, size = self._tensors["embeddings.patch_embedding.weight"], self.patch
        rows = self.side // size
        pieces = picture.reshape(3, rows, size, rows, size).transpose(1, 3, 0, 2, 4).reshape(rows * rows, -1)
        return np.asarray(pieces @ kernel.reshape(len(kernel), -1).T, np.float32)

    def _attention(self, name: str, flow: Floats) -> Floats:
        heads = flow.shape[1] // self._head

        def split(part: str) -> Floats:
            return self._linear(f"{name}{part}_proj", flow).reshape(len(flow), heads, self._head).transpose(1, 0, 2)

        query, key, value = split("q"), split("k"), split("v")
        score = query @ key.transpose(0, 2, 1) / np.float32(self._head**0.5)
        score = np.exp(score - score.max(-1, keepdims=True))
        seen = (score / score.sum(-1, keepdims=True)) @ value
        return self._linear(f"{name}out_proj", seen.transpose(1, 0, 2).reshape(flow.shape))

    def _linear(self, name: str, flow: Floats) -> Floats:
        return np.asarray(flow @ self._tensors[f"{name}.weight"].T + self._tensors[f"{name}.bias"], np.float32)

    def _norm(self, name: str, flow: Floats) -> Floats:
        off = flow - flow.mean(-1, keepdims=True)
        scale = off / np.sqrt(np.square(off).mean(-1, keepdims=True) + TINY)
        return np.asarray(scale * self._tensors[f"{name}.weight"] + self._tensors[f"{name}.bias"], np.float32)


def prepared(picture: NDArray[np.uint8], side: int) -> Floats:
    """Return a picture as CLIP takes it: shorter side to ``side``, middle square, normalised, (3, side, side)."""
    height, width = picture.shape[:2]
    scale = side / min(height, width)
    tall, wide = max(side, int(height * scale)), max(side, int(width * scale))
    small = np.tensordot(bicubic(height, tall), picture.astype(np.float32), 1)
    small = np.tensordot(bicubic(width, wide), small, (1, 1)).transpose(1, 0, 2)
    top, left = round((tall - side) / 2), round((wide - side) / 2)
    square = np.clip(np.round(small[top : top + side, left : left + side]), 0, 255) / np.float32(255)
    return np.asarray(((square - MEAN) / SPREAD).transpose(2, 0, 1), np.float32)


def bicubic(size: int, wanted: int) -> Floats:
    """Return the (wanted, size) matrix that resizes a line by cubic convolution (a = -0.5), widened when it shrinks."""
    scale = max(size / wanted, 1.0)
    centre = (np.arange(wanted) + 0.5) * size / wanted
    x = np.abs((np.arange(size)[None] + 0.5 - centre[:, None]) / scale)
    near = (1.5 * x - 2.5) * x**2 + 1
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    weights = np.where(x < 1, near, np.where(x < 2, far, 0))  # noqa: PLR2004 - where the cubic's two parts meet
    return np.asarray(weights / weights.sum(1, keepdims=True), np.float32)
