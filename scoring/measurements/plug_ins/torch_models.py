"""Models that run in PyTorch, loaded from local files through their authors' own packages. No Django here.

Nothing here is a dependency of the project: packages are imported when a plug-in is loaded, and their absence makes its
metric unavailable. Nothing is downloaded, but by DreamSim's own package when its folder lacks a part.
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scoring.measurements.plug_ins.consistency import BACKGROUND, PER_S, SUBJECT, Embed, Floats, consistency, unit
from scoring.measurements.plug_ins.port import Evaluate, Media, PlugIn, intervals
from scoring.measurements.plug_ins.tensors import read_tensors
from scoring.measurements.plug_ins.vision import MEAN, SPREAD, ClipVision

RATE = 16_000
IMAGENET = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def load_audiobox(folder: Path) -> Evaluate:
    """Audiobox Aesthetics, axis PQ, on each whole interval: its predictor would cut the sound into pieces of 10 s; so
    the model itself is called."""
    torch = import_module("torch")
    predictor = import_module("audiobox_aesthetics.infer").initialize_predictor(ckpt=str(folder / "checkpoint.pt"))

    def evaluate(media: Media) -> list[float]:
        values = []
        for begin, end in intervals(media):
            wave = torch.from_numpy(media.sound(begin, end, RATE))[None, None].to(predictor.device)
            with torch.inference_mode():
                found = predictor.model({"wav": wave, "mask": torch.ones_like(wave, dtype=torch.bool)})
            values.append(float(predictor.target_transform["PQ"].inverse(found["PQ"]).item()))
        return values

    return evaluate


def load_imagebind(folder: Path) -> Evaluate:
    """ImageBind-huge: cosine between picture and sound of each interval; 5 clips of 2 s seen, 3 clips of 2 s heard."""
    torch = import_module("torch")
    data, package = import_module("imagebind.data"), import_module("imagebind.models.imagebind_model")
    model = package.imagebind_huge(pretrained=False)
    model.load_state_dict(torch.load(folder / "imagebind_huge.pth", map_location="cpu", weights_only=True))
    model.eval()
    kinds = package.ModalityType

    def evaluate(media: Media) -> list[float]:
        values = []
        for begin, end in intervals(media):
            seen = torch.from_numpy(video_clips(media, begin, end))[None]
            heard = torch.stack(
                [
                    (data.waveform2melspec(torch.from_numpy(wave)[None], RATE, 128, 204) + 4.268) / 9.138
                    for wave in sound_clips(media, begin, end)
                ]
            )[None]
            with torch.inference_mode():
                found = model({kinds.VISION: seen, kinds.AUDIO: heard})
            pair = [unit(found[kind].numpy()[0]) for kind in (kinds.VISION, kinds.AUDIO)]
            values.append(float(pair[0] @ pair[1]))
        return values

    return evaluate


def starts(begin_s: float, end_s: float, count: int, length_s: float = 2.0) -> list[float]:
    """Return where ``count`` clips begin that are spread evenly over an interval, the last ending with it (seconds)."""
    return [float(at) for at in np.linspace(begin_s, end_s - length_s, count)]


def video_clips(media: Media, begin_s: float, end_s: float) -> Floats:
    """Return (15, 3, 2, 224, 224): five clips of two pictures, their first and last, each in three crops along the
    longer side, normalised as CLIP's are."""
    crops = []
    for at in starts(begin_s, end_s, 5):
        pictures = np.concatenate([media.pictures(at, at + 0.02, 50.0), media.pictures(at + 1.96, at + 1.98, 50.0)])
        small = (scaled(pictures, 224) - MEAN) / SPREAD
        height, width = small.shape[1:3]
        for step in (0, 1, 2):
            top, left = ((height - 224) * step + 1) // 2, ((width - 224) * step + 1) // 2
            crops.append(small[:, top : top + 224, left : left + 224].transpose(3, 0, 1, 2))
    return np.stack(crops).astype(np.float32)


