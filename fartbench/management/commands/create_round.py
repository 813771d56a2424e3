"""Makes a round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from fartbench.rounds import create_round


class Command(RoundCommand):
    help = "Make a round of a loaded protocol."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--protocol", required=True, metavar="NAME@VERSION", help="for instance core-r01@1.0.0")
        parser.add_argument("--replicates", type=int, default=1, metavar="N", help="clips per configuration and scene")
        parser.add_argument(
            "--scene", action="append", dest="scenes", metavar="KEY", help="only this scene (repeatable)"
        )

    def run(self, **options: Any) -> None:
        name = self.round_name(options)
        made = create_round(
            name=name,
            protocol=options["protocol"],
            actor=actor(),
            replicates=options["replicates"],
            scenes=options["scenes"],
        )
        self.say(f"Round {made.name} stands, on {made.protocol}. Next: “import_clips {made.name} MANIFEST.csv”.")
