"""Audiobox Aesthetics: WavLM's tower for sound, and a small network for each axis. No Django here.

Tjandra et al. 2025 (arXiv:2502.05139); Chen et al. 2021 (arXiv:2110.13900): a transformer whose
attention also knows how far apart two tokens are, as much as each token lets it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from measuring.errors import WeightsUnreadable
from measuring.plug_ins.towers.checkpoints import read_checkpoint
from measuring.plug_ins.towers.parts import Weights, joined, split

STRIDES = (5, 2, 2, 2, 2, 2, 2)
HEADS, PLACE_GROUPS, FARTHEST = 12, 16, 800
TINY = 1e-5


class Audiobox:
    """Rates sound on one axis. Raises WeightsUnreadable."""

    def __init__(self, path: Path, device: torch.device, axis: str) -> None:
        content: Mapping[str, Any] = read_checkpoint(path)
        try:
            about, scale = content["model_cfg"], content["target_transform"][axis]
            self._mean, self._spread = float(scale["mean"]), float(scale["std"])
            self._unit, self._mixed = (
                bool(about["normalize_embed"]),
                bool(about["use_weighted_layer_sum"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise WeightsUnreadable(
                f"{path} lacks {error} of Audiobox Aesthetics' checkpoint."
            ) from error
        begin = "model." if any(name.startswith("model.") for name in content["state_dict"]) else ""
        weights = Weights.read(path, device, part=("state_dict",), prefix=begin)
        self._tower, self._head = weights.at("wavlm_model."), weights.at(f"proj_layer.{axis}.")
        self._shares = torch.softmax(weights[f"layer_weights.{axis}"], -1) if self._mixed else None

    def rate(self, sound: Tensor) -> Tensor:
        """Return (n,) of sound (n, samples) at 16 kHz."""
        layers = list(self._layers(sound))
        if self._shares is None:
            flow = layers[-1]
        else:
            flow = torch.einsum("lntd,l->ntd", torch.stack(layers), self._shares)
        embedding = flow.mean(1)
        if self._unit:
            embedding = functional.normalize(embedding, dim=-1)
        return self._judged(embedding)[:, 0] * self._spread + self._mean

    def _judged(self, flow: Tensor) -> Tensor:
        """Return the head's answer: matrices with a bend, and a norm where there is one, between
        them.
        """
        places = sorted({int(name.split(".")[0]) for name in self._head.names()})
        matrices = [place for place in places if self._head[f"{place}.weight"].ndim == 2]  # noqa: PLR2004
        for place in matrices[:-1]:
            flow = self._head.linear(str(place), flow)
            if place + 1 in places and place + 1 not in matrices:
                flow = self._head.norm(str(place + 1), flow, TINY)
            flow = functional.gelu(flow)
        return self._head.linear(str(matrices[-1]), flow)

    def _layers(self, sound: Tensor) -> Iterator[Tensor]:
        """Yield what is written to the first layer, and what comes out of each."""
        tower = self._tower
        flow = tower.linear(
            "post_extract_proj", tower.norm("layer_norm", self._pieces(sound).mT, TINY)
        )
        flow = tower.norm("encoder.layer_norm", flow + self._places(flow), TINY)
        yield flow
        layers = tower.layers("encoder.layers")
        apart = distances(layers[0]["self_attn.relative_attention_bias.weight"], flow.shape[1])
        for weights in layers:
            flow = weights.norm(
                "self_attn_layer_norm", flow + _attention(weights, flow, apart), TINY
            )
            narrow = weights.linear("fc2", functional.gelu(weights.linear("fc1", flow)))
            flow = weights.norm("final_layer_norm", flow + narrow, TINY)
            yield flow

    def _pieces(self, sound: Tensor) -> Tensor:
        """Return (n, width, tokens): one token for every 20 ms."""
        flow = sound[:, None]
        for number, (weights, stride) in enumerate(
            zip(self._tower.layers("feature_extractor.conv_layers"), STRIDES, strict=True)
        ):
            flow = functional.conv1d(flow, weights["0.weight"], stride=stride)
            if number == 0:
                flow = functional.group_norm(
                    flow, flow.shape[1], weights["2.weight"], weights["2.bias"], TINY
                )
            flow = functional.gelu(flow)
        return flow

    def _places(self, flow: Tensor) -> Tensor:
        """Return what a token's neighbours tell of its place.

        The kernel is stored as directions and lengths.
        """
        own = self._tower.at("encoder.pos_conv.0.")
        direction = own["weight_v"]
        kernel = own["weight_g"] * direction / direction.norm(dim=(0, 1), keepdim=True)
        size = kernel.shape[-1]
        places = functional.conv1d(
            flow.mT, kernel, own["bias"], padding=size // 2, groups=PLACE_GROUPS
        )
        return functional.gelu(places[..., : flow.shape[1]]).mT


def _attention(weights: Weights, flow: Tensor, apart: Tensor) -> Tensor:
    own = weights.at("self_attn.")
    parts = split(flow, HEADS)
    gates = torch.sigmoid(own.linear("grep_linear", parts).unflatten(-1, (2, -1)).sum(-1))
    gate = gates[..., :1] * (gates[..., 1:] * own["grep_a"] - 1) + 2
    query, key, value = (
        split(own.linear(name, flow), HEADS) for name in ("q_proj", "k_proj", "v_proj")
    )
    seen = functional.scaled_dot_product_attention(query, key, value, attn_mask=gate * apart)
    return own.linear("out_proj", joined(seen))


def distances(table: Tensor, tokens: int) -> Tensor:
    """Return (heads, tokens, tokens): what each head knows of how far the key is from the query.

    Half of the (buckets, heads) table is for keys that come later. The first half of each half is
    for distances one by one, the rest widens as the logarithm of the distance, up to 800 tokens.
    """
    half = len(table) // 2
    exact = half // 2
    places = torch.arange(tokens, device=table.device)
    apart = places[None, :] - places[:, None]
    far = apart.abs()
    steps = (
        torch.log(far.clamp(min=1).float() / exact) / math.log(FARTHEST / exact) * (half - exact)
    )
    bucket = (
        torch.where(far < exact, far, (exact + steps.long()).clamp(max=half - 1))
        + (apart > 0) * half
    )
    return table[bucket].permute(2, 0, 1)
