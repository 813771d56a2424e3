"""DreamSim's ensemble: three towers with low-rank changes, side by side. No Django here.

Fu et al. 2023 (arXiv:2306.09344). Its parts are those of the authors' release v0.2.0, and DINO's
weights.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import torch
from torch import Tensor
from torch.nn import functional

from measuring.errors import WeightsUnreadable
from measuring.plug_ins.towers.checkpoints import Tensors, read_tensors
from measuring.plug_ins.towers.parts import Weights, quick_gelu
from measuring.plug_ins.towers.pictures import CLIP_COLOURS, IMAGENET_COLOURS, VIT, Tower, coloured

DINO = "dino_vitbase16_pretrain.pth"
CLIP, OPEN_CLIP = "clip_vitb16_pretrain.pth.tar", "open_clip_vitb16_pretrain.pth.tar"
ADAPTER = "ensemble_lora"


def dreamsim(folder: Path, device: torch.device) -> Callable[[Tensor], Tensor]:
    """Return the embedding of pictures (n, 3, 224, 224) from 0 to 1. Raises WeightsUnreadable."""
    changes, strength = _adapter(folder / ADAPTER)
    used: set[str] = set()

    def weights(place: int, name: str, part: tuple[str, ...]) -> Weights:
        tensors = dict(read_tensors(folder / name, part=part))
        begin = f"base_model.model.extractor_list.{place}.model."
        used.update(_change(tensors, changes, begin, strength))
        return Weights({key: values.to(device) for key, values in tensors.items()}, name)

    # What DreamSim takes of DINO is the class token as the last layer leaves it, before the norm.
    dino = Tower(weights(0, DINO, ()), VIT, after="")
    layouts = (replace(VIT, tiny=1e-5, act=quick_gelu), replace(VIT, tiny=1e-5))
    clips = [
        Tower(weights(place, name, ("state_dict",)), layout, before="pos_drop")
        for place, (name, layout) in enumerate(zip((CLIP, OPEN_CLIP), layouts, strict=True), 1)
    ]
    if left := changes.keys() - used:
        raise WeightsUnreadable(f"{folder / ADAPTER} changes {min(left)!r}, which no tower has.")

    def embed(pictures: Tensor) -> Tensor:
        parts = [dino(coloured(pictures, IMAGENET_COLOURS))]
        parts += [
            tower(coloured(pictures, CLIP_COLOURS)) @ tower.weights["proj"] for tower in clips
        ]
        whole = torch.cat(parts, -1)
        return functional.normalize(whole - whole.mean(-1, keepdim=True), dim=-1)

    return embed


def _adapter(folder: Path) -> tuple[Tensors, float]:
    """Return the two factors of each change, and how strongly they count."""
    own = folder / "adapter_model.safetensors"
    changes = read_tensors(own if own.exists() else folder / "adapter_model.bin")
    try:
        about: Mapping[str, float] = json.loads(
            (folder / "adapter_config.json").read_text(encoding="utf-8")
        )
        return changes, float(about["lora_alpha"]) / float(about["r"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise WeightsUnreadable(
            f"{folder / 'adapter_config.json'} is not what peft writes: {error}"
        ) from error


def _change(tensors: dict[str, Tensor], changes: Tensors, begin: str, strength: float) -> set[str]:
    """Add to each matrix the product of its change's factors; return the names of the factors."""
    used = set()
    for name in [
        name for name in changes if name.startswith(begin) and name.endswith(".lora_A.weight")
    ]:
        other = name.replace(".lora_A.", ".lora_B.")
        key = name.removeprefix(begin).replace(".lora_A.", ".")
        if key not in tensors or other not in changes:
            raise WeightsUnreadable(f"{ADAPTER} changes {key!r}, which is not there whole.")
        tensors[key] = tensors[key] + strength * (changes[other] @ changes[name])
        used |= {name, other}
    return used
