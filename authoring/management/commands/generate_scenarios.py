"""Generates a whole set of scenarios."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from authoring.generating import write_set
from fartbench.commands import Command as Base
from fartbench.errors import Refusal

MATERIAL = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"


class FolderThere(Refusal):
    """The folder to write to exists."""


class Command(Base):
    help = (
        "Write a whole set of scenarios (every theme in both tracks, templated wording) to a new "
        "folder."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("out", type=Path, help="the folder to make")
        parser.add_argument("--seed", type=int, default=0, help="equal seeds give equal sets")
        parser.add_argument(
            "--material",
            type=Path,
            default=MATERIAL,
            help="where themes, wording and constraints are",
        )

    def run(self, **options: Any) -> None:
        try:
            scenarios = write_set(options["material"], options["out"], seed=options["seed"])
        except FileExistsError as error:
            raise FolderThere(
                f"{options['out']} is there already; name a folder to make."
            ) from error
        updates = sum(len(scenario.updates) for scenario in scenarios)
        self.say(
            f"{len(scenarios)} scenarios with {updates} updates are in {options['out']}. Check "
            "them: "
            f"manage.py check_protocol {options['out']}"
        )
