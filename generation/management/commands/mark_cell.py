"""Sets the outcome of a cell that brought no clip."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from generation.cells import mark_cell
from generation.manifest import CellKey
from generation.models import SampleState


class Command(RoundCommand):
    help = "Say that a cell was refused, failed, lost or not generated, and why."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--configuration", required=True)
        parser.add_argument("--scene", required=True)
        parser.add_argument("--replicate", type=int, default=1)
        parser.add_argument(
            "--outcome",
            required=True,
            choices=[state.value for state in SampleState.without_clip()],
        )
        parser.add_argument("--reason", required=True)

    def run(self, **options: Any) -> None:
        cell = CellKey(options["configuration"], options["scene"], options["replicate"])
        state = SampleState(options["outcome"])
        round_ = self.round(options)
        mark_cell(round_=round_, cell=cell, state=state, reason=options["reason"], actor=actor())
        self.say(f"{cell} is “{state.label}”: {options['reason']}")
