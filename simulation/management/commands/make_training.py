"""Makes the training clips of a protocol."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor, progress
from fartbench.protocols import find_protocol
from simulation.training import make_training, takes_for


class Command(Base):
    help = (
        "Draw the training clips of a protocol, which reviewers practise on before the clips that "
        "count."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "protocol", metavar="PROTOCOL", help="a loaded protocol, such as core-r01@1.0.0"
        )

    def run(self, **options: Any) -> None:
        protocol = find_protocol(options["protocol"])
        with progress("Drawing training clips", len(takes_for(protocol))) as on_clip:
            made = make_training(protocol=protocol, actor=actor(), on_clip=on_clip)
        self.say(f"Rounds on {protocol} begin with {len(made)} training clips.")
