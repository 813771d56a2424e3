"""Checks an installation."""

from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import progress
from operations.backup.making import content_named
from operations.backup.verifying import data_faults
from operations.errors import DataFaulty


class Command(Base):
    help = (
        "Check every clip, blind copy, locked sheet, release and entry of the audit trail against "
        "its hash."
    )

    def run(self, **_options: Any) -> None:
        with progress("Files", len(content_named())) as on_file:
            faults = list(data_faults(on_file))
        if faults:
            raise DataFaulty(faults)
        self.say("Every clip, locked sheet, release and entry of the audit trail is what it was.")
