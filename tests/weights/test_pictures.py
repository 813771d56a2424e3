"""Aesthetics and both consistencies with tiny weights: what PyTorch's own modules give on the same
pictures.
"""

import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.torch import save_file
from torch import Tensor, nn
from torch.nn import functional

from measuring.plug_ins import background, subject
from measuring.plug_ins.port import measure
from measuring.plug_ins.quantiles import BACKGROUND, SUBJECT
from measuring.plug_ins.registry import PLUG_INS
from measuring.plug_ins.squares import square
from tests.weights.media import HEIGHT, WIDTH, Scene
from tests.weights.modules import CLIP, FUSED, layers, noise, norm, seeded, spelt, through

CLIP_COLOURS = [0.48145466, 0.4578275, 0.40821073], [0.26862954, 0.26130258, 0.27577711]
IMAGENET_COLOURS = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
Embed = Callable[[Tensor], Tensor]
SIDE, SOON = 224, 1e-4


def quick(flow: Tensor) -> Tensor:
    return flow * torch.sigmoid(1.702 * flow)


def coloured(pictures: Tensor, colours: tuple[list[float], list[float]]) -> Tensor:
    mean, spread = (torch.tensor(values).reshape(3, 1, 1) for values in colours)
    return (pictures / 255 - mean) / spread


