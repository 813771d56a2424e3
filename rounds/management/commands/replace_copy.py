"""Gives a blind copy a new id."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from rounds.changes import replace_copy


class Command(RoundCommand):
    help = "Give a blind copy of an open round a new id; every reviewer is asked about it again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("stimulus", metavar="STIMULUS", help="its opaque id")
        parser.add_argument("--reason", required=True, help="why, for the audit trail")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        new = replace_copy(
            round_=round_, stimulus_id=options["stimulus"], reason=options["reason"], actor=actor()
        )
        self.say(f"Stimulus {options['stimulus']} is replaced by {new.pk}.")
