"""Exports a closed round."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import RoundCommand, actor
from scoring.export import FORMATS, TABLES, export_round


class Command(RoundCommand):
    help = "Write a closed round to a new folder: its tables, or the format of another program."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--out", type=Path, required=True, metavar="DIR", help="a folder that is not there yet"
        )
        parser.add_argument(
            "--reason", default="exported from the command line", help="why, for the audit trail"
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default=TABLES,
            help="the tables of a release; Label Studio's JSON; one long table for R and pandas; "
            "votes as in P.910; "
            "the battles of pairs as in FastChat",
        )
        parser.add_argument(
            "--free-text", action="store_true", help="add what reviewers wrote in their own words"
        )

    def run(self, **options: Any) -> None:
        files = export_round(
            round_=self.round(options),
            folder=options["out"],
            actor=actor(),
            reason=options["reason"],
            form=options["format"],
            free_text=options["free_text"],
        )
        self.say(
            f"{len(files)} files in {options['out']}: {', '.join(file.name for file in files)}."
        )
