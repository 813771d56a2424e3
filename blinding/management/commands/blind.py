"""Makes the blind copies of a round."""

from argparse import ArgumentParser
from typing import Any

from blinding.services import blind_round, copies_of, normalise_round
from fartbench.commands import RoundCommand, actor, progress


class Command(RoundCommand):
    help = (
        "Make the blind copies of a round: scrubbed, proven, padded to one size, under opaque ids."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--normalise", action="store_true", help="re-encode every clip to the protocol's format"
        )
        parser.add_argument("--reason", default="", help="why the round is normalised")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        if options["normalise"]:
            normalise_round(round_=round_, reason=options["reason"], actor=actor())
        made, wanted = copies_of(round_)
        with progress("Making blind copies", total=wanted - made) as step:
            count = blind_round(round_=round_, actor=actor(), on_copy=step)
        self.say(f"Round {round_.name} has {count} stimuli, each as large as all of its kind.")
