"""The command of the step `set_cohort`: the round and addresses in any order."""

from argparse import ArgumentParser
from typing import Any

from fartbench.models import Round
from rounds.commands import StepCommand
from rounds.step import Values


class Command(StepCommand):
    """An address is what has an “@”."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "names",
            nargs="+",
            metavar="[ROUND] EMAIL",
            help="the round, unless --round, and addresses",
        )
        parser.add_argument("--round", dest="round_option", metavar="ROUND", help="the round")

    def round(self, options: dict[str, Any]) -> Round:
        others = " ".join(name for name in options["names"] if "@" not in name)
        return super().round({**options, "round_name": others})

    def values(self, options: dict[str, Any]) -> Values:
        return {"emails": [name for name in options["names"] if "@" in name]}
