"""Loads a protocol folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor
from fartbench.protocol import form_keys
from fartbench.protocols import store_protocol


class Command(Base):
    help = "Load a protocol from its folder, for instance fixtures/protocols/core-r01/1.0.0."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that holds protocol.yaml")

    def run(self, **options: Any) -> None:
        version = store_protocol(options["folder"], actor=actor())
        rules = version.rules
        if rules.rollouts is None:
            extent = f"{len(rules.scenes)} scenes, {len(rules.questions)} questions"
        else:
            metrics = rules.rollouts.metrics.metrics
            extent = (
                f"{len(rules.scenes)} scenarios, {len(form_keys(rules))} forms, {len(metrics)} "
                "metrics"
            )
        self.say(f"{version} is loaded: {extent}, SHA-256 {version.digest}.")
