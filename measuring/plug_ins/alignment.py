"""How well sound and picture belong together: ImageBind-huge. No Django here.

Source: arXiv:2608.26336v1, §B.1 and its public evaluation code: of each interval 5 clips of 2 s are
seen and 3 clips of 2 s are heard, as ImageBind's own loader takes them; the cosine of their mean
embeddings.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from measuring.plug_ins.port import SHORTLY, Evaluate, Media, PlugIn, intervals
from measuring.plug_ins.spectrograms import kaldi_fbank

RATE, SIDE, FRAMES = 16_000, 224, 204
CLIP_S, SEEN, HEARD = 2.0, 5, 3
MEAN, SPREAD = -4.268, 9.138
CHECKPOINT = "imagebind_huge.pth"


def load(folder: Path, device: str) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable."""
    import torch  # noqa: PLC0415 - only where PyTorch is

    from measuring.plug_ins.towers.imagebind import ImageBind  # noqa: PLC0415
    from measuring.plug_ins.towers.parts import chosen  # noqa: PLC0415
    from measuring.plug_ins.towers.pictures import CLIP_COLOURS, coloured  # noqa: PLC0415

    where = chosen(device)
    model = ImageBind(folder / CHECKPOINT, where)

    def clip(pictures: NDArray[np.uint8]) -> torch.Tensor:
        """Return (3, 3, 2, 224, 224): two pictures in three squares along the longer side."""
        flow = torch.from_numpy(pictures).to(where).permute(0, 3, 1, 2).float() / 255
        flow = torch.nn.functional.interpolate(
            flow, short(pictures.shape[1:3]), mode="bilinear", align_corners=False
        )
        flow = coloured(flow, CLIP_COLOURS)
        crops = [
            flow[..., top : top + SIDE, left : left + SIDE] for top, left in corners(flow.shape[2:])
        ]
        return torch.stack(crops).transpose(1, 2)

    def seen(media: Media, begin_s: float, end_s: float) -> torch.Tensor:
        pictures = media.pictures(ends(begin_s, end_s))
        return torch.cat([model.see(clip(pair)) for pair in np.split(pictures, SEEN)]).mean(0)

    def heard(media: Media, begin_s: float, end_s: float) -> torch.Tensor:
        spectrograms = torch.from_numpy(spectrograms_of(media.sound(begin_s, end_s, RATE)))
        return model.hear(spectrograms.to(where)[:, None]).mean(0)

    def evaluate(media: Media) -> list[float]:
        with torch.inference_mode():
            return [
                float(torch.cosine_similarity(seen(media, *whole), heard(media, *whole), dim=0))
                for whole in intervals(media)
            ]

    return evaluate


def starts(begin_s: float, end_s: float, count: int) -> list[float]:
    """Return where ``count`` clips begin that are spread evenly over an interval, the last ending
    with it (seconds).
    """
    return [float(at) for at in np.linspace(begin_s, end_s - CLIP_S, count)]


def ends(begin_s: float, end_s: float) -> list[float]:
    """Return when the first and the last picture of each clip that is seen is shown."""
    times_s = []
    for at in starts(begin_s, end_s, SEEN):
        for into in (0, CLIP_S - SHORTLY):
            times_s.append(at + into)
    return times_s


def short(size: tuple[int, int]) -> tuple[int, int]:
    """Return height and width when the shorter side becomes 224; the other is rounded down."""
    height, width = size
    if width < height:
        return math.floor(height / width * SIDE), SIDE
    return SIDE, math.floor(width / height * SIDE)


def corners(size: tuple[int, int]) -> list[tuple[int, int]]:
    """Return the upper left corners of three squares: at the begin, in the middle and at the
    end.
    """
    return [
        (((size[0] - SIDE) * step + 1) // 2, ((size[1] - SIDE) * step + 1) // 2)
        for step in (0, 1, 2)
    ]


def spectrograms_of(sound: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return (3, 128, 204) of an interval's sound (channels, n): its first channel, less the mean
    of all of a clip.
    """
    values = []
    for at in starts(0, sound.shape[1] / RATE, HEARD):
        piece = sound[:, int(at * RATE) : int((at + CLIP_S) * RATE)]
        bands = kaldi_fbank(piece[0] - piece.mean())
        values.append(np.pad(bands, ((0, 0), (0, FRAMES - bands.shape[1]))))
    return np.asarray((np.stack(values) - MEAN) / SPREAD, np.float32)


PLUG_IN = PlugIn(
    key="imagebind",
    metric="AVAlign",
    unit="cosine",
    files=(CHECKPOINT,),
    scope="interval",
    licence="CC BY-NC-SA 4.0: not for commercial use",
    source="dl.fbaipublicfiles.com/imagebind/imagebind_huge.pth",
    load=load,
    version="2",
)
