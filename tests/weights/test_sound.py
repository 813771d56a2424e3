"""Production quality, alignment and synchrony with tiny weights: what PyTorch's own modules
give.
"""

import math
from collections import OrderedDict
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor, nn
from torch.nn import functional

from measuring.plug_ins.port import measure
from measuring.plug_ins.registry import PLUG_INS
from measuring.plug_ins.spectrograms import kaldi_fbank, log_mel
from tests.weights.media import HEIGHT, WIDTH, Scene
from tests.weights.modules import (
    AST,
    BOUND,
    FUSED,
    JOINT,
    WAVLM,
    layers,
    named,
    noise,
    norm,
    seeded,
    spelt,
    through,
)
from tests.weights.test_pictures import CLIP_COLOURS, coloured, saved

RATE, HEADS, NARROW = 16_000, 12, 48


class Settings:
    """Stands for an object of the settings that Synchformer's authors left in their checkpoint."""

    def __init__(self) -> None:
        self.model = {"target": "model.sync_model.Synchformer"}


def bucket(apart: int) -> int:
    """WavLM's rule of how far apart two tokens are, 320 buckets to 800 tokens, as its paper cites
    it from T5.
    """
    far, begin = abs(apart), 160 if apart > 0 else 0
    if far < 80:
        return begin + far
    return begin + min(159, 80 + int(math.log(far / 80) / math.log(800 / 80) * 80))


