"""Subject consistency: DINO ViT-B/16 within clips, DINOv2 ViT-B/14 across them. No Django here."""

from __future__ import annotations

from pathlib import Path

from measuring.plug_ins.consistency import consistency_evaluator
from measuring.plug_ins.port import Evaluate, PlugIn
from measuring.plug_ins.quantiles import SUBJECT

WITHIN, ACROSS = "dino_vitbase16_pretrain.pth", "dinov2_vitb14_pretrain.pth"
SIDE, CUT_FROM = 224, 256


def load(folder: Path, device: str) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable."""
    from torch import Tensor  # noqa: PLC0415 - only where PyTorch is
    from torch.nn.functional import interpolate  # noqa: PLC0415

    from measuring.plug_ins.towers import pictures as towers  # noqa: PLC0415
    from measuring.plug_ins.towers.parts import Weights, chosen  # noqa: PLC0415

    where = chosen(device)
    dino = towers.Tower(Weights.read(folder / WITHIN, where), towers.VIT)
    dinov2 = towers.Tower(Weights.read(folder / ACROSS, where), towers.DINOV2)

    def within(pictures: Tensor) -> Tensor:
        size = towers.shorter_side(pictures.shape[2:], SIDE)
        small = interpolate(pictures, size, mode="bilinear", align_corners=False)
        return dino(towers.coloured(small / 255, towers.IMAGENET_COLOURS))

    def across(pictures: Tensor) -> Tensor:
        size = towers.shorter_side(pictures.shape[2:], CUT_FROM)
        small = interpolate(pictures, size, mode="bicubic", align_corners=False, antialias=True)
        return dinov2(towers.coloured(towers.middle(small, SIDE) / 255, towers.IMAGENET_COLOURS))

    return consistency_evaluator(within, across, where, SUBJECT)


PLUG_IN = PlugIn(
    key="subject_consistency",
    metric="SC",
    unit="points",
    files=(WITHIN, ACROSS),
    scope="full",
    licence="Apache-2.0",
    source="dl.fbaipublicfiles.com/dino/dino_vitbase16_pretrain, "
    "dl.fbaipublicfiles.com/dinov2/dinov2_vitb14",
    load=load,
    version="2",
)
