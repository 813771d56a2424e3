"""Measures the rollouts of a closed round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor, progress, steps
from measuring.rollouts import SIGNALS, due_tasks, measure_round, models, request_measuring


class Command(RoundCommand):
    help = (
        "Measure the rollouts of a closed round: continuity, pace, marks in the sound, and what "
        "models say whose "
        "weights are in WEIGHTS_DIR. Run again after an interruption, a failure, or when weights "
        "have come, it continues."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--workers", action="store_true", help="leave it to the workers, and return at once"
        )

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        if options["workers"]:
            count = request_measuring(round_=round_, actor=actor())
            self.say(f"{count} jobs are left to the workers.")
            return
        due = due_tasks(round_)
        if any(task.job != SIGNALS for task in due):
            for line in models():
                self.say(line)
        with progress("Measuring", len(due)) as advance:
            seen, on_task = steps(advance)
            count = measure_round(round_=round_, actor=actor(), on_task=on_task, seen=seen)
        self.say(f"{count} jobs were done; nothing is left to measure.")