def stem(width: int, patch: int, places: int, seed: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return class token, kernel, bias and places."""
    kernel = noise(width, 3, patch, patch, seed=seed) / patch
    return (
        noise(1, 1, width, seed=seed + 1),
        kernel,
        noise(width, seed=seed + 2),
        noise(1, places + 1, width, seed=seed + 3),
    )


def tokens(
    pictures: Tensor, first: Tensor, kernel: Tensor, bias: Tensor | None, places: Tensor
) -> Tensor:
    """Return class token and patches, each patch by a plain product with the kernel."""
    patch = kernel.shape[-1]
    rows, columns = pictures.shape[2] // patch, pictures.shape[3] // patch
    grid = (
        pictures[:, :, : rows * patch, : columns * patch]
        .unfold(2, patch, patch)
        .unfold(3, patch, patch)
    )
    flow = (
        grid.permute(0, 2, 3, 1, 4, 5).reshape(len(pictures), rows * columns, -1)
        @ kernel.flatten(1).T
    )
    if bias is not None:
        flow = flow + bias
    return torch.cat([first.expand(len(pictures), 1, -1), flow], 1) + stretched(
        places, rows, columns
    )


def stretched(places: Tensor, rows: int, columns: int) -> Tensor:
    """Return places for another grid, by cubic convolution (a = -0.75) where DINO asks for a tenth
    of a row more.
    """
    side = int((places.shape[1] - 1) ** 0.5)
    if (rows, columns) == (side, side):
        return places
    grid = places[0, 1:].reshape(side, side, -1).double().numpy()
    down, across = (cubic(side, count, (count + 0.1) / side) for count in (rows, columns))
    found = np.einsum("ia,jb,abd->ijd", down, across, grid).reshape(1, rows * columns, -1)
    return torch.cat([places[:, :1], torch.from_numpy(found).float()], 1)


def cubic(size: int, wanted: int, stretch: float) -> np.ndarray:
    weights = np.zeros((wanted, size))
    for row in range(wanted):
        at = (row + 0.5) / stretch - 0.5
        for place in range(int(np.floor(at)) - 1, int(np.floor(at)) + 3):
            x, a = abs(at - place), -0.75
            near = ((a + 2) * x - (a + 3)) * x * x + 1
            weights[row, min(max(place, 0), size - 1)] += (
                near if x <= 1 else ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
            )
    return weights


def clip_tower(path: Path, width: int, heads: int, patch: int, seed: int) -> Embed:
    """Write CLIP's checkpoint and return what its towers must give."""
    first, kernel, _, places = stem(width, patch, (SIDE // patch) ** 2, seed)
    made = layers(2, width, heads, 1e-5, seed=seed, act=quick)
    before, normed = norm("vision_model.pre_layrnorm", width, seed + 7)
    after, last = norm("vision_model.post_layernorm", width, seed + 8)
    projection = noise(10, width, seed=seed + 9)
    weights = {
        "vision_model.embeddings.class_embedding": first[0, 0],
        "vision_model.embeddings.patch_embedding.weight": kernel,
        "vision_model.embeddings.position_embedding.weight": places[0],
        "visual_projection.weight": projection,
        "text_model.final_layer_norm.weight": noise(4, seed=1),
        "logit_scale": torch.tensor(4.6),
        **before,
        **after,
        **spelt(made, "vision_model.encoder.layers", CLIP),
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    save_file({key: values.detach().contiguous() for key, values in weights.items()}, path)

    def embed(pictures: Tensor) -> Tensor:
        flow = through(normed(tokens(pictures, first, kernel, None, places), 1e-5), made)
        return last(flow[:, 0], 1e-5) @ projection.T

    return embed


def vit(
    width: int,
    patch: int,
    places: int,
    seed: int,
    *,
    tiny: float = 1e-6,
    act: Embed = functional.gelu,
) -> tuple[dict[str, Tensor], list[nn.TransformerEncoderLayer], Embed]:
    """Return the weights of a tower as DINO names them, its layers, and what comes out of the
    last.
    """
    first, kernel, bias, where = stem(width, patch, places, seed)
    made = layers(2, width, 12, tiny, seed=seed, act=act)
    weights = {
        "cls_token": first,
        "pos_embed": where,
        "patch_embed.proj.weight": kernel,
        "patch_embed.proj.bias": bias,
    }
    return weights, made, lambda pictures: tokens(pictures, first, kernel, bias, where)


def units(flow: Tensor) -> np.ndarray:
    return functional.normalize(flow, dim=-1).detach().numpy()


def alike(found: np.ndarray) -> float:
    pairs = [
        (max(0, float(one @ found[0])) + max(0, float(one @ before))) / 2
        for before, one in pairwise(found)
    ]
    return sum(pairs) / len(pairs)


def fused(pictures: np.ndarray, within: Embed, across: Embed, table: tuple[float, ...]) -> float:
    """VBench-Long's slow-fast score of pictures taken twice a second, a whole number of clips of
    four.
    """
    flow = torch.from_numpy(pictures).permute(0, 3, 1, 2).float()
    slow, fast = units(within(flow)), units(across(flow[::4]))
    inside = float(np.mean([alike(slow[at : at + 4]) for at in range(0, len(slow), 4)]))
    place, rest = divmod(alike(fast) * 100, 1)
    mapped = table[int(place)] + rest * (table[int(place) + 1] - table[int(place)])
    return (inside + mapped) / 2


def twice_a_second(scene: Scene) -> np.ndarray:
    return scene.pictures([n / 2 + 0.25 - SOON for n in range(round(scene.seconds * 2))])


def saved(folder: Path, name: str, content: object) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    torch.save(content, folder / name)


def test_aesthetics_are_what_clip_and_the_linear_head_give(tmp_path: Path):
    folder = tmp_path / "clip_aesthetics"
    embed = clip_tower(folder / "clip-vit-large-patch14.safetensors", 64, 16, 56, 10)
    head = seeded(nn.Linear(10, 1), 20)
    saved(folder, "sa_0_4_vit_l_14_linear.pth", head.state_dict())
    found = measure(PLUG_INS["clip_aesthetics"], Scene(61), tmp_path, "cpu")
    expected = []
    for begin in (0, 30):
        squares = np.stack(
            [
                square(picture, SIDE)
                for picture in Scene().pictures([begin + n / 2 for n in range(60)])
            ]
        )
        flow = embed(coloured(torch.from_numpy(squares).permute(0, 3, 1, 2).float(), CLIP_COLOURS))
        expected.append(head(functional.normalize(flow, dim=-1)).mean().item() / 10)
    assert found.measurement.reason == ""
    assert found.intervals == pytest.approx(expected, abs=2e-6)
    assert abs(expected[0] - expected[1]) > 1e-4


def test_subject_consistency_is_what_dino_and_dinov2_give(tmp_path: Path):
    folder = tmp_path / "subject_consistency"
    dino, dino_layers, dino_tokens = vit(48, 16, 14 * 14, 20)
    after, dino_norm = norm("norm", 48, 27)
    saved(folder, subject.WITHIN, dino | after | spelt(dino_layers, "blocks", FUSED))
    dinov2, dinov2_layers, dinov2_tokens = vit(48, 14, 37 * 37, 30)
    last, dinov2_norm = norm("norm", 48, 37)
    scaled = spelt(dinov2_layers, "blocks", FUSED)
    for number in range(
        len(dinov2_layers)
    ):  # a scale in the checkpoint is a factor of the matrix before it
        for scale, matrix in (("ls1", "attn.proj"), ("ls2", "mlp.fc2")):
            gamma = 0.5 + noise(48, seed=number).abs()
            scaled[f"blocks.{number}.{scale}.gamma"] = gamma
            scaled[f"blocks.{number}.{matrix}.weight"] /= gamma[:, None]
            scaled[f"blocks.{number}.{matrix}.bias"] /= gamma
    saved(folder, subject.ACROSS, dinov2 | last | scaled | {"mask_token": noise(1, 48, seed=3)})

    def within(pictures: Tensor) -> Tensor:
        small = functional.interpolate(pictures, (224, 224 * WIDTH // HEIGHT), mode="bilinear")
        return dino_norm(
            through(dino_tokens(coloured(small, IMAGENET_COLOURS)), dino_layers)[:, 0], 1e-6
        )

    def across(pictures: Tensor) -> Tensor:
        small = functional.interpolate(
            pictures, (256, 256 * WIDTH // HEIGHT), mode="bicubic", antialias=True
        )
        left = round((small.shape[3] - 224) / 2)
        cut = coloured(small[:, :, 16:240, left : left + 224], IMAGENET_COLOURS)
        return dinov2_norm(through(dinov2_tokens(cut), dinov2_layers)[:, 0], 1e-6)

    scene = Scene(12)
    found = measure(PLUG_INS["subject_consistency"], scene, tmp_path, "cpu")
    assert found.measurement.reason == ""
    assert found.measurement.value == pytest.approx(
        fused(twice_a_second(scene), within, across, SUBJECT), abs=1e-5
    )
    assert found.intervals == ()


@pytest.mark.parametrize("adapter", ["adapter_model.safetensors", "adapter_model.bin"])
def test_background_consistency_is_what_clip_and_dreamsim_give(tmp_path: Path, adapter: str):
    folder = tmp_path / "background_consistency"
    clip = clip_tower(folder / background.WITHIN, 48, 12, 32, 40)
    ensemble, changes = [], {}
    for place, (name, act, tiny) in enumerate(
        (
            ("dino_vitbase16_pretrain.pth", functional.gelu, 1e-6),
            ("clip_vitb16_pretrain.pth.tar", quick, 1e-5),
            ("open_clip_vitb16_pretrain.pth.tar", functional.gelu, 1e-5),
        )
    ):
        weights, made, make = vit(48, 16, 14 * 14, 50 + 10 * place, tiny=tiny, act=act)
        before, normed = norm("pos_drop", 48, 57 + place)
        after, last = norm("norm", 48, 67 + place)
        projection = noise(48, 20, seed=80 + place)
        weights |= spelt(made, "blocks", FUSED) | after
        saved(
            folder,
            name,
            {"state_dict": weights | before | {"proj": projection}} if place else weights,
        )
        for number, layer in enumerate(made):  # rank 2, strength 0.5 / 2
            one, other = noise(2, 48, seed=90 + number), noise(3 * 48, 2, seed=95 + place)
            begin = f"base_model.model.extractor_list.{place}.model.blocks.{number}.attn.qkv"
            changes |= {f"{begin}.lora_A.weight": one, f"{begin}.lora_B.weight": other}
            with torch.no_grad():
                layer.self_attn.in_proj_weight += 0.25 * other @ one
        ensemble.append((made, make, normed, last, projection))
    (folder / "ensemble_lora").mkdir()
    if adapter.endswith(".bin"):
        saved(folder / "ensemble_lora", adapter, changes)
    else:
        save_file(
            {key: values.contiguous() for key, values in changes.items()},
            folder / "ensemble_lora" / adapter,
        )
    (folder / "ensemble_lora" / "adapter_config.json").write_text(
        json.dumps({"r": 2, "lora_alpha": 0.5})
    )

    def within(pictures: Tensor) -> Tensor:
        small = functional.interpolate(pictures, (224, 224 * WIDTH // HEIGHT), mode="bicubic")
        left = round((small.shape[3] - 224) / 2)
        return clip(coloured(small[..., left : left + 224], CLIP_COLOURS))

    def across(pictures: Tensor) -> Tensor:
        small = functional.interpolate(pictures, (224, 224), mode="bicubic", antialias=True)
        parts = []
        for place, (made, make, normed, last, projection) in enumerate(ensemble):
            flow = make(coloured(small, CLIP_COLOURS if place else IMAGENET_COLOURS))
            flow = through(normed(flow, 1e-5) if place else flow, made)[:, 0]
            parts.append(last(flow, 1e-5) @ projection if place else flow)
        whole = torch.cat(parts, 1)
        return whole - whole.mean(1, keepdim=True)

    scene = Scene(8)
    found = measure(PLUG_INS["background_consistency"], scene, tmp_path, "cpu")
    assert found.measurement.reason == ""
    expected = fused(twice_a_second(scene), within, across, BACKGROUND)
    assert found.measurement.value == pytest.approx(expected, abs=1e-5)
