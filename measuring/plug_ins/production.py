"""Production quality of sound: Audiobox Aesthetics, axis PQ. No Django here.

Source: arXiv:2608.26336v1, §B.1 and its public evaluation code, which gives the authors' predictor
each interval whole; that one cuts it into windows of 10 s and takes their mean
(github.com/facebookresearch/audiobox-aesthetics, infer.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from measuring.plug_ins.port import Evaluate, Media, PlugIn, intervals

RATE, WINDOW_S = 16_000, 10
AXIS, CHECKPOINT = "PQ", "checkpoint.pt"


def load(folder: Path, device: str) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable."""
    import torch  # noqa: PLC0415 - only where PyTorch is

    from measuring.plug_ins.towers.parts import chosen  # noqa: PLC0415
    from measuring.plug_ins.towers.wavlm import Audiobox  # noqa: PLC0415

    where = chosen(device)
    model = Audiobox(folder / CHECKPOINT, where, AXIS)

    def rated(media: Media, begin_s: float, end_s: float) -> float:
        windows = media.sound(begin_s, end_s, RATE).mean(0).reshape(-1, WINDOW_S * RATE)
        with torch.inference_mode():
            # One at a time: what tokens know of their distance takes memory as the square of
            # the length.
            values = [
                float(model.rate(torch.from_numpy(window)[None].to(where))) for window in windows
            ]
        return float(np.mean(values))

    return lambda media: [rated(media, begin, end) for begin, end in intervals(media)]


PLUG_IN = PlugIn(
    key="audiobox",
    metric="PQ",
    unit="points",
    files=(CHECKPOINT,),
    scope="interval",
    licence="CC BY 4.0",
    source="dl.fbaipublicfiles.com/audiobox-aesthetics/checkpoint.pt",
    load=load,
    version="2",
)
