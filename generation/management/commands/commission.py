"""Commissions the clips of a round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from generation.built_in import make_missing
from generation.buying import round_estimate
from generation.commissioning import commission
from generation.configuring import named
from generation.waiving import add_waiver, waive_as_asked


class Command(RoundCommand):
    help = "Ask for the clips of configurations in a round, each once. Workers buy them."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--configuration", action="append", required=True, dest="configurations"
        )
        add_waiver(parser)
        parser.add_argument(
            "--estimate", action="store_true", help="say what it should cost, and buy nothing"
        )

    def run(self, **options: Any) -> None:
        make_missing(options["configurations"])
        round_, configurations = self.round(options), named(options["configurations"])
        usd, unknown = round_estimate(round_, configurations)
        self.say(f"By listed prices this should cost ${usd:.2f}.")
        if unknown:
            self.say(f"Without a known price, and not in that figure: {', '.join(unknown)}.")
        if not options["estimate"]:
            waive_as_asked(round_, options)
            count = commission(round_=round_, configurations=configurations, actor=actor())
            self.say(f"{count} clips are asked for. “manage.py work” or a Celery worker buys them.")
