"""Visual aesthetics: CLIP ViT-L/14 and LAION's linear head. No Django here.

Source: arXiv:2608.26336v1, §B.1 and its public evaluation code: pictures at 2 a second, embeddings
of unit length, the head ``sa_0_4_vit_l_14_linear``, its score divided by ten, the mean over
pictures.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from measuring.plug_ins.port import Evaluate, Media, PlugIn, intervals, regular, stretches
from measuring.plug_ins.squares import square

PER_S, SIDE, HEADS = 2.0, 224, 16
CLIP = "clip-vit-large-patch14.safetensors"
LINEAR = "sa_0_4_vit_l_14_linear.pth"


def load(folder: Path, device: str) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable."""
    from measuring.plug_ins.towers.checkpoints import read_tensors  # noqa: PLC0415 - needs PyTorch
    from measuring.plug_ins.towers.parts import chosen  # noqa: PLC0415
    from measuring.plug_ins.towers.pictures import CLIP_COLOURS, clip, coloured, embedded  # noqa: PLC0415

    where = chosen(device)
    tower = clip(folder / CLIP, where, HEADS)
    linear = read_tensors(folder / LINEAR)
    weight, bias = linear["weight"][0].numpy(), float(linear["bias"][0])

    def scores(media: Media, begin_s: float, end_s: float) -> list[float]:
        squares = np.stack(
            [square(picture, SIDE) for picture in media.pictures(regular(begin_s, end_s, PER_S))]
        )
        embeddings = embedded(
            squares, where, lambda some: tower(coloured(some / 255, CLIP_COLOURS))
        )
        return list((embeddings @ weight + bias) / 10)

    def evaluate(media: Media) -> list[float]:
        return [
            float(
                np.mean([score for part in stretches(begin, end) for score in scores(media, *part)])
            )
            for begin, end in intervals(media)
        ]

    return evaluate


PLUG_IN = PlugIn(
    key="clip_aesthetics",
    metric="VA",
    unit="points",
    files=(CLIP, LINEAR),
    scope="interval",
    licence="CLIP: MIT; LAION aesthetic predictor: MIT",
    source="huggingface.co/openai/clip-vit-large-patch14 (model.safetensors); "
    "github.com/LAION-AI/aesthetic-predictor",
    load=load,
    version="2",
)
