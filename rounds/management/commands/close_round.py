"""Closes a round."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from fartbench.commands import WRONG_USE, RoundCommand, actor, moment
from rounds.opening import close_round


class Command(RoundCommand):
    help = "Close a round when every sheet is locked; --incomplete --reason closes all the same."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--incomplete", action="store_true", help="close although sheets are missing"
        )
        parser.add_argument("--reason", default="", help="why it is closed incomplete")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        if options["incomplete"] and not options["reason"].strip():
            raise CommandError(
                "--incomplete needs --reason: say why sheets are missing.", returncode=WRONG_USE
            )
        if round_.closed_at is not None:
            self.say(
                f"Round {round_.name} is closed already, since {moment(round_.closed_at)}. Nothing "
                "was changed."
            )
            return
        close_round(
            round_=round_,
            actor=actor(),
            incomplete_reason=options["reason"] if options["incomplete"] else "",
        )
        self.say(f"Round {round_.name} is closed. “score {round_.name}” shows what it says.")
