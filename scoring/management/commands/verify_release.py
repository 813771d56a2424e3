"""Checks a release."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from scoring.release.verifying import verify_release


class Command(Base):
    help = (
        "Check every hash of a release and compute all of it again from its answers, without a "
        "database."
    )
    needs_database = False
    requires_system_checks = ()  # some look at the database

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="DIR", help="the folder of the release")

    def run(self, **options: Any) -> None:
        found = verify_release(options["folder"])
        self.say(
            f"Release {found.number} of round {found.round} holds: {found.files} files, and every "
            "score, report and "
            f"plot follows from its {found.answers} answers."
        )
        for change, count in found.not_recomputed.items():
            self.say(
                f"Not recomputed in {change}: {count} values, whose rule changed in format "
                f"{change.format} (this release has format {found.format}). {change.words}"
            )
        self.say(
            f"The digests of {found.locks_checked} of {found.locks} locked sheets and votes were "
            "computed again: each is in an entry of the audit trail."
        )
        if found.locks_checked < found.locks:
            self.say(
                "The others were locked by an older version, whose digests cover what no release "
                "contains."
            )
        if found.replaces:
            self.say(f"It replaces the release with SHA-256 {found.replaces}.")
        for number, entry in enumerate(found.opened):
            what = (
                "was fixed when the round was opened"
                if number == 0
                else "was changed, and fixed again,"
            )
            self.say(
                f"Whose clip is whose {what} by entry {entry}: compare it with the head noted then."
            )
        if not found.assignment_is_checked:
            self.say(
                "Whose clip is whose cannot be checked: the release states no record of it, or no "
                "secret."
            )
        self.say(f"Head of the audit trail: {found.audit_head}")
        self.say(f"SHA-256 {found.digest}: compare it with the one that was published.")