def sound_clips(media: Media, begin_s: float, end_s: float) -> list[Floats]:
    """Return three pieces of 2 s of sound at 16 kHz."""
    return [media.sound(at, at + 2.0, RATE) for at in starts(begin_s, end_s, 3)]


def scaled(pictures: NDArray[np.uint8], side: int) -> Floats:
    """Return pictures (n, height, width, 3) from 0 to 1 with their shorter side brought to ``side`` by straight lines
    between pixels, without widening (as torch's ``interpolate`` does it)."""
    height, width = pictures.shape[1:3]
    scale = side / min(height, width)
    rows, columns = (linear(size, max(side, int(size * scale))) for size in (height, width))
    tall = np.einsum("oh,nhwc->nowc", rows, pictures.astype(np.float32) / np.float32(255))
    return np.asarray(np.einsum("ow,nhwc->nhoc", columns, tall), np.float32)


def linear(size: int, wanted: int) -> Floats:
    """Return the (wanted, size) matrix that resizes a line by linear interpolation between pixel centres."""
    centre = np.clip((np.arange(wanted) + 0.5) * size / wanted - 0.5, 0, size - 1)
    return np.asarray(np.maximum(1 - np.abs(np.arange(size)[None] - centre[:, None]), 0), np.float32)


def load_synchformer(folder: Path) -> Evaluate:
    """Synchformer 24-01-04T16-39-21: the mean of the absolute offsets of the first and the last 4.8 s of each interval,
    at 25 pictures a second and 16 kHz, shorter side 256. ``code`` in the folder is a checkout of its repository."""
    sys.path.insert(0, str(folder / "code"))
    try:
        torch, omegaconf = import_module("torch"), import_module("omegaconf")
        train, transforms = import_module("scripts.train_utils"), import_module("dataset.transforms")
    finally:
        sys.path.remove(str(folder / "code"))
    config = omegaconf.OmegaConf.load(folder / "config.yaml")
    for part in ("afeat_extractor", "vfeat_extractor"):  # their weights are in the checkpoint
        config.model.params[part].params.ckpt_path = None
    target = config.model.params.transformer.target
    config.model.params.transformer.target = target.replace(".modules.feature_selector.", ".sync_model.")
    _, model = train.get_model(config, torch.device("cpu"))
    model.load_state_dict(torch.load(folder / "checkpoint.pt", map_location="cpu", weights_only=True)["model"])
    model.eval()
    classes = config.model.params.transformer.params.off_head_cfg.params.out_features
    grid = transforms.make_class_grid(-config.data.max_off_sec, config.data.max_off_sec, classes)
    test = train.get_transforms(config, ["test"])["test"]

    def offset(media: Media, begin_s: float) -> float:
        pictures = np.round(scaled(media.pictures(begin_s, begin_s + 4.8, 25.0), 256) * 255).astype(np.uint8)
        item = {
            "video": torch.from_numpy(pictures.transpose(0, 3, 1, 2)),
            "audio": torch.from_numpy(media.sound(begin_s, begin_s + 4.8, RATE)),
            "meta": {"video": {"fps": [25.0]}, "audio": {"framerate": [RATE]}},
            "path": "", "split": "test", "targets": {"v_start_i_sec": 0.0, "offset_sec": 0.0},
        }  # fmt: skip
        batch = torch.utils.data.default_collate([test(item)])
        heard, seen, _ = train.prepare_inputs(batch, torch.device("cpu"))
        with torch.inference_mode():
            _, scores = model(seen, heard)
        return abs(float(grid[int(scores[0].argmax())]))

    def evaluate(media: Media) -> list[float]:
        return [(offset(media, begin) + offset(media, end - 4.8)) / 2 for begin, end in intervals(media)]

    return evaluate


