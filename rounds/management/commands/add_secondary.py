"""Lets one more person review beside the cohort."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from rounds.changes import invite_secondary


class Command(RoundCommand):
    help = "Let one more person review an open round; their sheets are kept apart."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("email", metavar="EMAIL")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        link = invite_secondary(round_=round_, email=options["email"], actor=actor())
        self.say(f"{link.email} is {link.code}: {link.url}")
