"""Writes published rounds as files."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from fartbench.commands import Command as Base
from fartbench.commands import progress
from web.outside.static_site import export_site


class Command(Base):
    help = "Write published rounds to a folder of files that any web server can serve."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="a new folder")
        parser.add_argument(
            "--round",
            dest="rounds",
            action="append",
            default=[],
            metavar="ROUND",
            help="one of the rounds; without this option all that are published",
        )

    def run(self, **options: Any) -> None:
        settings.X_ACCEL_PREFIX = ""  # no proxy is asked here, so clips come from this process
        folder = options["folder"].absolute()
        with progress("Files", None) as on_file:
            written = export_site(folder, options["rounds"], on_file)
        self.say(f"{folder} has {written.files} files, {written.size / 1e6:.1f} MB.")
