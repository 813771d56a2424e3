"""Keeps why a cell cannot be compared with others."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from generation.cells import note_limitation
from generation.manifest import CellKey


class Command(RoundCommand):
    help = (
        "Say why a cell cannot be compared with others, such as a provider's safety system. It "
        "changes no figure."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--configuration", required=True)
        parser.add_argument("--scene", required=True)
        parser.add_argument("--replicate", type=int, default=1)
        parser.add_argument("--note", required=True, help="empty to take it back")

    def run(self, **options: Any) -> None:
        cell = CellKey(options["configuration"], options["scene"], options["replicate"])
        noted = note_limitation(
            round_=self.round(options), cell=cell, note=options["note"], actor=actor()
        )
        self.say(
            f"{cell}: {noted.limitation}"
            if noted.limitation
            else f"{cell} has no limitation any more."
        )
