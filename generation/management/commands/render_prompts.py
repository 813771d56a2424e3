"""Renders the prompts of a round."""

from argparse import ArgumentParser
from typing import Any

from django.db import transaction
from django.urls import reverse

from fartbench.commands import RoundCommand, actor
from generation.cells import lay_out, refuse_when_settled
from generation.configuring import named
from generation.prompting import render_prompts


class Command(RoundCommand):
    help = (
        "Render the prompts of configurations for a round's scenes; frozen ones stay as they are."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--configuration", action="append", required=True, dest="configurations"
        )

    @transaction.atomic
    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        refuse_when_settled(round_)
        configurations = named(options["configurations"])
        for (
            configuration
        ) in configurations:  # or the page on which they are frozen would not list them
            lay_out(round_, configuration)
        made = render_prompts(
            protocol=round_.protocol,
            configurations=configurations,
            scenes=round_.scenes,
            actor=actor(),
        )
        open_ = sum(prompt.frozen_at is None for prompt in made)
        where = reverse("generation-prompts", args=[round_.name])
        if open_:
            following = f"A person audits and freezes {open_} of them on {where}."
        else:
            following = "None waits for an audit."
        self.say(f"{len(made)} prompts rendered. {following}")
