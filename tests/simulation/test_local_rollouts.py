"""A rollout's file, decoded without the renderer's help, holds what its ground truth says."""

from pathlib import Path

import av
import numpy as np
import pytest

from fartbench.media.ffmpeg import ffmpeg_binary
from generation.prompts.timed import TimedPrompt
from generation.providers.order import Order, RequestRefused
from generation.providers.registry import REMOTE_KEYS, provider
from simulation.local.errors import TakeImpossible
from simulation.local.rollouts import Defect, DefectKind, RolloutPlan, render_rollout
from simulation.local.rollouts.scenery import DISCS, TONES
from simulation.local.rollouts.systems import SYSTEMS, draw_plan, system
from tests.drawn_rollouts import BROKEN, CLEAN


def frames(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="yuv420p") for frame in container.decode(video=0)]


def luma(path: Path) -> np.ndarray:
    return np.stack([frame[:90] for frame in frames(path)]).astype(float)


def sound(path: Path) -> tuple[np.ndarray, int]:
    with av.open(str(path)) as container:
        return (
            np.concatenate([f.to_ndarray().mean(0) for f in container.decode(audio=0)]),
            container.streams.audio[0].rate,
        )


def test_defects_lie_where_the_truth_says(rollouts):
    path, truth = rollouts["broken"]
    pictures = luma(path)
    assert len(pictures) == truth.frames == 912
    spans = {kind: span for kind, _, span in truth.defects}
    black = np.flatnonzero(pictures.mean((1, 2)) < 20) / 24
    assert (black.min(), black.max() + 1 / 24) == pytest.approx(spans["black"])
    white = np.flatnonzero(pictures.mean((1, 2)) > 220) / 24
    assert list(white) == pytest.approx([spans["flash"][0], spans["flash"][0] + 1 / 8])
    still = np.flatnonzero(np.abs(np.diff(pictures, axis=0)).mean((1, 2)) < 0.6) / 24
    start, stop = spans["frozen"]
    held = np.arange(start, stop - 1.5 / 24, 1 / 24)
    assert [at for at in still if held[0] - 0.01 <= at <= held[-1] + 0.01] == pytest.approx(held)


