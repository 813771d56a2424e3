"""Checks the audit trail."""

import argparse
from typing import Any

from fartbench import audit, writeonce
from fartbench.commands import Command as Base
from fartbench.links import Link
from fartbench.models import AuditEntry
from operations.auditing import trail_faults
from operations.errors import TrailBroken


def link(text: str) -> Link:
    """Read a head that was noted elsewhere."""
    try:
        return Link.parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


class Command(Base):
    help = (
        "Check that no entry of the audit trail was removed or changed, and that locks and "
        "releases are all in it."
    )

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--head",
            action="append",
            default=[],
            type=link,
            metavar="SEQUENCE:HASH",
            help="a head that was noted earlier, from a release or from this command; may be given "
            "several times",
        )

    def run(self, **options: Any) -> None:
        if faults := [*writeonce.faults(), *trail_faults(options["head"])]:
            raise TrailBroken("The audit trail does not hold", faults)
        self.say(
            f"The audit trail holds: {AuditEntry.objects.count()} entries, and every lock and "
            "release is in it."
        )
        self.say(
            f"Its head is {audit.head()}: note it elsewhere, and give it to --head another time."
        )
