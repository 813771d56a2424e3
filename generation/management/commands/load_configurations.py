"""Loads the configurations that can be commissioned."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations


class Command(Base):
    help = "Load configurations from their files; the same files again change nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            nargs="?",
            type=Path,
            default=FOLDER,
            help="a folder of .yaml files, or one file",
        )

    def run(self, **options: Any) -> None:
        report = load_configurations(folder=options["folder"], actor=actor())
        counts = (len(report.added), len(report.changed), len(report.unchanged))
        self.say("{} configurations added, {} changed, {} unchanged.".format(*counts))
