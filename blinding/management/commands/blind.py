"""Makes the blind copies of a round."""

from typing import Any

from blinding.services import blind_round, without_copy
from fartbench.commands import RoundCommand, actor, progress


class Command(RoundCommand):
    help = "Make the blind copies of a round: scrubbed, proven, padded to one size, under opaque ids."

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        with progress("Making blind copies", total=len(without_copy(round_))) as step:
            count = blind_round(round_=round_, actor=actor(), on_clip=step)
        self.say(f"Round {round_.name} has {count} stimuli, all of one size.")
