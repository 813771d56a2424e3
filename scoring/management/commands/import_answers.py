"""Takes in answers that were collected elsewhere."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from scoring.answers_import import import_answers


class Command(RoundCommand):
    help = "Import answers from a CSV file through the checks of the form; all, or nothing and every fault named."

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_round_and_file(parser, "ANSWERS", "the CSV file")

    def run(self, **options: Any) -> None:
        round_, path = self.round_and_file(options)
        count = import_answers(round_=round_, path=path, actor=actor())
        self.say(f"{count} sheets are locked, marked as imported; their playback was not measured.")
