"""Plug-ins: unavailable without weights; with tiny random ones of the published shape, what plain arithmetic gives."""

import json
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from django.conf import settings

from fartbench.scenarios.metrics import read_table
from scoring.measurements.cases import Evidence, case_value
from scoring.measurements.plug_ins import aesthetics
from scoring.measurements.plug_ins.consistency import BACKGROUND, SUBJECT, clips, consistency, similarity, unit
from scoring.measurements.plug_ins.port import Plugged, available, intervals, measure
from scoring.measurements.plug_ins.reading import RolloutFile
from scoring.measurements.plug_ins.registry import PLUG_INS
from scoring.measurements.plug_ins.tensors import WeightsUnreadable, read_tensors
from scoring.measurements.plug_ins.torch_models import linear, scaled, sound_clips, starts, video_clips
from scoring.measurements.plug_ins.vision import ClipVision, bicubic, prepared

TABLE = read_table(Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0")
WIDTH, HEAD, PATCH, ROWS, DEPTH, OUT = 8, 4, 4, 3, 2, 6


def tower(seed: int = 0) -> dict[str, np.ndarray]:
    """Random weights with the names of the published checkpoint and the shapes of a tiny tower."""
    random = np.random.default_rng(seed)
    shapes = {
        "vision_model.embeddings.class_embedding": (WIDTH,),
        "vision_model.embeddings.patch_embedding.weight": (WIDTH, 3, PATCH, PATCH),
        "vision_model.embeddings.position_embedding.weight": (ROWS * ROWS + 1, WIDTH),
        "visual_projection.weight": (OUT, WIDTH),
    }
    norms, layers = ["pre_layrnorm", "post_layernorm"], {}
    for layer in range(DEPTH):
        name = f"encoder.layers.{layer}."
        norms += [name + "layer_norm1", name + "layer_norm2"]
        for part in ("q_proj", "k_proj", "v_proj", "out_proj"):
            layers[f"{name}self_attn.{part}"] = (WIDTH, WIDTH)
        layers |= {f"{name}mlp.fc1": (4 * WIDTH, WIDTH), f"{name}mlp.fc2": (WIDTH, 4 * WIDTH)}
    for name, shape in layers.items():
        shapes |= {f"vision_model.{name}.weight": shape, f"vision_model.{name}.bias": shape[:1]}
    for name in norms:
        shapes |= {f"vision_model.{name}.weight": (WIDTH,), f"vision_model.{name}.bias": (WIDTH,)}
    return {name: random.normal(0, 0.5, shape).astype(np.float32) for name, shape in shapes.items()}


def write_tensors(path: Path, tensors: dict[str, np.ndarray]) -> None:
    header, data = {}, b""
    for name, tensor in tensors.items():
        kind = {"float32": "F32", "float16": "F16", "int64": "I64"}[str(tensor.dtype)]
        header[name] = {
            "dtype": kind,
            "shape": list(tensor.shape),
            "data_offsets": [len(data), len(data) + tensor.nbytes],
        }
        data += tensor.tobytes()
    head = json.dumps(header | {"__metadata__": {"format": "pt"}}).encode()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(len(head).to_bytes(8, "little") + head + data)


def plainly(  # noqa: C901 - the formula, written out
    weights: dict[str, np.ndarray], picture: np.ndarray
) -> np.ndarray:
    """The tower written out number by number in double precision, to check the quick one against."""
    w = {name.removeprefix("vision_model."): tensor.astype(float) for name, tensor in weights.items()}

    def norm(name, rows):
        return [
            [(x - sum(r) / WIDTH) / math.sqrt(sum((y - sum(r) / WIDTH) ** 2 for y in r) / WIDTH + 1e-5) * g + b
             for x, g, b in zip(r, w[name + ".weight"], w[name + ".bias"], strict=True)] for r in rows
        ]  # fmt: skip

    def dense(name, row):
        return [
            sum(a * b for a, b in zip(line, row, strict=True)) + c
            for line, c in zip(w[name + ".weight"], w[name + ".bias"], strict=True)
        ]

    rows = [list(w["embeddings.class_embedding"])]
    for y in range(ROWS):
        for x in range(ROWS):
            piece = picture[:, y * PATCH : (y + 1) * PATCH, x * PATCH : (x + 1) * PATCH].astype(float)
            rows.append([float((kernel * piece).sum()) for kernel in w["embeddings.patch_embedding.weight"]])
    rows = [
        [a + b for a, b in zip(r, p, strict=True)]
        for r, p in zip(rows, w["embeddings.position_embedding.weight"], strict=True)
    ]
    rows = norm("pre_layrnorm", rows)
    for layer in range(DEPTH):
        name = f"encoder.layers.{layer}."
        flow = norm(name + "layer_norm1", rows)
        q, k, v = ([dense(f"{name}self_attn.{p}_proj", r) for r in flow] for p in "qkv")
        seen = []
        for i in range(len(rows)):
            out = []
            for h in range(0, WIDTH, HEAD):
                raw = [
                    math.exp(sum(q[i][h + d] * k[j][h + d] for d in range(HEAD)) / math.sqrt(HEAD))
                    for j in range(len(rows))
                ]
                out += [sum(a * v[j][h + d] for j, a in enumerate(raw)) / sum(raw) for d in range(HEAD)]
            seen.append(dense(f"{name}self_attn.out_proj", out))
        rows = [[a + b for a, b in zip(r, s, strict=True)] for r, s in zip(rows, seen, strict=True)]
        for i, r in enumerate(norm(name + "layer_norm2", rows)):
            hidden = [x / (1 + math.exp(-1.702 * x)) for x in dense(name + "mlp.fc1", r)]
            rows[i] = [a + b for a, b in zip(rows[i], dense(name + "mlp.fc2", hidden), strict=True)]
    found = weights["visual_projection.weight"].astype(float) @ norm("post_layernorm", rows[:1])[0]
    return found / np.linalg.norm(found)


def vision(weights: dict[str, np.ndarray]) -> ClipVision:
    inner = {n.removeprefix("vision_model."): t for n, t in weights.items() if n.startswith("vision_model.")}
    return ClipVision(inner, weights["visual_projection.weight"], head=HEAD)


def test_the_tower_gives_what_its_formula_gives_number_by_number():
    weights = tower()
    quick = vision(weights)
    pictures = np.random.default_rng(1).integers(0, 256, (2, 18, 30, 3), np.uint8)
    found = quick.embed(pictures)
    assert (quick.side, quick.patch, found.shape) == (ROWS * PATCH, PATCH, (2, OUT))
    for embedding, picture in zip(found, pictures, strict=True):
        assert embedding == pytest.approx(plainly(weights, prepared(picture, quick.side)), abs=2e-5)


def test_pictures_are_resized_by_the_short_side_and_cut_to_the_middle():
    flat = np.full((30, 50, 3), 128, np.uint8)
    found = prepared(flat, 12)
    assert found.shape == (3, 12, 12)
    assert found[:, 5, 5] == pytest.approx(
        (128 / 255 - np.array([0.48145466, 0.4578275, 0.40821073])) / [0.26862954, 0.26130258, 0.27577711], rel=1e-4
    )
    assert bicubic(8, 8) == pytest.approx(np.eye(8), abs=1e-6)
    assert bicubic(9, 4).sum(1) == pytest.approx(np.ones(4))


class FakeMedia:
    """A rollout of noise, with as many seconds as asked."""

    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds, self.asked = seconds, []

    def pictures(self, begin_s: float, end_s: float, per_s: float) -> np.ndarray:
        self.asked.append((begin_s, end_s, per_s))
        count = max(1, round((end_s - begin_s) * per_s))
        return np.random.default_rng(round(begin_s * 100)).integers(0, 256, (count, 20, 32, 3), np.uint8)

    def sound(self, begin_s: float, end_s: float, rate: int) -> np.ndarray:
        return np.full(round((end_s - begin_s) * rate), begin_s, np.float32)


@pytest.fixture
def weights_folder(tmp_path: Path) -> Path:
    write_tensors(tmp_path / "clip_aesthetics" / aesthetics.CLIP, tower() | {"logit_scale": np.float32([4.6])})
    head = {"weight": np.float32([[1, -1, 2, 0, 1, 3]]), "bias": np.float32([5])}
    write_tensors(tmp_path / "clip_aesthetics" / aesthetics.LINEAR, head)
    return tmp_path


TINY = replace(aesthetics.PLUG_IN, load=lambda folder: aesthetics.load(folder, head=HEAD))


def test_aesthetics_are_the_heads_mean_over_two_pictures_a_second_of_each_interval(weights_folder: Path):
    media = FakeMedia()
    found = measure(TINY, media, weights_folder)
    assert media.asked == [(0, 30, 2.0), (30, 60, 2.0)]
    expected = [
        np.mean(vision(tower()).embed(FakeMedia().pictures(begin, begin + 30, 2.0)) @ [1, -1, 2, 0, 1, 3] + 5) / 10
        for begin in (0.0, 30.0)
    ]
    assert found.intervals == pytest.approx(expected)
    assert found.measurement.value == pytest.approx(np.mean(expected))
    evidence = Evidence("c", "progressive", intervals={"VA": found.intervals})
    drift = case_value(TABLE, TABLE.metric("VA-D"), evidence)
    assert drift.value == pytest.approx(abs(expected[1] - expected[0]), abs=1e-6)


def test_the_measurement_names_the_very_weights_it_was_made_with(weights_folder: Path):
    first = measure(TINY, FakeMedia(30), weights_folder).measurement.version
    write_tensors(
        weights_folder / "clip_aesthetics" / aesthetics.LINEAR,
        {"weight": np.ones((1, OUT), np.float32), "bias": np.float32([0])},
    )
    other = measure(replace(TINY), FakeMedia(30), weights_folder).measurement.version
    assert first.startswith("1+")
    assert first != other


def test_every_plug_in_without_weights_is_unavailable_and_says_what_is_missing(tmp_path: Path):
    named = {metric.plug_in: metric.code for metric in TABLE.metrics if metric.plug_in}
    assert {key: one.metric for key, one in PLUG_INS.items()} == named
    for key, plug_in in PLUG_INS.items():
        found = measure(plug_in, FakeMedia(), tmp_path)
        assert (found.measurement.value, found.measurement.status, found.intervals) == (None, "unavailable", ())
        assert found.measurement.reason.startswith("no weights: ")
        assert f"{key}/{plug_in.files[0]}" in found.measurement.reason
    assert all(available(tuple(PLUG_INS.values()), tmp_path).values())


def test_a_model_that_fails_is_an_evaluators_failure_and_no_value(weights_folder: Path):
    def load(folder: Path):
        raise RuntimeError("out of memory")

    found: Plugged = measure(replace(TINY, load=load), FakeMedia(), weights_folder)
    assert (found.measurement.status, found.measurement.value) == ("evaluator_failure", None)
    assert found.measurement.reason == "RuntimeError: out of memory"


def test_a_file_that_is_no_weights_is_refused_by_name(tmp_path: Path):
    for content in (b"", b"x" * 20, (5).to_bytes(8, "little") + b"{}"):
        (tmp_path / "w").write_bytes(content)
        with pytest.raises(WeightsUnreadable, match="is no safetensors file"):
            read_tensors(tmp_path / "w")


def test_half_precision_is_read_and_what_is_not_a_weight_is_left_out(tmp_path: Path):
    write_tensors(tmp_path / "w", {"a.x": np.float16([1.5, 2]), "a.n": np.array([3]), "b.x": np.float32([9])})
    found = read_tensors(tmp_path / "w", prefix="a.")
    assert {name: tensor.tolist() for name, tensor in found.items()} == {"x": [1.5, 2.0]}


def test_clips_of_two_seconds_and_a_short_last_one_is_filled_from_before():
    assert [list(part) for part in clips(8)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [list(part) for part in clips(10)][-1] == [6, 7, 8, 9]
    assert clips(3) == [range(3)]


def test_consistency_compares_with_the_first_and_the_one_before_and_joins_both_parts():
    angles = np.radians([0, 30, 60, 120])
    turning = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    by_hand = np.mean([math.cos(np.radians(30)), (0.5 + math.cos(np.radians(30))) / 2, (0 + 0.5) / 2])
    assert similarity(turning) == pytest.approx(by_hand, abs=1e-6)
    assert similarity(unit(np.ones((3, 5)))) == pytest.approx(1)
    pictures = np.zeros((8, 2, 2, 3), np.uint8)
    same = consistency(
        pictures,
        within=lambda p: unit(np.ones((len(p), 3))),
        across=lambda p: unit(np.ones((len(p), 3))),
        fusion=SUBJECT,
    )
    mapped = (1 - 0.782773956831079) / 0.024658268466961904 * 0.004580085658914342 + 0.9206531487463249
    assert same == pytest.approx(0.7 + 0.3 * mapped)
    assert BACKGROUND.join(0.9461633887475777, 0.8817304710164493) == pytest.approx(0.9461633887475777)


def test_what_imagebind_sees_and_hears_has_the_shape_and_places_of_its_own_loader():
    assert starts(30, 60, 5) == [30, 37, 44, 51, 58]
    media = FakeMedia()
    assert video_clips(media, 0, 30).shape == (15, 3, 2, 224, 224)
    assert [round(float(piece[0]), 3) for piece in sound_clips(media, 30, 60)] == [30, 44, 58]
    assert linear(4, 4) == pytest.approx(np.eye(4))
    assert scaled(np.full((1, 10, 20, 3), 255, np.uint8), 5).shape == (1, 5, 10, 3)


def test_audiobox_is_asked_for_the_whole_interval_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """With a stand-in for its package: no weights are at hand, so only the call is tested, not the model."""
    heard = []

    class Tensor(np.ndarray):
        def to(self, _device):
            return self

    class Context:
        def __enter__(self):
            return self

        def __exit__(self, *_):
            return False

    torch, package, infer = (
        ModuleType("torch"),
        ModuleType("audiobox_aesthetics"),
        ModuleType("audiobox_aesthetics.infer"),
    )
    torch.from_numpy = lambda array: array.view(Tensor)
    torch.ones_like = np.ones_like
    torch.bool, torch.inference_mode = bool, Context

    def model(batch):
        heard.append((batch["wav"].shape, batch["mask"].all()))
        return {"PQ": np.float32(batch["wav"].mean())}

    axis = SimpleNamespace(inverse=lambda value: value * 2 + 1)
    infer.initialize_predictor = lambda ckpt: SimpleNamespace(
        model=model, device="cpu", target_transform={"PQ": axis}, ckpt=ckpt
    )
    for name, module in (("torch", torch), ("audiobox_aesthetics", package), ("audiobox_aesthetics.infer", infer)):
        module.__spec__ = SimpleNamespace(name=name)
        monkeypatch.setitem(sys.modules, name, module)
    (tmp_path / "audiobox").mkdir()
    (tmp_path / "audiobox" / "checkpoint.pt").write_bytes(b"weights")
    found = measure(PLUG_INS["audiobox"], FakeMedia(), tmp_path)
    assert heard == [((1, 1, 480_000), True)] * 2
    assert found.intervals == pytest.approx((1, 61))


def test_a_rollouts_file_gives_the_pictures_and_the_sound_of_a_stretch(rollouts):
    path, _ = rollouts["broken"]
    media = RolloutFile(path)
    assert media.seconds == pytest.approx(38, abs=0.05)
    assert intervals(media) == [(0, 30)]
    pictures = media.pictures(6.0, 7.0, 8.0)
    assert pictures.shape == (8, 90, 160, 3)
    dark = [picture.mean() < 5 for picture in pictures]
    assert dark == [False, True, True, True, True, False, False, False]
    silence = media.sound(11.03, 11.22, 16_000)
    assert silence.shape == (round(0.19 * 16_000),)
    assert np.abs(silence).max() < 0.01 < np.abs(media.sound(9, 10, 16_000)).max()
