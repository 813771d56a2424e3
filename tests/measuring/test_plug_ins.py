"""Plug-ins without PyTorch: unavailable without weights, and what they ask of a rollout.

The models themselves are tested under ``tests/weights``, by ``make test-weights``.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from fartbench.protocol.rollouts.metrics import read_table
from measuring.errors import WeightsUnreadable
from measuring.plug_ins import alignment, synchrony
from measuring.plug_ins.consistency import clips, consistency, fused, similarity
from measuring.plug_ins.port import (
    Evaluate,
    PlugIn,
    intervals,
    measure,
    readiness,
    sampled,
    stretches,
)
from measuring.plug_ins.quantiles import BACKGROUND, SUBJECT
from measuring.plug_ins.reading import RolloutFile
from measuring.plug_ins.registry import PLUG_INS
from measuring.plug_ins.squares import bicubic, square
from scoring.metrics.cases import Evidence, case_value

TABLE = read_table(Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0")


class FakeMedia:
    """A rollout whose pictures are as bright as their second, with as many seconds as asked."""

    def __init__(self, seconds: float = 60.0) -> None:
        self.seconds, self.asked = seconds, []

    def pictures(self, times_s: Sequence[float]) -> np.ndarray:
        self.asked += times_s
        return np.stack([np.full((2, 3, 3), at, np.uint8) for at in times_s])

    def sound(self, begin_s: float, end_s: float, rate: int) -> np.ndarray:
        return np.full((2, round((end_s - begin_s) * rate)), begin_s, np.float32)


def plug_in(load: Callable[[Path, str], Evaluate], *, scope: str = "interval") -> PlugIn:
    return PlugIn(
        "own", "VA", "points", ("weights", ("this", "that")), scope, "", "", load, packages=()
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "weights").write_bytes(b"1")
    (tmp_path / "own" / "that").write_bytes(b"2")
    return tmp_path


def test_a_plug_in_gives_its_intervals_and_the_drift_from_them(folder: Path):
    loaded = []

    def load(folder: Path, device: str) -> Evaluate:
        loaded.append((folder, device))
        return lambda media: [begin / 10 for begin, _ in intervals(media)]

    own, seen = plug_in(load), []
    found = measure(own, FakeMedia(), folder, "cpu", seen.append)
    assert measure(own, FakeMedia(), folder, "cpu") == found
    assert loaded == [(folder / "own", "cpu")]
    assert found.intervals == (0, 3)
    assert found.measurement.value == 1.5
    evidence = Evidence("c", "progressive", intervals={"VA": found.intervals})
    assert case_value(TABLE, TABLE.metric("VA-D"), evidence).value == 3


def test_how_far_a_rollout_was_looked_at_is_told_as_a_share_that_grows(folder: Path):
    def load(_folder: Path, _device: str) -> Evaluate:
        def evaluate(media) -> list[float]:
            for at in (0, 15, 30, 15):
                media.pictures([at, at + 1])
            media.sound(45, 46, 8)
            return [1.0]

        return evaluate

    seen = []
    measure(plug_in(load), FakeMedia(), folder, "cpu", seen.append)
    assert seen == [0.25, 0.5, 0.75]


def test_the_measurement_names_the_very_weights_it_was_made_with(folder: Path):
    own = plug_in(lambda _folder, _device: lambda _media: [1.0])
    first = measure(own, FakeMedia(), folder, "cpu").measurement.version
    (folder / "own" / "that").write_bytes(b"other")
    other = measure(own, FakeMedia(), folder, "cpu").measurement.version
    assert first.startswith("1+")
    assert first != other


def test_every_plug_in_without_weights_is_unavailable_and_says_what_is_missing(tmp_path: Path):
    named = {metric.plug_in: metric.code for metric in TABLE.metrics if metric.plug_in}
    assert {key: one.metric for key, one in PLUG_INS.items()} == named
    lines = readiness(PLUG_INS.values(), tmp_path, "auto")
    for (key, one), line in zip(PLUG_INS.items(), lines, strict=True):
        found = measure(one, FakeMedia(), tmp_path)
        assert (found.measurement.value, found.measurement.status, found.intervals) == (
            None,
            "unavailable",
            (),
        )
        assert found.measurement.reason.startswith("no weights: ")
        assert f"{key}/{one.files[0]}" in found.measurement.reason
        assert line.startswith(f"{one.metric:8} {key}: unavailable, without {key}/{one.files[0]}")
    assert (
        "ensemble_lora/adapter_model.safetensors or background_consistency/ensemble_lora"
        in lines[-1]
    )
    assert readiness(PLUG_INS.values(), None, "auto") == [
        "No folder of weights is set, so the metrics that take a model are unavailable."
    ]


def test_of_files_with_several_names_one_is_enough(folder: Path):
    own = plug_in(lambda _folder, _device: lambda _media: [1.0])
    assert own.missing(folder) == []
    assert readiness([own], folder, "cuda") == ["VA       own: ready, on the device 'cuda'"]
    (folder / "own" / "that").unlink()
    assert own.missing(folder) == ["own/this or own/that"]


@pytest.mark.parametrize(
    "fault", [RuntimeError("out of memory"), WeightsUnreadable("w is no checkpoint.")]
)
def test_a_model_that_fails_is_an_evaluators_failure_and_no_value(folder: Path, fault: Exception):
    def load(_folder: Path, _device: str) -> Evaluate:
        raise fault

    found = measure(plug_in(load), FakeMedia(), folder).measurement
    assert (found.status, found.value) == ("evaluator_failure", None)
    assert found.reason in {"RuntimeError: out of memory", "w is no checkpoint."}


def test_what_is_no_number_is_a_failure_and_a_rollout_too_short_has_no_interval(folder: Path):
    own = plug_in(lambda _folder, _device: lambda media: [math.nan for _ in intervals(media)])
    assert measure(own, FakeMedia(), folder).measurement.status == "evaluator_failure"
    short = measure(own, FakeMedia(29), folder).measurement
    assert (short.status, short.reason) == (
        "unavailable",
        "the rollout's 29.0 s hold no whole interval of 30 s",
    )


def test_clips_are_of_four_pictures_and_a_short_last_one_is_filled():
    assert [list(part) for part in clips(8)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [list(part) for part in clips(10)][-1] == [6, 7, 8, 9]
    assert clips(3) == [range(3)]


def test_consistency_compares_with_the_first_and_the_one_before():
    angles = np.radians([0, 30, 60, 120])
    turning = np.stack([np.cos(angles), np.sin(angles)], 1).astype(np.float32)
    by_hand = np.mean(
        [math.cos(np.radians(30)), (0.5 + math.cos(np.radians(30))) / 2, (0 + 0.5) / 2]
    )
    assert similarity(turning) == pytest.approx(by_hand, abs=1e-6)


def test_a_rollout_is_looked_at_piece_by_piece_and_joined_as_if_at_once():
    def turning(pictures: np.ndarray) -> np.ndarray:
        angle = pictures[:, 0, 0, 0] / 300
        return np.stack([np.cos(angle), np.sin(angle)], 1).astype(np.float32)

    media = FakeMedia(45)  # 90 pictures: 22 clips, and one that is filled
    found = consistency(media, within=turning, across=turning, quantiles=SUBJECT)
    every = turning(FakeMedia().pictures([n / 2 + 0.2499 for n in range(90)]))
    parts = [list(range(at, at + 4)) for at in range(0, 88, 4)] + [[86, 87, 88, 89]]
    within = np.mean([similarity(every[part]) for part in parts])
    assert found == pytest.approx(
        fused(within, similarity(every[[part[0] for part in parts]]), SUBJECT)
    )
    assert media.asked == pytest.approx([n / 2 + 0.2499 for n in range(90)])
    alone = consistency(FakeMedia(2), within=turning, across=turning, quantiles=SUBJECT)
    assert alone == pytest.approx(
        similarity(turning(FakeMedia().pictures([0.2499, 0.7499, 1.2499, 1.7499])))
    )


def test_similarity_across_clips_is_put_on_the_scale_of_that_within_by_vbench_longs_quantiles():
    assert [len(SUBJECT), len(BACKGROUND)] == [101, 101]
    assert fused(0.9, 0.5, SUBJECT) == pytest.approx((0.9 + 0.932674917380015) / 2)
    halfway = (0.932674917380015 + 0.933938855974875) / 2
    assert fused(0.9, 0.505, SUBJECT) == pytest.approx((0.9 + halfway) / 2)
    assert fused(0.9, 0.8, BACKGROUND) == pytest.approx((0.9 + 0.964157551579041) / 2)
    assert fused(0.9, 0.0, SUBJECT) == 0.9


def test_pictures_are_taken_as_ffmpegs_fps_filter_takes_them():
    media = FakeMedia()
    sampled(media, 30, 31, 2.0)
    assert media.asked == pytest.approx([30.2499, 30.7499])
    assert stretches(30, 60) == [(30, 35), (35, 40), (40, 45), (45, 50), (50, 55), (55, 60)]


def test_what_imagebind_sees_and_hears_has_the_shape_and_places_of_its_own_loader():
    assert alignment.starts(30, 60, 5) == [30, 37, 44, 51, 58]
    assert alignment.ends(0, 30)[:4] == pytest.approx([0, 1.9999, 7, 8.9999])
    assert [alignment.short(size) for size in ((90, 160), (160, 90), (50, 50))] == [
        (224, 398),
        (398, 224),
        (224, 224),
    ]
    assert alignment.corners((224, 398)) == [(0, 0), (0, 87), (0, 174)]
    sound = np.random.default_rng(0).normal(0, 0.1, (2, 30 * 16_000)).astype(np.float32)
    found = alignment.spectrograms_of(sound)
    assert found.shape == (3, 128, 204)
    assert found[:, :, 198:] == pytest.approx(4.268 / 9.138)
    sound[0, 14 * 16_000 : 16 * 16_000] *= 2
    other = alignment.spectrograms_of(sound)
    assert np.abs(other - found).max(axis=(1, 2)) == pytest.approx(
        [0, math.log(4) / 9.138, 0], abs=0.01
    )


def test_synchformers_pieces_lie_in_the_middle_of_what_its_settings_crop(tmp_path: Path):
    assert synchrony.Settings().starts() == list(range(2, 107, 8))
    path = tmp_path / "cfg.yaml"
    path.write_text("data:\n  crop_len_sec: 4.8\n  n_segments: 14\n  vids_path: x\n")
    assert synchrony.read_settings(path).starts() == list(range(0, 105, 8))
    for wrong in (
        "data: 3",
        "data: {n_segments: many}",
        "data: {n_segments: 40}",
        "data: {n_segments: 40, crop_len_sec: 20}",
        "[",
    ):
        path.write_text(wrong)
        with pytest.raises(WeightsUnreadable, match=str(path)):
            synchrony.read_settings(path)
    spectrograms = synchrony.spectrograms_of(np.zeros(76_800, np.float32), synchrony.Settings())
    assert spectrograms.shape == (14, 128, 66)
    assert spectrograms[:, :, :65] == pytest.approx((math.log(1e-6) + 4.2677393) / 9.1379948)


def test_a_square_is_cut_from_the_middle_of_the_scaled_picture():
    flat = np.full((30, 50, 3), 128, np.uint8)
    assert square(flat, 12).tolist() == np.full((12, 12, 3), 128).tolist()
    halves = np.zeros((24, 48, 3), np.uint8)
    halves[:, 24:] = 255
    found = square(halves, 12)
    assert found[:, :3].max() <= 1
    assert found[:, -3:].min() >= 254
    assert bicubic(8, 8) == pytest.approx(np.eye(8), abs=1e-6)
    assert bicubic(9, 4).sum(1) == pytest.approx(np.ones(4))


def test_a_rollouts_file_gives_the_pictures_and_the_sound_of_a_stretch(rollouts):
    path, _ = rollouts["broken"]
    media = RolloutFile(path)
    assert media.seconds == pytest.approx(38, abs=0.05)
    assert intervals(media) == [(0, 30)]
    pictures = media.pictures([6 + n / 8 for n in range(8)])
    assert pictures.shape == (8, 90, 160, 3)
    dark = [picture.mean() < 5 for picture in pictures]
    assert dark == [False, True, True, True, True, False, False, False]
    silence = media.sound(11.03, 11.22, 16_000)
    assert silence.shape[1] == round(0.19 * 16_000)
    assert np.abs(silence).max() < 0.01 < np.abs(media.sound(9, 10, 16_000)).max()
    assert replace(PLUG_INS["audiobox"], packages=()).missing(path.parent) == [
        "audiobox/checkpoint.pt"
    ]
