"""Visual aesthetics: CLIP ViT-L/14 and LAION's linear head. No Django here.

Source: arXiv:2608.26336v1, §B.1 and its public evaluation code: pictures at 2 a second, embeddings of unit length, the
head ``sa_0_4_vit_l_14_linear``, its score divided by ten, the mean over pictures.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from scoring.measurements.plug_ins.port import Evaluate, Media, PlugIn, intervals
from scoring.measurements.plug_ins.tensors import read_tensors
from scoring.measurements.plug_ins.vision import HEAD, ClipVision

PER_S = 2.0
CLIP, LINEAR = "clip-vit-large-patch14.safetensors", "sa_0_4_vit_l_14_linear.safetensors"


def load(folder: Path, *, head: int = HEAD) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable, or KeyError for a missing tensor."""
    projection = read_tensors(folder / CLIP, prefix="visual_projection.")["weight"]
    vision = ClipVision(read_tensors(folder / CLIP, prefix="vision_model."), projection, head=head)
    linear = read_tensors(folder / LINEAR)
    weight, bias = linear["weight"][0], float(linear["bias"][0])

    def evaluate(media: Media) -> list[float]:
        return [
            float(np.mean(vision.embed(media.pictures(begin, end, PER_S)) @ weight + bias)) / 10
            for begin, end in intervals(media)
        ]

    return evaluate


PLUG_IN = PlugIn(
    key="clip_aesthetics",
    metric="VA",
    unit="points",
    files=(CLIP, LINEAR),
    packages=(),
    scope="interval",
    licence="CLIP: MIT; LAION aesthetic predictor: MIT",
    source="huggingface.co/openai/clip-vit-large-patch14 (model.safetensors); github.com/LAION-AI/aesthetic-predictor",
    load=load,
)
