"""Puts another person in the place of a reviewer."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from rounds.changes import change_reviewer


class Command(RoundCommand):
    help = (
        "Put another person in the place of a reviewer of an open round; the old one's sheets no "
        "longer count."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "old", metavar="OLD", help="the reviewer who leaves, by code or address"
        )
        parser.add_argument("new", metavar="NEW", help="the address of the one who comes")
        parser.add_argument("--reason", required=True, help="why, for the audit trail")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        link = change_reviewer(
            round_=round_,
            old=options["old"],
            new=options["new"],
            reason=options["reason"],
            actor=actor(),
        )
        self.say(f"{link.email} is {link.code}: {link.url}")
