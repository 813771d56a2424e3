"""Towers for single pictures: CLIP's, DINO's, DINOv2's, and the three that DreamSim joins. No
Django here.

Radford et al. 2021 (arXiv:2103.00020), Caron et al. 2021 (arXiv:2104.14294), Oquab et al. 2023
(arXiv:2304.07193), Fu et al. 2023 (arXiv:2306.09344). Depth, width and the size of a patch follow
from the weights; heads are as published.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from measuring.plug_ins.towers.parts import Layout, Weights, layer, quick_gelu

Pictures = NDArray[np.uint8]
CLIP_COLOURS = (0.48145466, 0.4578275, 0.40821073), (0.26862954, 0.26130258, 0.27577711)
IMAGENET_COLOURS = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
CLIP = Layout(
    12, 1e-5, "layer_norm1", ("self_attn.q_proj", "self_attn.k_proj", "self_attn.v_proj"),
    "self_attn.out_proj",
    "layer_norm2", "mlp.fc1", "mlp.fc2", quick_gelu,
)  # fmt: skip
VIT = Layout(12, 1e-6, "norm1", ("attn.qkv",), "attn.proj", "norm2", "mlp.fc1", "mlp.fc2")
DINOV2 = replace(VIT, scales=("ls1.gamma", "ls2.gamma"))
BATCH = 8


@dataclass(frozen=True)
class Tower:
    """A vision transformer. ``parts`` names its layers, ``before`` and ``after`` its norms outside
    them, ``stem`` what makes tokens: the class token, the kernel over patches, the places.
    """

    weights: Weights
    layout: Layout
    parts: str = "blocks"
    before: str = ""
    after: str = "norm"
    stem: tuple[str, str, str] = ("cls_token", "patch_embed.proj", "pos_embed")

    def __call__(self, pictures: Tensor) -> Tensor:
        """Return (n, width): the class token of pictures (n, 3, height, width) that are normalised
        already.
        """
        flow = self._tokens(pictures)
        if self.before:
            flow = self.weights.norm(self.before, flow, self.layout.tiny)
        for weights in self.weights.layers(self.parts):
            flow = layer(weights, self.layout, flow)
        first = flow[:, 0]
        if self.after:
            return self.weights.norm(self.after, first, self.layout.tiny)
        return first

    def _tokens(self, pictures: Tensor) -> Tensor:
        first, projection, places = self.stem
        kernel = self.weights[f"{projection}.weight"]
        patches = functional.conv2d(
            pictures, kernel, self.weights.get(f"{projection}.bias"), stride=kernel.shape[-1]
        )
        flow = torch.cat(
            [self.weights[first].expand(len(pictures), 1, -1), patches.flatten(2).mT], 1
        )
        rows, columns = patches.shape[-2:]
        return flow + placed(self.weights[places].reshape(1, -1, len(kernel)), rows, columns)


def clip(path: Path, device: torch.device, heads: int) -> Callable[[Tensor], Tensor]:
    """Return CLIP's picture tower from a checkpoint as on Hugging Face. Raises
    WeightsUnreadable.
    """
    weights = Weights.read(path, device, prefix="vision_model.")
    projection = Weights.read(path, device, prefix="visual_projection.")["weight"]
    stem = (
        "embeddings.class_embedding",
        "embeddings.patch_embedding",
        "embeddings.position_embedding.weight",
    )
    # "pre_layrnorm" is how the checkpoints spell it.
    layout = replace(CLIP, heads=heads)
    tower = Tower(weights, layout, "encoder.layers", "pre_layrnorm", "post_layernorm", stem)
    return lambda pictures: functional.linear(tower(pictures), projection)


def placed(places: Tensor, rows: int, columns: int) -> Tensor:
    """Return (1, 1 + rows * columns, width): learned places of a square grid, stretched by cubic
    interpolation.

    A tenth of a row more is asked for than is there, as DINO and DINOv2 do it: the grid is
    stretched that much more.
    """
    side = round((places.shape[1] - 1) ** 0.5)
    if (rows, columns) == (side, side):
        return places
    grid = places[:, 1:].unflatten(1, (side, side)).permute(0, 3, 1, 2)
    stretch = ((rows + 0.1) / side, (columns + 0.1) / side)
    stretched = functional.interpolate(
        grid, scale_factor=stretch, mode="bicubic", align_corners=False
    )
    return torch.cat([places[:, :1], stretched.flatten(2).mT], 1)


def shorter_side(size: tuple[int, int], side: int) -> tuple[int, int]:
    """Return height and width when the shorter of them becomes ``side``, as torchvision's
    ``Resize`` rounds it.
    """
    height, width = size
    short = min(height, width)
    return int(side * height / short), int(side * width / short)


def middle(pictures: Tensor, side: int) -> Tensor:
    """Return the middle square of pictures (n, 3, height, width)."""
    top, left = (round((size - side) / 2) for size in pictures.shape[-2:])
    return pictures[..., top : top + side, left : left + side]


def coloured(pictures: Tensor, colours: tuple[tuple[float, ...], tuple[float, ...]]) -> Tensor:
    """Return pictures (n, 3, height, width) from 0 to 1 with the mean taken away and divided by the
    spread.
    """
    mean, spread = (
        torch.tensor(values, device=pictures.device)[:, None, None] for values in colours
    )
    return (pictures - mean) / spread


def batches(pictures: Pictures, device: torch.device) -> Iterator[Tensor]:
    """Yield pictures (n, height, width, 3) a few at a time as (n, 3, height, width), float32 from 0
    to 255.
    """
    for begin in range(0, len(pictures), BATCH):
        yield (
            torch.from_numpy(pictures[begin : begin + BATCH]).to(device).permute(0, 3, 1, 2).float()
        )


def embedded(
    pictures: Pictures, device: torch.device, embed: Callable[[Tensor], Tensor]
) -> NDArray[np.float32]:
    """Return (n, width) embeddings of unit length of pictures (n, height, width, 3)."""
    with torch.inference_mode():
        found = [
            functional.normalize(embed(some), dim=-1).cpu() for some in batches(pictures, device)
        ]
    return np.asarray(torch.cat(found), np.float32)
