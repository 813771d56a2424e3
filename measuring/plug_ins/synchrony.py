"""By how much sound and picture are apart: Synchformer 24-01-04T16-39-21. No Django here.

Source: arXiv:2608.26336v1, §B.1 and its public evaluation code: the mean of the absolute offsets of
the first and the last 4.8 s of each interval, at 25 pictures a second and 16 kHz, shorter side 256.
What the model takes is longer than that by its published settings, so the last picture is held
and silence follows, as there.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from measuring.errors import WeightsUnreadable
from measuring.plug_ins.port import Evaluate, Media, PlugIn, intervals, sampled
from measuring.plug_ins.spectrograms import log_mel

RATE, PER_S, SIDE, SQUARE = 16_000, 25, 256, 224
WINDOW_S, PADDED_S = 4.8, 10
FRAMES, MEAN, SPREAD = 66, -4.2677393, 4.5689974
CHECKPOINT, SETTINGS = "24-01-04T16-39-21.pt", "cfg-24-01-04T16-39-21.yaml"


@dataclass(frozen=True, slots=True)
class Settings:
    """How a stretch is cut into pieces; where a model's file is silent, as in its authors'
    ``configs/sync.yaml``.
    """

    crop_len_sec: float = 5.0
    max_off_sec: float = 2.0
    n_segments: int = 14
    step_size_seg: float = 0.5
    segment_size_vframes: int = 16

    def starts(self) -> list[int]:
        """Return at which picture each piece begins: they are taken from the middle of the crop."""
        step = int(self.step_size_seg * self.segment_size_vframes)
        whole = int(
            (self.n_segments * self.step_size_seg + 1 - self.step_size_seg)
            * self.segment_size_vframes
        )
        first = (int(self.crop_len_sec * PER_S) - whole) // 2
        return [first + number * step for number in range(self.n_segments)]


def read_settings(path: Path) -> Settings:
    """Return the settings of a model's file. Raises WeightsUnreadable."""
    try:
        content: Any = YAML(typ="safe").load(path.read_text(encoding="utf-8"))
        data: Mapping[str, Any] = content["data"]
        known = {field.name: data[field.name] for field in fields(Settings) if field.name in data}
        settings = Settings(**known)
        begins = settings.starts()
    except (OSError, YAMLError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise WeightsUnreadable(f"{path} is not the settings of Synchformer: {error}") from error
    if begins[0] < 0 or begins[-1] + settings.segment_size_vframes > PADDED_S * PER_S:
        raise WeightsUnreadable(
            f"{path} cuts {settings.n_segments} pieces out of {settings.crop_len_sec} s; they do "
            "not fit."
        )
    return settings


def load(folder: Path, device: str) -> Evaluate:
    """Return the evaluator of weights in ``folder``. Raises WeightsUnreadable."""
    import torch  # noqa: PLC0415 - only where PyTorch is
    from torch.nn import functional  # noqa: PLC0415

    from measuring.plug_ins.towers.parts import chosen  # noqa: PLC0415
    from measuring.plug_ins.towers.pictures import middle, shorter_side  # noqa: PLC0415
    from measuring.plug_ins.towers.synchformer import Synchformer  # noqa: PLC0415

    where, settings = chosen(device), read_settings(folder / SETTINGS)
    model = Synchformer(folder / CHECKPOINT, where)
    offsets = np.linspace(-settings.max_off_sec, settings.max_off_sec, model.classes)

    def seen(pictures: NDArray[np.uint8]) -> torch.Tensor:
        """Return (pieces, 3, 16, 224, 224). Half precision on the way is the authors'."""
        flow = torch.from_numpy(pictures).permute(0, 3, 1, 2).float()
        size = shorter_side(pictures.shape[1:3], SIDE)
        small = middle(
            functional.interpolate(flow, size, mode="bicubic", align_corners=False, antialias=True),
            SQUARE,
        )
        small = ((small.round().clamp(0, 255).half() / 255 - 0.5) / 0.5).float()
        small = torch.cat([small, small[-1:].expand(PADDED_S * PER_S - len(small), -1, -1, -1)])
        size_piece = settings.segment_size_vframes
        return torch.stack(
            [small[at : at + size_piece].transpose(0, 1) for at in settings.starts()]
        )

    def offset(media: Media, begin_s: float) -> float:
        pictures = sampled(media, begin_s, begin_s + WINDOW_S, PER_S)
        heard = torch.from_numpy(
            spectrograms_of(media.sound(begin_s, begin_s + WINDOW_S, RATE).mean(0), settings)
        )
        with torch.inference_mode():
            return abs(
                float(
                    offsets[int(model.choose(seen(pictures).to(where), heard.to(where)).argmax())]
                )
            )

    return lambda media: [
        (offset(media, begin) + offset(media, end - WINDOW_S)) / 2
        for begin, end in intervals(media)
    ]


def spectrograms_of(sound: NDArray[np.float32], settings: Settings) -> NDArray[np.float32]:
    """Return (pieces, 128, 66) of the sound (n,) of a stretch."""
    padded = np.pad(sound, (0, PADDED_S * RATE - len(sound)))
    length = settings.segment_size_vframes * RATE // PER_S
    pieces = [padded[at * RATE // PER_S :][:length] for at in settings.starts()]
    bands = [log_mel(piece)[:, :FRAMES] for piece in pieces]
    filled = [np.pad(one, ((0, 0), (0, FRAMES - one.shape[1]))) for one in bands]
    return np.asarray((np.stack(filled) - MEAN) / (2 * SPREAD), np.float32)


PLUG_IN = PlugIn(
    key="synchformer",
    metric="AVSync",
    unit="s",
    files=(SETTINGS, CHECKPOINT),
    scope="interval",
    licence="MIT",
    source="github.com/v-iashin/Synchformer, model 24-01-04T16-39-21: both files by their own "
    "names",
    load=load,
    version="2",
)
