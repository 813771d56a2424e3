"""Background consistency: CLIP ViT-B/32 within clips, DreamSim's ensemble across them.

No Django here.
"""

from __future__ import annotations

from pathlib import Path

from measuring.plug_ins.consistency import consistency_evaluator
from measuring.plug_ins.port import Evaluate, PlugIn
from measuring.plug_ins.quantiles import BACKGROUND

WITHIN = "clip-vit-base-patch32.safetensors"
ENSEMBLE = (
    "dino_vitbase16_pretrain.pth",
    "clip_vitb16_pretrain.pth.tar",
    "open_clip_vitb16_pretrain.pth.tar",
    "ensemble_lora/adapter_config.json",
    ("ensemble_lora/adapter_model.safetensors", "ensemble_lora/adapter_model.bin"),
)
HEADS, SIDE = 12, 224


def load(folder: Path, device: str) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable."""
    from torch import Tensor  # noqa: PLC0415 - only where PyTorch is
    from torch.nn.functional import interpolate  # noqa: PLC0415

    from measuring.plug_ins.towers import pictures as towers  # noqa: PLC0415
    from measuring.plug_ins.towers.dreamsim import dreamsim  # noqa: PLC0415
    from measuring.plug_ins.towers.parts import chosen  # noqa: PLC0415

    where = chosen(device)
    clip, ensemble = towers.clip(folder / WITHIN, where, HEADS), dreamsim(folder, where)

    def within(pictures: Tensor) -> Tensor:
        size = towers.shorter_side(pictures.shape[2:], SIDE)
        small = towers.middle(
            interpolate(pictures, size, mode="bicubic", align_corners=False), SIDE
        )
        return clip(towers.coloured(small / 255, towers.CLIP_COLOURS))

    def across(pictures: Tensor) -> Tensor:
        small = interpolate(
            pictures, (SIDE, SIDE), mode="bicubic", align_corners=False, antialias=True
        )
        return ensemble(small / 255)

    return consistency_evaluator(within, across, where, BACKGROUND)


PLUG_IN = PlugIn(
    key="background_consistency",
    metric="BC",
    unit="points",
    files=(WITHIN, *ENSEMBLE),
    scope="full",
    licence="CLIP, open_clip and DreamSim: MIT; DINO: Apache-2.0",
    source=(
        "huggingface.co/openai/clip-vit-base-patch32 (model.safetensors); "
        "github.com/ssundaram21/dreamsim, release "
        "v0.2.0-checkpoints, dreamsim_ensemble_checkpoint.zip; "
        "dl.fbaipublicfiles.com/dino/dino_vitbase16_pretrain"
    ),
    load=load,
    version="2",
)
