"""Restores a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor, progress
from fartbench.database_roles import as_owner, refuse_unless_owner
from operations.backup.folder import newest, read_list
from operations.backup.restoring import restore
from operations.backup.verifying import data_faults
from operations.errors import DataFaulty


class Command(Base):
    help = (
        "Put a backup into an empty installation, and check that everything is there and is what "
        "it was."
    )
    needs_database = False  # the tables are made here
    requires_system_checks = ()

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder",
            type=Path,
            metavar="FOLDER",
            help="a backup, or a folder of them: then the newest",
        )
        parser.add_argument(
            "--incomplete", action="store_true", help="restore the rest though files are missing"
        )

    def run(self, **options: Any) -> None:
        folder = newest(options["folder"].resolve())
        files = sum(len(names) for names in read_list(folder).content.values())
        with progress("Looked at, copied, checked", 3 * files) as on_file, as_owner():
            refuse_unless_owner()
            done = restore(folder, actor=actor(), incomplete=options["incomplete"], on_file=on_file)
            faults = list(data_faults(on_file))
        self.say(
            f"{folder.name} is restored: {done.rows} rows and {done.files - len(done.missing)} "
            "files."
        )
        for name in done.paused:
            self.say(
                f"Round {name} is paused: what it bought since the backup is not known here. Check "
                "before it continues."
            )
        if faults:
            raise DataFaulty(faults)
        self.say("Every clip, locked sheet, release and entry of the audit trail is what it was.")
