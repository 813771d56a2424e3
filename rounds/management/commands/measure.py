"""The command of the step `measure`: it measures here, or with --workers leaves it to them."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import progress, steps
from fartbench.models import Round
from measuring.rollouts import due_tasks, measure_round
from measuring.units import SIGNALS, models
from rounds.commands import StepCommand
from rounds.step import Done, Values


class Command(StepCommand):
    """Run again after an interruption, a failure, or when weights have come, it continues."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--workers", action="store_true", help="leave it to the workers, and return at once"
        )

    def values(self, options: dict[str, Any]) -> Values:
        return {"workers": options["workers"]}

    def work(self, round_: Round, actor: str, values: Values) -> Done:
        if values["workers"]:
            return super().work(round_, actor, values)
        due = due_tasks(round_)
        if any(task.job != SIGNALS for task in due):
            for line in models():
                self.say(line)
        with progress("Measuring", len(due)) as advance:
            seen, on_task = steps(advance)
            count = measure_round(round_=round_, actor=actor, on_task=on_task, seen=seen)
        return Done(f"{count} jobs were done; nothing is left to measure.")
