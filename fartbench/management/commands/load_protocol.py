"""Loads a protocol folder."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor
from fartbench.protocols import store_protocol


class Command(Base):
    help = "Load a protocol from its folder, for instance fixtures/protocols/core-r01/1.0.0."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that holds protocol.yaml")

    def run(self, **options: Any) -> None:
        version = store_protocol(options["folder"], actor=actor())
        scenes, questions = len(version.rules.scenes), len(version.rules.questions)
        self.say(f"{version} is loaded: {scenes} scenes, {questions} questions, SHA-256 {version.digest}.")
