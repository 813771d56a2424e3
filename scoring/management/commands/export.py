"""Exports a closed round."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import RoundCommand, actor
from scoring.export import export_round


class Command(RoundCommand):
    help = "Write the tables of a closed round to a new folder."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="a folder that is not there yet")
        parser.add_argument("--reason", default="exported from the command line", help="why, for the audit trail")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        files = export_round(round_=round_, folder=options["out"], actor=actor(), reason=options["reason"])
        self.say(f"{len(files)} files in {options['out']}: {', '.join(file.name for file in files)}.")
