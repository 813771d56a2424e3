"""Synchformer: by how much sound and picture of five seconds are apart. No Django here.

Iashin et al. 2024 (arXiv:2401.16423): a Motionformer (arXiv:2106.05392, space and time apart) for
pictures, an AST (arXiv:2104.01778) for sound, both on pieces of 0.64 s, and a transformer over all
pieces that chooses one offset.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from measuring.plug_ins.towers.parts import Layout, Weights, joined, layer, split

HEADS, TINY, LESS, MORE = 12, 1e-6, 1e-12, 1e-5
SOUND_STEP = 10
AST = Layout(
    HEADS, LESS, "layernorm_before",
    ("attention.attention.query", "attention.attention.key", "attention.attention.value"),
    "attention.output.dense",
    "layernorm_after", "intermediate.dense", "output.dense",
)  # fmt: skip
POOL = Layout(
    HEADS,
    TINY,
    "norm1",
    ("self_attn.in_proj",),
    "self_attn.out_proj",
    "norm2",
    "linear1",
    "linear2",
)
JOINT = Layout(
    8, MORE, "ln1", ("attn.query", "attn.key", "attn.value"), "attn.proj", "ln2", "mlp.0", "mlp.2"
)


class Synchformer:
    """Chooses among offsets. Raises WeightsUnreadable."""

    def __init__(self, path: Path, device: torch.device) -> None:
        weights = Weights.read(path, device, part=("model",))
        self._seen, self._heard = weights.at("vfeat_extractor."), weights.at("afeat_extractor.")
        self._joint, self._bridges = weights.at("transformer."), weights
        self.classes = len(self._joint["off_head.weight"])
        self.tokens = self._joint["pos_emb_cfg.pos_emb"].shape[1]

    def choose(self, pictures: Tensor, spectrograms: Tensor) -> Tensor:
        """Return (classes,) of pieces: pictures (pieces, 3, 16, 224, 224) and spectrograms (pieces,
        128, 66).
        """
        seen = torch.cat([self._see(piece[None]) for piece in pictures]).flatten(0, 1)
        heard = torch.cat([self._hear(piece[None]) for piece in spectrograms]).flatten(0, 1)
        own = self._joint
        flow = torch.cat(
            [
                own["OFF_tok"][0],
                own.norm("vis_in_lnorm", self._bridges.linear("vproj", seen), MORE),
                own["MOD_tok"][0],
                own.norm("aud_in_lnorm", self._bridges.linear("aproj", heard), MORE),
            ]
        )[None]
        flow = flow + own["pos_emb_cfg.pos_emb"]
        for weights in own.layers("blocks"):
            flow = layer(weights, JOINT, flow)
        return own.linear("off_head", own.norm("ln_f", flow[:, 0], MORE))[0]

    def _see(self, pictures: Tensor) -> Tensor:
        """Return (n, 8, width): one token for every two pictures."""
        own = self._seen
        kernel = own["patch_embed_3d.proj.weight"]
        patches = functional.conv3d(
            pictures, kernel, own["patch_embed_3d.proj.bias"], stride=kernel.shape[2:]
        )
        times, places = patches.shape[2], patches.shape[3] * patches.shape[4]
        where = own["pos_embed"][:, None, 1:] + own["temp_embed"][:, :, None]
        first = (own["cls_token"] + own["pos_embed"][:, :1]).expand(len(pictures), -1, -1)
        flow = torch.cat([first, patches.flatten(2).mT + where.flatten(1, 2)], 1)
        for weights in own.layers("blocks"):
            flow = _divided(weights, flow, times, places)
        flow = own.norm("norm", flow[:, 1:], TINY)
        return _pooled(own.at("spatial_attn_agg."), flow.unflatten(1, (times, places)))

    def _hear(self, spectrograms: Tensor) -> Tensor:
        """Return (n, 6, width): one token for every ten frames."""
        own = self._heard.at("ast.")
        kernel, bias = (
            own[f"embeddings.patch_embeddings.projection.{part}"] for part in ("weight", "bias")
        )
        patches = functional.conv2d(spectrograms[:, None], kernel, bias, stride=SOUND_STEP)
        bands, times = patches.shape[2:]
        tokens = []
        for name in ("cls", "distillation"):
            tokens.append(own[f"embeddings.{name}_token"].expand(len(patches), -1, -1))
        flow = (
            torch.cat([*tokens, patches.flatten(2).mT], 1) + own["embeddings.position_embeddings"]
        )
        for weights in own.layers("encoder.layer"):
            flow = layer(weights, AST, flow)
        flow = own.norm("layernorm", flow, LESS)[:, len(tokens) :]
        return _pooled(
            self._heard.at("freq_attn_agg."), flow.unflatten(1, (bands, times)).transpose(1, 2)
        )


def _pooled(weights: Weights, flow: Tensor) -> Tensor:
    """Return (n, times, width) of (n, times, tokens, width): what one layer gathers of each time in
    a further token.
    """
    count = flow.shape[1]
    every = flow.flatten(0, 1)
    every = torch.cat([weights["cls_token"].expand(len(every), -1, -1), every], 1)
    return layer(weights, POOL, every)[:, 0].unflatten(0, (-1, count))


def _divided(weights: Weights, flow: Tensor, times: int, places: int) -> Tensor:
    """Return the flow after attention over time at each place, then over places at each time, and
    each by itself.
    """
    flow = flow + _attention(
        weights.at("timeattn."), weights.norm("norm3", flow, TINY), times, places, over_time=True
    )
    flow = flow + _attention(
        weights.at("attn."), weights.norm("norm1", flow, TINY), times, places, over_time=False
    )
    wide = weights.linear("mlp.fc1", weights.norm("norm2", flow, TINY))
    return flow + weights.linear("mlp.fc2", functional.gelu(wide))


def _attention(
    weights: Weights, flow: Tensor, times: int, places: int, *, over_time: bool
) -> Tensor:
    """Return what tokens take from those of their place or of their time and from the first; that
    one, from all.
    """
    parts = [split(part, HEADS) for part in weights.linear("qkv", flow).chunk(3, -1)]
    first = functional.scaled_dot_product_attention(parts[0][..., :1, :], parts[1], parts[2])
    grids = [part[..., 1:, :].unflatten(-2, (times, places)) for part in parts]
    query, key, value = (grid.transpose(-3, -2) if over_time else grid for grid in grids)
    key, value = (
        torch.cat([part[..., None, :1, :].expand(*grid.shape[:-2], 1, -1), grid], -2)
        for part, grid in ((parts[1], key), (parts[2], value))
    )
    rest = functional.scaled_dot_product_attention(query, key, value)
    rest = (rest.transpose(-3, -2) if over_time else rest).flatten(-3, -2)
    return weights.linear("proj", joined(torch.cat([first, rest], -2)))
