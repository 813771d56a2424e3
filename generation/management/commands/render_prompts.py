"""Renders the prompts of a round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from generation.configuring import named
from generation.prompting import render_prompts


class Command(RoundCommand):
    help = "Render the prompts of configurations for a round's scenes; frozen ones stay as they are."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--configuration", action="append", required=True, dest="configurations")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        configurations = named(options["configurations"])
        made = render_prompts(
            protocol=round_.protocol, configurations=configurations, scenes=round_.scenes, actor=actor()
        )
        self.say(f"{len(made)} prompts rendered. A person audits each; then it can be frozen.")
