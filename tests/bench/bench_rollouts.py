"""Times what is measured of a three-minute rollout on one core: ``python -m
tests.bench.bench_rollouts``.

Processor time of one process without the sandbox around it, so that other work on the machine does
not count. Status 1 when boundary continuity takes 3 s or more, or all signals 10 s or more.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.media.reading import open_bytes, read_movie
from measuring import signals
from simulation.local.rollouts import Defect, DefectKind, RolloutPlan, render_rollout

CONTINUITY_S, ALL_S = 3.0, 10.0
PLAN = RolloutPlan(
    width=640,
    height=360,
    defects=tuple(Defect(kind, 30 * n) for n, kind in enumerate(DefectKind, 1)),
)


def say(text: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{text}\n")


def seconds(work: Callable[[], object]) -> float:
    """Return the processor time that the work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> int:
    """Render, measure and say whether the targets are met."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rollout.mp4"
        render_rollout(PLAN, path, ffmpeg=ffmpeg_binary())
        say(
            f"{PLAN.seconds:g} s of {PLAN.width}x{PLAN.height} with {len(PLAN.boundaries)} "
            "boundaries"
        )
        with open_bytes(path) as data:
            video = read_movie(path, data).main("video")
            rate = Fraction(PLAN.geometry.frame_rate)
            continuity = seconds(lambda: signals._windows(path, data, video, PLAN.boundaries, rate))
        whole = seconds(lambda: signals._look_here(path, PLAN.boundaries, [30, 60, 90, 120, 150]))
    say(f"boundary continuity {continuity:.2f} s (under {CONTINUITY_S:g})")
    say(f"all signals {whole:.2f} s (under {ALL_S:g})")
    return int(continuity >= CONTINUITY_S or whole >= ALL_S)


if __name__ == "__main__":
    sys.exit(main())
