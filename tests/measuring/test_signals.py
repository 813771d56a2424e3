"""Planted defects are found at their boundaries, with their parts, beside a clean rollout's
score.
"""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from generation.rollouts.geometry import Geometry
from measuring.continuity import look, places, prompt_continuity, score, signal_part
from measuring.flags import sound_flags
from measuring.measurement import Measurement
from measuring.pace import Timing
from measuring.signals import Boundaries, Signals, measure_signals
from simulation.local.rollouts import DefectKind
from tests.drawn_rollouts import BROKEN, CLEAN, PLANTED


@pytest.fixture(scope="module")
def measured(rollouts) -> dict[str, Signals]:
    return {
        name: measure_signals(
            path,
            boundaries=Boundaries.declared(plan.geometry, plan.frames),
            prompts_s=(6.0, 12.0, 30.0),
        )
        for (name, (path, _)), plan in zip(rollouts.items(), (CLEAN, BROKEN), strict=True)
    }


def test_the_clean_rollout_scores_full_and_the_broken_one_loses_only_where_it_is_broken(measured):
    clean, broken = measured["clean"], measured["broken"]
    assert [window.score for window in clean.native] == [100.0] * len(clean.native)
    assert clean.measurements[0].value == 100.0
    lost = {window.at_s for window in broken.native if window.score < 100}
    near = {
        window.at_s
        for window in broken.native
        for defect in BROKEN.defects
        if BROKEN.span(defect)[0] - 2 < window.at_s <= BROKEN.span(defect)[1] + 2
    }
    assert lost <= near
    assert broken.measurements[0].value == pytest.approx(
        np.mean([window.score for window in broken.native])
    )


@pytest.mark.parametrize(
    ("kind", "parts"),
    [
        # By hand: 32 pictures and 31 neighbours in a window. Black: 4 pictures, 3 alike. Repeated:
        # four holds of two samples each. Frozen: 6 alike pictures. Flash: two white ones next to
        # each other, in and out.
        (DefectKind.BLACK, (4 / 32, 3 / 31, 3 / 8, 0)),
        (DefectKind.REPEATED, (0, 4 / 31, 1 / 8, 0)),
        (DefectKind.FROZEN, (0, 5 / 31, 5 / 8, 0)),
        (DefectKind.FLASH, (0, 1 / 31, 1 / 8, 2)),
    ],
)
def test_each_planted_defect_is_found_at_its_boundary_with_its_parts(
    measured, kind: DefectKind, parts: tuple[float, float, float, int]
):
    at_s = BROKEN.boundaries[PLANTED[kind]] / BROKEN.geometry.frame_rate
    (window,) = (
        window for window in measured["broken"].native if window.at_s == pytest.approx(at_s)
    )
    assert (window.black, window.repeated, window.frozen_s, window.flashes) == pytest.approx(parts)
    black, repeated, frozen_s, flashes = parts
    assert window.score == pytest.approx(
        100 - 70 * black - 45 * repeated - 12 * frozen_s - 8 * flashes
    )
    (beside,) = (
        window for window in measured["clean"].native if window.at_s == pytest.approx(at_s)
    )
    assert beside.score == 100 > window.score


def test_the_worst_boundaries_name_each_defect_once(measured):
    times = sorted(window.at_s for window in measured["broken"].worst(4))
    found = [any(abs(at - BROKEN.span(defect)[0]) < 4 for at in times) for defect in BROKEN.defects]
    assert found == [True] * 4
    assert min(np.diff(times)) >= 4


def test_the_formula_gives_the_score_of_a_window_counted_by_hand():
    """Half a second of black in a bright scene: 4 dark of 32, 3 alike of 31, 3/8 s frozen, 2 jumps:
    66.395 points.
    """
    brightness = np.full(32, 0.6)
    brightness[16:20] = 0
    changes = np.full(31, 0.1)
    changes[16:19] = 0
    window = score(brightness, changes, 30.0)
    assert window.score == pytest.approx(100 - 8.75 - 45 * 3 / 31 - 4.5 - 16)
    assert prompt_continuity(signal_part(window), 5) == pytest.approx(
        0.7 * (1 + 4 * window.score / 100) + 1.5
    )


def test_a_window_never_scores_below_nothing():
    assert look(np.zeros((32, 4, 4), np.uint8), 2.0).score == 0