def dino(folder: Path, name: str, weights: str, side: int, *, square: bool) -> Embed:
    """Return the embedding of a DINO or DINOv2 tower; ``folder / name`` is a checkout of its repository."""
    torch = import_module("torch")
    entry = weights.split("_pretrain", maxsplit=1)[0].replace("dino_vitbase16", "dino_vitb16")
    model = torch.hub.load(str(folder / name), entry, source="local", pretrained=False)
    model.load_state_dict(torch.load(folder / weights, map_location="cpu", weights_only=True))
    model.eval()
    mean, spread = (np.array(values, np.float32) for values in IMAGENET)

    def embed(pictures: NDArray[np.uint8]) -> Floats:
        found = []
        for picture in pictures:
            small = (scaled(picture[None], side) - mean) / spread
            if square:
                top, left = (small.shape[1] - 224) // 2, (small.shape[2] - 224) // 2
                small = small[:, top : top + 224, left : left + 224]
            with torch.inference_mode():
                found.append(model(torch.from_numpy(small.transpose(0, 3, 1, 2).copy())).numpy()[0])
        return unit(found)

    return embed


def load_subject(folder: Path) -> Evaluate:
    """Subject consistency: DINO ViT-B/16 within clips, DINOv2 ViT-B/14 across them."""
    within = dino(folder, "dino", "dino_vitbase16_pretrain.pth", 224, square=False)
    across = dino(folder, "dinov2", "dinov2_vitb14_pretrain.pth", 256, square=True)
    return lambda media: [
        consistency(media.pictures(0, media.seconds, PER_S), within=within, across=across, fusion=SUBJECT)
    ]


def load_background(folder: Path) -> Evaluate:
    """Background consistency: CLIP ViT-B/32 within clips, the DreamSim ensemble across them."""
    torch = import_module("torch")
    tensors = folder / "clip-vit-base-patch32.safetensors"
    projection = read_tensors(tensors, prefix="visual_projection.")["weight"]
    vision = ClipVision(read_tensors(tensors, prefix="vision_model."), projection)
    model, _ = import_module("dreamsim").dreamsim(pretrained=True, cache_dir=str(folder / "dreamsim"), device="cpu")

    def across(pictures: NDArray[np.uint8]) -> Floats:
        images = torch.from_numpy(pictures.transpose(0, 3, 1, 2).astype(np.float32) / 255)
        images = torch.nn.functional.interpolate(images, (224, 224), mode="bicubic", antialias=True)
        with torch.inference_mode():
            return unit(model.embed(images).numpy())

    return lambda media: [
        consistency(media.pictures(0, media.seconds, PER_S), within=vision.embed, across=across, fusion=BACKGROUND)
    ]


PLUG_INS = (
    PlugIn(
        key="audiobox", metric="PQ", unit="points", files=("checkpoint.pt",),
        packages=("torch", "audiobox_aesthetics"), scope="interval", licence="CC BY 4.0",
        source="github.com/facebookresearch/audiobox-aesthetics", load=load_audiobox,
    ),
    PlugIn(
        key="imagebind", metric="AVAlign", unit="cosine", files=("imagebind_huge.pth",),
        packages=("torch", "torchaudio", "imagebind"), scope="interval", licence="CC BY-NC 4.0: not for commercial use",
        source="github.com/facebookresearch/ImageBind", load=load_imagebind,
    ),
    PlugIn(
        key="synchformer", metric="AVSync", unit="s", files=("code", "config.yaml", "checkpoint.pt"),
        packages=("torch", "torchaudio", "torchvision", "omegaconf"), scope="interval", licence="MIT",
        source="github.com/v-iashin/Synchformer, model 24-01-04T16-39-21", load=load_synchformer,
    ),
    PlugIn(
        key="subject_consistency", metric="SC", unit="points",
        files=("dino", "dino_vitbase16_pretrain.pth", "dinov2", "dinov2_vitb14_pretrain.pth"),
        packages=("torch",), scope="full", licence="Apache-2.0",
        source="github.com/facebookresearch/dino, github.com/facebookresearch/dinov2", load=load_subject,
    ),
    PlugIn(
        key="background_consistency", metric="BC", unit="points",
        files=("clip-vit-base-patch32.safetensors", "dreamsim"), packages=("torch", "dreamsim"), scope="full",
        licence="MIT", source="huggingface.co/openai/clip-vit-base-patch32; github.com/ssundaram21/dreamsim",
        load=load_background,
    ),
)  # fmt: skip
