"""Makes a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor, progress
from operations.backup.making import content_named, make_backup
from operations.errors import BackupIncomplete


class Command(Base):
    help = "Save all rows, clips, blind copies and releases to a folder, while the site is in use."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            type=Path,
            metavar="FOLDER",
            help="where backups go; on another disk than the data",
        )

    def run(self, **options: Any) -> None:
        with progress("Files", len(content_named())) as on_file:
            made = make_backup(options["folder"].resolve(), actor=actor(), on_file=on_file)
        self.say(
            f"{made.folder} holds {made.rows} rows and {made.files} files ({made.copied} of them "
            "new)."
        )
        if made.damaged:
            self.say(
                f"{made.damaged} files in the folder were damaged and were replaced: look at that "
                "disk."
            )
        if made.missing:
            raise BackupIncomplete(made.missing)
        self.say(
            "It holds e-mail addresses and password hashes: keep it as safe as the database. "
            "SECRET_KEY and the"
        )
        self.say("keys of providers are not in it: keep them apart.")
