"""Draws a rollout of a built-in system."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import progress
from fartbench.media.ffmpeg import ffmpeg_binary
from simulation.local.rollouts import render_rollout
from simulation.local.rollouts.systems import SYSTEMS, draw_plan, system

UPDATES_S = (30.0, 60.0, 90.0, 120.0, 150.0)
STEPS = 100


class Command(Base):
    help = (
        "Draw a rollout of a built-in streaming system, with its defects, and its ground truth "
        "beside it."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("system", choices=[one.key for one in SYSTEMS])
        parser.add_argument(
            "out", type=Path, help="the MP4 file to write; the truth is written beside it as .json"
        )
        parser.add_argument("--seconds", type=float, default=180.0)
        parser.add_argument(
            "--case", default="case", help="equal cases and seeds give equal rollouts"
        )
        parser.add_argument("--seed", type=int, default=0)

    def run(self, **options: Any) -> None:
        updates = [at for at in UPDATES_S if at < options["seconds"]]
        plan = draw_plan(
            system(options["system"]), options["case"], seconds=options["seconds"],
            updates_s=updates,
            seed=options["seed"],
        )  # fmt: skip
        with progress("pictures", STEPS) as advance:
            done = 0

            def report(part: float) -> None:
                nonlocal done
                for _ in range(int(part * STEPS) - done):
                    advance()
                done = int(part * STEPS)

            truth = render_rollout(plan, options["out"], ffmpeg=ffmpeg_binary(), on_progress=report)
        options["out"].with_suffix(".json").write_text(
            json.dumps(truth.as_json(), indent=1) + "\n", encoding="utf-8"
        )
        shape = f"{plan.geometry.first},{plan.geometry.next}"
        self.say(
            f"{options['out']}: {truth.seconds:g} s, {len(truth.boundaries)} boundaries, "
            f"{len(truth.defects)} defects. "
            f"Measure it: manage.py measure_rollout {options['out']} --geometry {shape}"
        )
