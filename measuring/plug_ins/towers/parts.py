"""What every tower is built of: weights by name on a device, and one layer of a transformer.

No Django here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from measuring.errors import WeightsUnreadable
from measuring.plug_ins.towers.checkpoints import read_tensors


def chosen(device: str) -> torch.device:
    """Return the device that models run on: ``auto`` is a GPU when PyTorch can use one, else the
    processor.

    Raises RuntimeError for one that PyTorch does not know.
    """
    if device != "auto":
        return torch.device(device)
    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


class Weights:
    """Tensors of a checkpoint under a prefix of their names."""

    def __init__(self, tensors: Mapping[str, Tensor], source: str, prefix: str = "") -> None:
        self._tensors, self._source, self._prefix = tensors, source, prefix

    @classmethod
    def read(
        cls, path: Path, device: torch.device, *, prefix: str = "", part: Sequence[str] = ()
    ) -> Weights:
        """Return the tensors of a file. Raises WeightsUnreadable."""
        tensors = {}
        for name, values in read_tensors(path, prefix=prefix, part=part).items():
            # PyTorch's own attention joins three matrices under one name that is spelt unlike all
            # others.
            tensors[name.replace(".in_proj_", ".in_proj.")] = values.to(device)
        return cls(tensors, path.name)

    def __getitem__(self, name: str) -> Tensor:
        """Return a tensor. Raises WeightsUnreadable when the checkpoint has none of that name."""
        tensor = self.get(name)
        if tensor is None:
            raise WeightsUnreadable(
                f"{self._source} lacks {self._prefix + name!r}. Is it another model's?"
            )
        return tensor

    def get(self, name: str) -> Tensor | None:
        """Return a tensor, or None."""
        return self._tensors.get(self._prefix + name)

    def names(self) -> list[str]:
        """Return the names under the prefix, without it."""
        names = []
        for name in self._tensors:
            if name.startswith(self._prefix):
                names.append(name.removeprefix(self._prefix))
        return names

    def at(self, prefix: str) -> Weights:
        """Return the tensors under a further prefix."""
        return Weights(self._tensors, self._source, self._prefix + prefix)

    def layers(self, name: str) -> list[Weights]:
        """Return those of each numbered part, in order.

        Raises WeightsUnreadable when there is none.
        """
        begin = f"{self._prefix}{name}."
        numbers = {
            int(key[len(begin) :].split(".")[0]) for key in self._tensors if key.startswith(begin)
        }
        if not numbers or numbers != set(range(len(numbers))):
            raise WeightsUnreadable(
                f"{self._source} lacks layers under {begin!r}. Is it another model's?"
            )
        return [self.at(f"{name}.{number}.") for number in range(len(numbers))]

    def linear(self, name: str, flow: Tensor) -> Tensor:
        """Return the flow times a matrix, and its bias where it has one."""
        return functional.linear(flow, self[f"{name}.weight"], self.get(f"{name}.bias"))

    def norm(self, name: str, flow: Tensor, tiny: float) -> Tensor:
        """Return the flow normalised over its last axis."""
        weight = self[f"{name}.weight"]
        return functional.layer_norm(flow, weight.shape, weight, self[f"{name}.bias"], tiny)


@dataclass(frozen=True, slots=True)
class Layout:
    """How a layer is made and what a checkpoint calls its parts.

    ``tiny`` keeps its norms from dividing by zero. ``joint`` is one matrix for query, key and
    value, or three of them; ``wide`` and ``narrow`` are the layers applied to each token by itself.
    ``scales`` weigh what attention and these add. ``extra`` names a learned key and its value that
    every token may look at besides.
    """

    heads: int
    tiny: float
    first_norm: str
    joint: tuple[str, ...]
    out: str
    second_norm: str
    wide: str
    narrow: str
    act: Callable[[Tensor], Tensor] = functional.gelu
    scales: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()


def layer(weights: Weights, layout: Layout, flow: Tensor) -> Tensor:
    """Return (n, tokens, width) after a layer that normalises first: attention, then each token by
    itself.
    """
    seen = _attention(weights, layout, weights.norm(layout.first_norm, flow, layout.tiny))
    flow = flow + (seen * weights[layout.scales[0]] if layout.scales else seen)
    wide = weights.linear(layout.wide, weights.norm(layout.second_norm, flow, layout.tiny))
    narrow = weights.linear(layout.narrow, layout.act(wide))
    return flow + (narrow * weights[layout.scales[1]] if layout.scales else narrow)


def _attention(weights: Weights, layout: Layout, flow: Tensor) -> Tensor:
    """Return (n, tokens, width): what each token takes from all."""
    parts = list(torch.cat([weights.linear(name, flow) for name in layout.joint], -1).chunk(3, -1))
    for place, name in enumerate(layout.extra, 1):
        parts[place] = torch.cat([parts[place], weights[name].expand(len(flow), 1, -1)], 1)
    query, key, value = (split(part, layout.heads) for part in parts)
    return weights.linear(
        layout.out, joined(functional.scaled_dot_product_attention(query, key, value))
    )


def split(flow: Tensor, heads: int) -> Tensor:
    """Return (..., tokens, width) as (..., heads, tokens, width / heads)."""
    return flow.unflatten(-1, (heads, -1)).transpose(-3, -2)


def joined(flow: Tensor) -> Tensor:
    """Return heads put side by side again."""
    return flow.transpose(-3, -2).flatten(-2)


def quick_gelu(flow: Tensor) -> Tensor:
    """Return OpenAI CLIP's activation."""
    return flow * torch.sigmoid(1.702 * flow)
