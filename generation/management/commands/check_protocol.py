"""Checks a protocol folder without loading it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.errors import BadInput
from fartbench.protocol import load_protocol
from generation.prompts.agreement import specification_faults


class Command(Base):
    help = "Check a protocol folder, and the specifications of its scenes: each fault with file, path and rule."
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder that holds protocol.yaml")

    def run(self, **options: Any) -> None:
        file = load_protocol(options["folder"])
        protocol = file.protocol
        if faults := specification_faults(protocol):
            raise BadInput(f"The specifications of {protocol.label}", faults)
        cohort = protocol.cohort
        score = "dimensions" if protocol.scoring.is_weighted else "gates"
        self.say(
            f"{protocol.label} is sound: {len(protocol.scenes)} scenes, {len(protocol.questions)} questions, "
            f"{cohort.consensus} of {cohort.size} reviewers make a consensus, scored by {score}. "
            f"SHA-256 {file.digest}."
        )
