"""Takes in votes on pairs that were collected elsewhere."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from rounds.battles_import import import_battles


class Command(RoundCommand):
    help = (
        "Import battles in the JSON form of FastChat; all, or nothing and every fault named by row "
        "and field."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_round_and_file(parser, "BATTLES", "the file")

    def run(self, **options: Any) -> None:
        round_, path = self.round_and_file(options)
        count = import_battles(round_=round_, path=path, actor=actor())
        self.say(f"{count} votes are locked, marked as imported; their playback was not measured.")
