"""Loads the text that reviewers are asked to agree to."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.commands import actor
from fartbench.protocols import find_protocol
from review.services.consent import load_consent


class Command(Base):
    help = (
        "Ask the reviewers of a protocol's rounds to agree to the text of a file; those of open "
        "rounds are asked anew."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("protocol", metavar="NAME@VERSION")
        parser.add_argument("file", type=Path, metavar="CONSENT.MD")

    def run(self, **options: Any) -> None:
        protocol = find_protocol(options["protocol"])
        asked = load_consent(protocol=protocol, path=options["file"], actor=actor())
        self.say(f"Reviewers of {protocol} are asked to agree to this text.")
        self.say(f"{asked} members of open rounds agreed to another one, and are asked anew.")