def wavlm(seed: int) -> tuple[dict[str, Tensor], nn.Module]:
    """Return weights under their names, and a module that gives what goes into and out of each of
    two layers.
    """
    strides = (5, 2, 2, 2, 2, 2, 2)
    kernels = [
        noise(8, 8 if place else 1, size, seed=seed + place) * 3
        for place, size in enumerate((10, 3, 3, 3, 3, 2, 2))
    ]
    group, _ = norm("feature_extractor.conv_layers.0.2", 8, seed + 10)
    before, first = norm("layer_norm", 8, seed + 11)
    after, second = norm("encoder.layer_norm", NARROW, seed + 12)
    widen = seeded(nn.Linear(8, NARROW), seed + 13)
    place = seeded(nn.Conv1d(NARROW, NARROW, 16, padding=8, groups=16), seed + 14)
    # The checkpoint has the kernel as directions and lengths, one length for each of its sixteen
    # places.
    lengths = (
        torch.stack([place.weight[:, :, at].square().sum().sqrt() for at in range(16)])
        .reshape(1, 1, 16)
        .detach()
    )
    made = layers(2, NARROW, HEADS, 1e-5, seed=seed + 15, first=False)
    table, gate = (
        noise(320, HEADS, seed=seed + 16) * 3,
        seeded(nn.Linear(NARROW // HEADS, 8), seed + 17),
    )
    factors = [1 + noise(1, HEADS, 1, 1, seed=seed + 18 + number) for number in range(2)]
    weights = {
        f"feature_extractor.conv_layers.{number}.0.weight": kernel
        for number, kernel in enumerate(kernels)
    }
    weights |= group | before | after | spelt(made, "encoder.layers", WAVLM)
    weights |= {f"post_extract_proj.{name}": values for name, values in widen.state_dict().items()}
    weights |= {
        "encoder.pos_conv.0.weight_v": place.weight * 3,
        "encoder.pos_conv.0.weight_g": lengths,
    }
    weights["encoder.pos_conv.0.bias"] = place.bias
    weights["encoder.layers.0.self_attn.relative_attention_bias.weight"] = table
    for number, factor in enumerate(factors):
        begin = f"encoder.layers.{number}.self_attn."
        weights |= {
            f"{begin}grep_linear.{name}": values for name, values in gate.state_dict().items()
        }
        weights[f"{begin}grep_a"] = factor

    def states(sound: Tensor) -> list[Tensor]:
        flow = sound[:, None]
        for number, (kernel, stride) in enumerate(zip(kernels, strides, strict=True)):
            flow = functional.conv1d(flow, kernel, stride=stride)
            if number == 0:  # each channel by itself over all of time
                flat = (flow - flow.mean(-1, keepdim=True)) / (
                    flow.var(-1, correction=0, keepdim=True) + 1e-5
                ).sqrt()
                flow = flat * group["feature_extractor.conv_layers.0.2.weight"][:, None]
                flow = flow + group["feature_extractor.conv_layers.0.2.bias"][:, None]
            flow = functional.gelu(flow)
        flow = widen(first(flow.mT, 1e-5))
        flow = second(flow + functional.gelu(place(flow.mT)[..., :-1]).mT, 1e-5)
        count = flow.shape[1]
        apart = table[
            [[bucket(key - query) for key in range(count)] for query in range(count)]
        ].permute(2, 0, 1)
        found = [flow]
        for layer, factor in zip(made, factors, strict=True):
            parts = flow.unflatten(-1, (HEADS, -1)).transpose(1, 2)[0]
            open_, let = torch.sigmoid(gate(parts).unflatten(-1, (2, 4)).sum(-1)).unbind(-1)
            told = (open_ * (let * factor[0, :, :, 0] - 1) + 2)[..., None] * apart
            flow = layer(flow, src_mask=told)
            found.append(flow)
        return found

    return weights, states


@pytest.mark.parametrize(("mixed", "unit", "normed"), [(True, True, True), (False, False, False)])
def test_production_quality_is_the_mean_of_three_windows(
    tmp_path: Path, mixed: bool, unit: bool, normed: bool
):
    tower, states = wavlm(100)
    shares = noise(3, seed=1) * 5
    head = nn.Sequential(
        *(
            [nn.Linear(NARROW, NARROW), nn.LayerNorm(NARROW)]
            if normed
            else [nn.Linear(NARROW, NARROW)]
        ),
        nn.GELU(),
        nn.Linear(NARROW, 1),
    )
    weights = {f"model.wavlm_model.{name}": values for name, values in tower.items()}
    weights |= {f"model.proj_layer.PQ.{name}": values for name, values in head.state_dict().items()}
    weights |= {"model.layer_weights.PQ": shares} if mixed else {}
    content = {
        "state_dict": OrderedDict(weights),
        "model_cfg": {"normalize_embed": unit, "use_weighted_layer_sum": mixed, "proj_ln": normed},
        "target_transform": {"PQ": {"mean": 7.1, "std": 1.3}, "CE": {"mean": 0, "std": 1}},
    }
    saved(tmp_path / "audiobox", "checkpoint.pt", content)
    found = measure(PLUG_INS["audiobox"], Scene(), tmp_path, "cpu")
    expected = []
    for begin in (0, 10, 20):
        sound = torch.from_numpy(Scene().sound(begin, begin + 10, RATE).mean(0))[None]
        every = states(sound)
        flow = (
            sum(share * one for share, one in zip(torch.softmax(shares, 0), every, strict=True))
            if mixed
            else every[-1]
        )
        mean = flow.mean(1)
        expected.append(head(mean / mean.norm() if unit else mean).item() * 1.3 + 7.1)
    assert found.measurement.reason == ""
    assert found.intervals == pytest.approx([np.mean(expected)], abs=2e-5)


def test_alignment_is_the_cosine_of_what_imagebind_sees_and_hears(tmp_path: Path):
    seen, heard = (
        layers(2, 64, 16, 1e-6, seed=200),
        layers(2, NARROW, HEADS, 1e-6, seed=210, extended=True),
    )
    kernel, sound_kernel = (
        noise(64, 3, 2, 56, 56, seed=201) / 30,
        noise(NARROW, 1, 16, 16, seed=211) / 5,
    )
    first, places = noise(1, 1, 64, seed=202), noise(1, 17, 64, seed=203)
    sound_first, sound_places = (
        noise(1, 1, NARROW, seed=212),
        noise(1, 12 * 19 + 1, NARROW, seed=213),
    )
    stems = {
        "vision.cls_token": first, "vision.pos_embedding_helper.pos_embed": places,
        "vision.rgbt_stem.proj.1.weight": kernel, "audio.cls_token": sound_first,
        "audio.pos_embedding_helper.pos_embed": sound_places,
        "audio.rgbt_stem.proj.weight": sound_kernel,
    }  # fmt: skip
    before, normed = norm("modality_trunks.vision.pre_transformer_layer.0", 64, 204)
    patch, patched = norm("modality_preprocessors.audio.rgbt_stem.norm_layer", NARROW, 214)
    after, last = norm("modality_heads.vision.0", 64, 205)
    sound_after, sound_last = norm("modality_heads.audio.0", NARROW, 215)
    out, sound_out = noise(10, 64, seed=206), noise(10, NARROW, seed=216)
    weights = {f"modality_preprocessors.{name}": values for name, values in stems.items()}
    weights |= before | patch | after | sound_after
    weights |= {"modality_heads.vision.2.weight": out, "modality_heads.audio.2.weight": sound_out}
    weights |= spelt(seen, "modality_trunks.vision.blocks", BOUND, "_") | {
        "modality_trunks.text.x": noise(2, seed=9)
    }
    weights |= spelt(heard, "modality_trunks.audio.blocks", BOUND, "_")
    saved(tmp_path / "imagebind", "imagebind_huge.pth", weights)
    scene = Scene(30)

    def see(begin: float) -> list[Tensor]:
        pair = (
            torch.from_numpy(scene.pictures([begin, begin + 2 - 1e-4])).permute(0, 3, 1, 2).float()
        )
        pair = functional.interpolate(pair, (224, 224 * WIDTH // HEIGHT), mode="bilinear")
        rest = pair.shape[3] - 224
        cuts = [
            coloured(pair[..., left : left + 224], CLIP_COLOURS)
            for left in (0, math.ceil(rest / 2), rest)
        ]
        found = []
        for cut in cuts:
            grid = cut.reshape(2, 3, 4, 56, 4, 56).permute(2, 4, 1, 0, 3, 5).reshape(16, -1)
            flow = torch.cat([first[0], grid @ kernel.flatten(1).T])[None] + places
            flow = through(normed(flow, 1e-6), seen)[:, 0]
            found.append(functional.normalize(last(flow, 1e-6) @ out.T, dim=-1))
        return found

    def hear(begin: int) -> Tensor:
        sound = scene.sound(0, 30, RATE)[:, begin * RATE : (begin + 2) * RATE]
        bands = np.pad((kaldi_fbank(sound[0] - sound.mean())), ((0, 0), (0, 6)))
        spectrogram = torch.from_numpy((bands + 4.268) / 9.138).float()
        grid = spectrogram.unfold(0, 16, 10).unfold(1, 16, 10).reshape(12 * 19, -1)
        flow = patched((grid @ sound_kernel.flatten(1).T)[None], 1e-5)
        flow = through(torch.cat([sound_first, flow], 1) + sound_places, heard)[:, 0]
        return functional.normalize(sound_last(flow, 1e-6) @ sound_out.T, dim=-1)

    sights = torch.cat([one for begin in (0, 7, 14, 21, 28) for one in see(begin)]).mean(0)
    sounds = torch.cat([hear(begin) for begin in (0, 14, 28)]).mean(0)
    found = measure(PLUG_INS["imagebind"], scene, tmp_path, "cpu")
    assert found.measurement.reason == ""
    assert found.intervals == pytest.approx(
        [functional.cosine_similarity(sights, sounds, dim=0).item()], abs=2e-6
    )


def allowed(times: int, places: int, *, over_time: bool) -> Tensor:
    """Return who may not look at whom: a token sees the first and its place (or time); that one
    sees all.
    """
    number = torch.arange(times * places)
    own = number % places if over_time else number // places
    closed = torch.ones(1 + len(own), 1 + len(own), dtype=torch.bool)
    closed[0], closed[:, 0], closed[1:, 1:] = False, False, own[:, None] != own[None, :]
    return closed


def test_synchrony_is_the_offset_that_synchformer_chooses(tmp_path: Path):  # noqa: C901 - a model written out
    pieces, places = 14, 16
    blocks = [
        {
            "attn": seeded(nn.MultiheadAttention(NARROW, HEADS, batch_first=True), 300 + number),
            "timeattn": seeded(
                nn.MultiheadAttention(NARROW, HEADS, batch_first=True), 310 + number
            ),
            "mlp": seeded(
                nn.Sequential(nn.Linear(NARROW, 96), nn.GELU(), nn.Linear(96, NARROW)), 320 + number
            ),
            **{
                f"norm{place}": seeded(nn.LayerNorm(NARROW, 1e-6), 330 + 10 * place + number)
                for place in (1, 2, 3)
            },
        }
        for number in range(2)
    ]
    kernel, bias = noise(NARROW, 3, 2, 56, 56, seed=340) / 30, noise(NARROW, seed=341)
    first, where, when = (
        noise(1, 1, NARROW, seed=342),
        noise(1, 1 + places, NARROW, seed=343),
        noise(1, 8, NARROW, seed=344),
    )
    after, normed = norm("vfeat_extractor.norm", NARROW, 345)
    (space_pool,), (band_pool,) = (
        layers(1, NARROW, HEADS, 1e-6, seed=346),
        layers(1, NARROW, HEADS, 1e-6, seed=347),
    )
    space_first, band_first = noise(1, 1, NARROW, seed=348), noise(1, 1, NARROW, seed=349)
    ast = layers(2, NARROW, HEADS, 1e-12, seed=350)
    sound_kernel, sound_bias = noise(NARROW, 1, 16, 16, seed=351) / 5, noise(NARROW, seed=352)
    two, sound_where = noise(2, 1, NARROW, seed=353), noise(1, 74, NARROW, seed=354)
    sound_after, sound_normed = norm("afeat_extractor.ast.layernorm", NARROW, 355)
    joint, width = layers(2, 64, 8, 1e-5, seed=360), 64
    bridges = {
        name: seeded(nn.Linear(NARROW, width), 365 + place)
        for place, name in enumerate(("vproj", "aproj"))
    }
    off, between, order = (
        noise(1, 1, width, seed=367),
        noise(1, 1, width, seed=368),
        noise(1, 198, width, seed=369),
    )
    seen_norm, see_norm = norm("transformer.vis_in_lnorm", width, 370)
    heard_norm, hear_norm = norm("transformer.aud_in_lnorm", width, 371)
    end_norm, ended = norm("transformer.ln_f", width, 372)
    head = seeded(nn.Linear(width, 21), 373)
    weights = after | sound_after | seen_norm | heard_norm | end_norm
    for number, block in enumerate(blocks):
        begin = f"vfeat_extractor.blocks.{number}."
        for name, key in (("attn", "attn"), ("timeattn", "timeattn")):
            own = block[key].state_dict()
            weights |= {
                f"{begin}{name}.qkv.weight": own["in_proj_weight"],
                f"{begin}{name}.qkv.bias": own["in_proj_bias"],
            }
            weights |= {
                f"{begin}{name}.proj.{kind}": own[f"out_proj.{kind}"] for kind in ("weight", "bias")
            }
        weights |= {
            f"{begin}norm{place}.{k}": v
            for place in (1, 2, 3)
            for k, v in block[f"norm{place}"].state_dict().items()
        }
        for place, name in ((0, "fc1"), (2, "fc2")):
            weights |= {
                f"{begin}mlp.{name}.{kind}": v
                for kind, v in block["mlp"][place].state_dict().items()
            }
    pool = {name: name for name in FUSED}
    weights |= {
        "vfeat_extractor.patch_embed_3d.proj.weight": kernel,
        "vfeat_extractor.patch_embed_3d.proj.bias": bias,
        "vfeat_extractor.cls_token": first, "vfeat_extractor.pos_embed": where,
        "vfeat_extractor.temp_embed": when,
        "vfeat_extractor.spatial_attn_agg.cls_token": space_first,
        **{f"vfeat_extractor.spatial_attn_agg.{k}": v for k, v in named(space_pool, pool,
                                                                        "_").items()},
        "afeat_extractor.freq_attn_agg.cls_token": band_first,
        **{f"afeat_extractor.freq_attn_agg.{k}": v for k, v in named(band_pool, pool, "_").items()},
        "afeat_extractor.ast.embeddings.cls_token": two[:1],
        "afeat_extractor.ast.embeddings.distillation_token": two[1:],
        "afeat_extractor.ast.embeddings.position_embeddings": sound_where,
        "afeat_extractor.ast.embeddings.patch_embeddings.projection.weight": sound_kernel,
        "afeat_extractor.ast.embeddings.patch_embeddings.projection.bias": sound_bias,
        **spelt(ast, "afeat_extractor.ast.encoder.layer", AST), **spelt(joint, "transformer.blocks",
                                                                        JOINT),
        **{f"{name}.{k}": v for name, bridge in bridges.items() for k,
           v in bridge.state_dict().items()},
        "transformer.OFF_tok": off, "transformer.MOD_tok": between,
        "transformer.pos_emb_cfg.pos_emb": order,
        **{f"transformer.off_head.{k}": v for k, v in head.state_dict().items()},
    }  # fmt: skip
    folder = tmp_path / "synchformer"
    saved(
        folder,
        "24-01-04T16-39-21.pt",
        {"args": Settings(), "epoch": 3, "model": OrderedDict(weights)},
    )
    (folder / "cfg-24-01-04T16-39-21.yaml").write_text(
        "data:\n  crop_len_sec: 5\n  max_off_sec: 2\n  num_off_cls: 21\n  n_segments: 14\n  "
        "step_size_seg: 0.5\n"
        "  segment_size_vframes: 16\nmodel:\n  n_embd: ${data.x}\n"
    )
    time_mask, space_mask = allowed(8, places, over_time=True), allowed(8, places, over_time=False)

    def pooled(flow: Tensor, layer: nn.Module, token: Tensor) -> Tensor:
        return layer(torch.cat([token.expand(len(flow), -1, -1), flow], 1))[:, 0]

    def see(pictures: Tensor) -> Tensor:
        grid = (
            pictures.reshape(8, 2, 3, 4, 56, 4, 56)
            .permute(0, 3, 5, 2, 1, 4, 6)
            .reshape(8 * places, -1)
        )
        flow = (
            (grid @ kernel.flatten(1).T + bias).reshape(1, 8, places, -1)
            + where[:, None, 1:]
            + when[:, :, None]
        )
        flow = torch.cat([first + where[:, :1], flow.reshape(1, 8 * places, -1)], 1)
        for block in blocks:
            own = block["norm3"](flow)
            flow = flow + block["timeattn"](own, own, own, attn_mask=time_mask)[0]
            own = block["norm1"](flow)
            flow = flow + block["attn"](own, own, own, attn_mask=space_mask)[0]
            flow = flow + block["mlp"](block["norm2"](flow))
        return pooled(normed(flow[:, 1:], 1e-6).reshape(8, places, -1), space_pool, space_first)

    def hear(sound: np.ndarray) -> Tensor:
        bands = np.pad(log_mel(sound), ((0, 0), (0, 1)))
        grid = (
            torch.from_numpy((bands + 4.2677393) / (2 * 4.5689974))
            .float()
            .unfold(0, 16, 10)
            .unfold(1, 16, 10)
        )
        flow = grid.reshape(72, -1) @ sound_kernel.flatten(1).T + sound_bias
        flow = through(torch.cat([two.transpose(0, 1), flow[None]], 1) + sound_where, ast)
        return pooled(
            sound_normed(flow, 1e-12)[:, 2:].reshape(12, 6, -1).transpose(0, 1),
            band_pool,
            band_first,
        )

    def offset(scene: Scene, begin: float) -> float:
        pictures = scene.pictures([begin + (n + 0.5) / 25 - 1e-4 for n in range(120)])
        small = torch.from_numpy(pictures).permute(0, 3, 1, 2).float()
        small = functional.interpolate(
            small, (256, 256 * WIDTH // HEIGHT), mode="bicubic", antialias=True
        )
        left = round((small.shape[3] - 224) / 2)
        small = small[:, :, 16:240, left : left + 224].round().clamp(0, 255)
        small = ((small.half() / 255 - 0.5) / 0.5).float()[[min(n, 119) for n in range(125)]]
        sound = np.pad(scene.sound(begin, begin + 4.8, RATE).mean(0), (0, 5 * RATE))
        begins = [
            2 + 8 * number for number in range(pieces)
        ]  # 120 of the 125 pictures, from their middle
        sights = torch.cat([see(small[at : at + 16]) for at in begins])
        sounds = torch.cat([hear(sound[at * 640 : at * 640 + 10_240]) for at in begins])
        parts = [
            off[0],
            see_norm(bridges["vproj"](sights), 1e-5),
            between[0],
            hear_norm(bridges["aproj"](sounds), 1e-5),
        ]
        flow = through(torch.cat(parts)[None] + order, joint)
        return abs(-2 + 0.2 * int(head(ended(flow[:, 0], 1e-5)).argmax()))

    scene = Scene(30)
    with torch.no_grad():
        expected = (offset(scene, 0) + offset(scene, 25.2)) / 2
    found = measure(PLUG_INS["synchformer"], scene, tmp_path, "cpu")
    assert found.measurement.reason == ""
    assert found.intervals == pytest.approx([expected], abs=1e-6)
