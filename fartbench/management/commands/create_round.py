"""Makes a round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from fartbench.rounds import Looks, create_round


class Command(RoundCommand):
    help = "Make a round of a loaded protocol."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--protocol", required=True, metavar="NAME@VERSION", help="for instance core-r01@1.0.0"
        )
        parser.add_argument(
            "--replicates",
            type=int,
            default=1,
            metavar="N",
            help="clips per configuration and scene",
        )
        parser.add_argument(
            "--scene",
            action="append",
            dest="scenes",
            metavar="KEY",
            help="only this scene (repeatable)",
        )

        parser.add_argument(
            "--sample", type=int, metavar="N", help="rollouts: only N scenarios, evenly chosen"
        )
        parser.add_argument(
            "--horizons", type=_numbers, default=(), metavar="S,S", help="rollouts: such as 60,180"
        )
        parser.add_argument(
            "--units",
            type=_names,
            default=(),
            metavar="KIND,…",
            help="rollouts: only these windows",
        )
        parser.add_argument(
            "--looks", type=int, default=0, metavar="N", help="rollouts: reviewers of each window"
        )

    def run(self, **options: Any) -> None:
        name = self.round_name(options)
        made = create_round(
            name=name,
            protocol=options["protocol"],
            actor=actor(),
            replicates=options["replicates"],
            scenes=options["scenes"],
            looks=Looks(options["sample"], options["horizons"], options["units"], options["looks"]),
        )
        has_rollouts = made.protocol.rules.rollouts is not None
        if has_rollouts:
            following = f"commission {made.name}"
        else:
            following = f"import_clips {made.name} MANIFEST.csv"
        self.say(f"Round {made.name} exists, on {made.protocol}. Next: “{following}”.")


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(float(part) for part in text.split(","))


def _names(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))