def test_only_boundaries_with_a_whole_window_are_scored(measured):
    """25 and 24 pictures at 24 a second: of the boundaries of 38 s, the first and the last two have
    no whole window.
    """
    times = [window.at_s for window in measured["clean"].native]
    assert len(CLEAN.boundaries) == 37
    assert times == [boundary / 24 for boundary in CLEAN.boundaries if 48 <= boundary <= 912 - 48]
    assert len(times) == 34
    assert list(places(49, 3))[::31] == [1, 94]


def test_the_window_at_a_prompt_uses_the_prompts_own_time(measured):
    """P1 arrives at 6 s; the black of boundary 5 (6.04 to 6.54 s) lies in its window."""
    first, second, third = measured["broken"].prompts
    assert (first.at_s, second.at_s, third.at_s) == (6.0, 12.0, 30.0)
    assert first.black == pytest.approx(4 / 32)
    assert [window.score for window in measured["clean"].prompts] == [100.0] * 3


def test_unobservable_boundaries_and_missing_times_are_unavailable_and_never_zero(rollouts):
    path, _ = rollouts["clean"]
    found = measure_signals(
        path, boundaries=Boundaries.unknown("a web page shows the stream")
    ).measurements
    assert [(one.metric, one.value, one.status) for one in found] == [
        ("NBC", None, "unavailable"), ("FPS", None, "unavailable"), ("TTFC", None, "unavailable"),
    ]  # fmt: skip
    assert "a web page shows the stream" in found[0].reason


def test_pace_is_arithmetic_on_the_log_and_a_log_that_contradicts_itself_is_not_used(rollouts):
    path, truth = rollouts["clean"]
    boundaries = Boundaries.declared(CLEAN.geometry, CLEAN.frames)
    _, fps, ttfc = measure_signals(
        path, boundaries=boundaries, timing=Timing(truth.frames, 76.0, 1.5)
    ).measurements
    assert (fps.value, fps.unit, ttfc.value, ttfc.unit) == (
        pytest.approx(912 / 76),
        "fps",
        1.5,
        "s",
    )
    late = measure_signals(
        path, boundaries=boundaries, timing=Timing(truth.frames, 10.0, 11.0)
    ).measurements
    assert [one.status for one in late] == ["computed", "unavailable", "unavailable"]
    assert "after the end" in late[2].reason


def test_a_rate_that_cannot_be_sampled_eight_times_a_second_is_unavailable(tmp_path: Path):
    from tests.media.clips import clip  # noqa: PLC0415 - makes a file

    found = measure_signals(clip("ntsc.mp4"), boundaries=Boundaries((10,), "logged"))
    assert found.measurements[0].status == "unavailable"
    assert "29.97 pictures a second cannot be sampled" in found.measurements[0].reason


def test_the_dropout_is_marked_where_it_is_and_the_clean_sound_has_no_mark(measured):
    assert measured["clean"].flags == ()
    (dropout,) = (flag for flag in measured["broken"].flags if flag.kind == "dropout")
    assert dropout.at_s == pytest.approx(11.0, abs=0.03)
    assert dropout.amount == pytest.approx(0.25, abs=0.03)


def test_marks_of_a_jump_and_of_clipping():
    rate = 8000
    sound = np.full((rate, 1), 0.01, np.float32) * np.where(np.arange(rate) % 2, 1, -1)[:, None]
    sound[rate // 2 :] *= 50
    assert [(flag.kind, flag.at_s) for flag in sound_flags(sound.astype(np.float32), rate)] == [
        ("jump", 0.5)
    ]
    sound[:80] = 1
    (mark,) = (
        flag for flag in sound_flags(sound.astype(np.float32), rate) if flag.kind == "clipping"
    )
    assert mark.amount == pytest.approx(80 / rate)
    assert sound_flags(np.zeros((0, 1), np.float32), rate) == []


def test_a_measurement_has_a_value_or_a_reason_and_never_both():
    sound = Measurement("NBC", 1.0, "points", "continuity", "1")
    for wrong in (
        {"value": None},
        {"reason": "why"},
        {"status": "unavailable"},
        {"status": "unavailable", "value": None},
    ):
        with pytest.raises(ValueError, match="NBC"):
            replace(sound, **wrong)


def test_a_geometry_gives_the_boundaries_it_declares():
    assert Geometry(9, 12, 16).boundaries(45) == [9, 21, 33]
    with pytest.raises(ValueError, match="at least one picture"):
        Geometry(0, 12, 16)
