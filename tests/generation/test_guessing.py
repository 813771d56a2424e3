"""Which cell a file is for, by its name."""

from __future__ import annotations

import pytest

from generation.uploads.guessing import Guess, guess_cell
from tests.manifests import SCENES


@pytest.mark.parametrize(
    ("path", "cell"),
    [
        ("alpha_r01-lift_1.mp4", ("alpha", "r01-lift", 1)),
        ("alpha-r01-lift.mp4", ("alpha", "r01-lift", None)),
        ("alpha/r01-lift/2.mp4", ("alpha", "r01-lift", 2)),
        ("alpha/lift (3).mp4", ("alpha", "r01-lift", 3)),
        ("alpha/R01_LIFT take 02.webm", ("alpha", "r01-lift", 2)),
        ("r01-toast/beta.mov", ("beta", "r01-toast", None)),
        ("Kling 4.0 - chair - 1.mp4", ("Kling 4.0", "r01-chair", 1)),
        ("veo-3.1_squat.mp4", ("veo-3.1", "r01-squat", None)),
        ("veo-3.1/squat_seed7.mp4", ("veo-3.1", "r01-squat", 7)),
        ("VEO-3.1-fast-r01-squat.mp4", ("veo-3.1-fast", "r01-squat", None)),
        ("forklift.mp4", ("forklift", "", None)),
        ("2026.mp4", ("2026", "", None)),
        ("clip 12.mp4", ("clip", "", 12)),
        ("r01-lift.mp4", ("", "r01-lift", None)),
    ],
)
def test_a_name_says_its_cell(path: str, cell: tuple[str, str, int | None]) -> None:
    known = ("veo-3.1", "veo-3.1-fast")
    assert guess_cell(path, scenes=SCENES, configurations=known) == Guess(*cell)


def test_a_scene_that_holds_another_ones_name_is_the_longer_one() -> None:
    scenes = ("lift", "lift-slow")
    assert guess_cell("alpha_lift-slow.mp4", scenes=scenes).scene == "lift-slow"
    assert guess_cell("alpha_lift.mp4", scenes=scenes).scene == "lift"
