"""Names the reviewers of a round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from review.services import set_cohort


class Command(RoundCommand):
    help = "Name the reviewers of a round by their addresses; prints one invite link for each."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "names",
            nargs="+",
            metavar="[ROUND] EMAIL",
            help="the round, unless --round, and addresses",
        )
        parser.add_argument("--round", dest="round_option", metavar="ROUND", help="the round")

    def run(self, **options: Any) -> None:
        addresses = [name for name in options["names"] if "@" in name]
        others = [name for name in options["names"] if "@" not in name]
        round_ = self.round(
            {"round_name": " ".join(others), "round_option": options["round_option"]}
        )
        for link in set_cohort(round=round_, emails=addresses, actor=actor()):
            self.say(f"{link.email} is {link.code}: {link.url}")
        self.say(
            "Send each link only to its reviewer. It works until the reviewer has agreed to take "
            "part."
        )
