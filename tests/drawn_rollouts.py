"""Two small rollouts, made once a run: one clean, one with a defect of each kind at a boundary of
its own.
"""

from pathlib import Path

import pytest

from fartbench.media.ffmpeg import ffmpeg_binary
from simulation.local.rollouts import (
    Defect,
    DefectKind,
    Fate,
    Response,
    RolloutPlan,
    RolloutTruth,
    render_rollout,
)

SMALL = {"seconds": 38.0, "width": 160, "height": 90}
PLANTED = {
    DefectKind.BLACK: 5,
    DefectKind.REPEATED: 13,
    DefectKind.FROZEN: 21,
    DefectKind.FLASH: 29,
}
CLEAN = RolloutPlan(**SMALL)
BROKEN = RolloutPlan(
    **SMALL,
    defects=tuple(Defect(kind, boundary) for kind, boundary in PLANTED.items()),
    dropouts=((11.0, 11.25),),
    drift=0.6,
    responses=(
        Response(1, 6.0),
        Response(2, 12.0, Fate.LATE, "video"),
        Response(3, 12.0, Fate.IGNORED),
        Response(4, 18.0, Fate.FORGOTTEN, "audio"),
    ),
)


@pytest.fixture(scope="session")
def rollouts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, RolloutTruth]]:
    folder = tmp_path_factory.mktemp("rollouts")
    made = {}
    for name, plan in (("clean", CLEAN), ("broken", BROKEN)):
        path = folder / f"{name}.mp4"
        made[name] = (path, render_rollout(plan, path, ffmpeg=ffmpeg_binary()))
    return made