def test_updates_are_followed_late_never_or_forgotten_as_the_truth_says(rollouts):
    path, truth = rollouts["broken"]
    pictures = frames(path)
    wave, rate = sound(path)
    assert truth.responses == (
        (1, "followed", 8.0, None), (2, "late", 32.0, None), (3, "ignored", None, None), (4,
                                                                                          "forgotten", 20.0, 32.0),
    )  # fmt: skip

    def disc(step: int, at_s: float) -> bool:
        planes = pictures[round(at_s * 24)]
        x = round(160 * (0.12 + 0.19 * (step - 1)))
        flat = planes.ravel().astype(float)
        blue, red = flat[14400:].reshape(2, 45, 80)
        colour = (planes[27, x], blue[13, x // 2], red[13, x // 2])
        return bool(np.abs(np.array(colour, float) - DISCS[step - 1]).max() < 14)

    def tone(step: int, at_s: float) -> float:
        piece = wave[round(at_s * rate) : round((at_s + 0.5) * rate)]
        return 2 * abs(
            np.mean(piece * np.exp(-2j * np.pi * TONES[step - 1] * np.arange(len(piece)) / rate))
        )

    assert [disc(1, at) for at in (7.5, 8.5, 20, 36)] == [False, True, True, True]
    assert [disc(2, at) for at in (13, 31, 33)] == [False, False, True]
    assert not any(disc(3, at) for at in (13, 20, 33))
    assert [tone(4, at) > 0.1 for at in (19, 21, 31, 33)] == [False, True, True, False]
    assert [tone(1, at) > 0.1 for at in (7, 9)] == [False, True]
    assert tone(3, 33) < 0.03


def test_contrast_drifts_away_and_the_dropout_is_silent(rollouts):
    (clean, _), (broken, truth) = rollouts["clean"], rollouts["broken"]
    fair, poor = (luma(path)[:, 50:] for path in (clean, broken))  # below the discs
    assert poor[24].std() == pytest.approx(fair[24].std(), rel=0.06)
    assert poor[-24].std() == pytest.approx(fair[-24].std() * (1 - truth.drift), rel=0.15)
    wave, rate = sound(broken)
    ((start, stop),) = truth.dropouts
    assert np.abs(wave[round((start + 0.03) * rate) : round((stop - 0.03) * rate)]).max() < 1e-3


def test_equal_plans_give_equal_bytes_and_other_seeds_do_not(tmp_path: Path):
    plans = [RolloutPlan(seconds=2, width=64, height=36, seed=seed) for seed in (1, 1, 2)]
    files = [tmp_path / f"{number}.mp4" for number in range(3)]
    for plan, file in zip(plans, files, strict=True):
        render_rollout(plan, file, ffmpeg=ffmpeg_binary())
    first, second, third = (file.read_bytes() for file in files)
    assert first == second != third
    assert [path.name for path in tmp_path.iterdir() if path not in files] == []


def test_a_boundary_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(TakeImpossible, match="no boundary 37; this rollout has boundaries 0 to 36"):
        RolloutPlan(seconds=38, defects=(Defect(DefectKind.BLACK, 37),))
    assert len(CLEAN.boundaries) == len(BROKEN.boundaries) == 37


TIMES = (30.0, 60.0, 90.0, 120.0, 150.0)


def test_the_built_in_systems_commit_what_they_state_and_equal_draws_are_equal():
    plans = {
        of.key: [
            draw_plan(of, f"case{number}", seconds=180, updates_s=TIMES) for number in range(60)
        ]
        for of in SYSTEMS
    }
    for of in SYSTEMS:
        drawn = plans[of.key]
        assert drawn[3] == draw_plan(of, "case3", seconds=180, updates_s=TIMES) != drawn[4]
        share = np.mean([len(plan.defects) / len(plan.boundaries) for plan in drawn])
        assert share == pytest.approx(of.defects, abs=0.01)
        fates = [response.fate for plan in drawn for response in plan.responses]
        for fate, rate in of.fates.items():
            assert fates.count(fate) / len(fates) == pytest.approx(rate, abs=0.09)
    assert all(
        response.at_s == 30 * response.step for response in plans["stream-deaf"][0].responses
    )


def test_the_provider_of_rollouts_returns_a_whole_one_with_its_truth_and_declared_geometry(
    tmp_path: Path,
):
    source = provider("local-rollouts")
    prompts = (TimedPrompt("start"), TimedPrompt("more", 2.0))
    order = Order("stream-forgetful", {}, prompts, scene="case", replicate=1, seconds=4.0)
    accepted = source.submit(source.request(order))
    ready = source.look(accepted.provider_id, accepted.handle)
    assert ready.returned == {"geometry": {"first": 9, "next": 12, "frame_rate": 16}}
    fetched = source.fetch(
        accepted.provider_id, accepted.handle, ready.outputs[0], tmp_path / "r.mp4", lambda _: None
    )
    assert len(luma_sized(tmp_path / "r.mp4")) == fetched.truth["frames"] == 64
    assert [response[0] for response in fetched.truth["responses"]] == [1]
    hidden = source.look("", {**accepted.handle, "model": "stream-fading"})
    assert not system("stream-fading").declares
    assert hidden.returned == {}
    for wrong in (Order("stream-deaf", {}, prompts), Order("stream-deaf", {}, seconds=4.0)):
        with pytest.raises(RequestRefused):
            source.request(wrong)
    assert source.key not in REMOTE_KEYS


def luma_sized(path: Path) -> list[np.ndarray]:
    with av.open(str(path)) as container:
        return [frame.to_ndarray(format="gray") for frame in container.decode(video=0)]
