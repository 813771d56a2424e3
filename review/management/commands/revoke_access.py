"""Shuts a person out."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor
from review.services import revoke_access


class Command(Base):
    help = (
        "End every session of an account, its password, return code and open invites. A new invite "
        "lets it in again."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "person",
            metavar="PERSON",
            help="a reviewer's code or address, or the name of an account",
        )
        parser.add_argument(
            "--reason", required=True, metavar="TEXT", help="why; recorded in the audit trail"
        )

    def run(self, **options: Any) -> None:
        name = revoke_access(person=options["person"], reason=options["reason"], actor=actor())
        self.say(
            f"{name} is logged out everywhere, and no password, return code or earlier link lets "
            f"{name} in."
        )
