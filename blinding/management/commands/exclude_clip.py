"""Declares a clip that cannot be blinded not reviewable."""

from argparse import ArgumentParser
from typing import Any

from blinding.services import exclude_clip
from fartbench.commands import RoundCommand, actor
from generation.cells import samples_of
from generation.errors import CellRefused
from generation.manifest import CellKey


class Command(RoundCommand):
    help = (
        "Leave a delivered clip that cannot be blinded out of the review; it is counted, its "
        "configuration unranked."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--configuration", required=True)
        parser.add_argument("--scene", required=True)
        parser.add_argument("--replicate", type=int, default=1)
        parser.add_argument("--reason", required=True)

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        cell = CellKey(options["configuration"], options["scene"], options["replicate"])
        sample = samples_of(round_).get(cell)
        if sample is None:
            raise CellRefused(f"Round {round_.name!r} has no cell {cell}.")
        exclude_clip(round_=round_, sample=sample, reason=options["reason"], actor=actor())
        self.say(f"{cell} is not reviewable: {options['reason']}")
