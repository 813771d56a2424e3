"""ImageBind's towers for pictures and for sound. No Django here.

Girdhar et al. 2023 (arXiv:2305.05665). Written from the paper and from the names and shapes of the
published weights.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from measuring.plug_ins.towers.parts import Layout, Weights, layer

SEEN, HEARD = "vision", "audio"
TINY = 1e-6
PARTS = ("preprocessors", "trunks", "heads")
LAYOUTS = {
    SEEN: Layout(16, TINY, "norm_1", ("attn.in_proj",), "attn.out_proj", "norm_2", "mlp.fc1",
                 "mlp.fc2"),
    # In the sound's tower every token may also look at a learned key with a learned value.
    HEARD: Layout(
        12, TINY, "norm_1", ("attn.in_proj",), "attn.out_proj", "norm_2", "mlp.fc1", "mlp.fc2",
        extra=("attn.bias_k", "attn.bias_v"),
    ),
}  # fmt: skip
SOUND_STEP = 10


class ImageBind:
    """Embeds clips of two pictures and spectrograms of two seconds in one space.

    Raises WeightsUnreadable.
    """

    def __init__(self, path: Path, device: torch.device) -> None:
        self._weights = {
            kind: {
                part: Weights.read(path, device, prefix=f"modality_{part}.{kind}.")
                for part in PARTS
            }
            for kind in LAYOUTS
        }

    def see(self, clips: Tensor) -> Tensor:
        """Return (n, width), of unit length, of clips (n, 3, 2, 224, 224)."""
        stem = self._weights[SEEN]["preprocessors"]
        kernel = stem["rgbt_stem.proj.1.weight"]
        patches = functional.conv3d(clips, kernel, stride=kernel.shape[2:]).flatten(2).mT
        flow = self._weights[SEEN]["trunks"].norm(
            "pre_transformer_layer.0", self._placed(SEEN, patches), TINY
        )
        return self._embedded(SEEN, flow)

    def hear(self, spectrograms: Tensor) -> Tensor:
        """Return (n, width), of unit length, of spectrograms (n, 1, 128, 204)."""
        stem = self._weights[HEARD]["preprocessors"]
        patches = (
            functional.conv2d(spectrograms, stem["rgbt_stem.proj.weight"], stride=SOUND_STEP)
            .flatten(2)
            .mT
        )
        flow = self._placed(HEARD, stem.norm("rgbt_stem.norm_layer", patches, 1e-5))
        return self._embedded(HEARD, flow)

    def _placed(self, kind: str, patches: Tensor) -> Tensor:
        stem = self._weights[kind]["preprocessors"]
        flow = torch.cat([stem["cls_token"].expand(len(patches), 1, -1), patches], 1)
        return flow + stem["pos_embedding_helper.pos_embed"]

    def _embedded(self, kind: str, flow: Tensor) -> Tensor:
        for weights in self._weights[kind]["trunks"].layers("blocks"):
            flow = layer(weights, LAYOUTS[kind], flow)
        head = self._weights[kind]["heads"]
        return functional.normalize(head.linear("2", head.norm("0", flow[:, 0], TINY)), dim=-1)
