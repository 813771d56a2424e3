"""Serves the stand-in judges on this machine."""

import json
import signal
from argparse import ArgumentParser
from pathlib import Path
from types import FrameType
from typing import Any

from django.core.management.base import CommandError

from fartbench.commands import WRONG_USE
from fartbench.commands import Command as Base
from simulation.stand_ins.judges import BEHAVIOURS, StandInJudges


class Command(Base):
    help = (
        "Speak the wire contracts of the judges' services on loopback, with scripted behaviour: "
        "nothing is looked at. "
        "Set STAND_IN_JUDGES_URL to the address it prints, for “judge” and the workers."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8792)
        parser.add_argument(
            "--judge", action="append", default=[], dest="judges", metavar="MODEL=BEHAVIOUR",
            help=f"how a model answers: {', '.join(BEHAVIOURS)}",
        )  # fmt: skip
        parser.add_argument(
            "--truths",
            type=Path,
            metavar="FILE",
            help="JSON: the right answers about a clip, by its SHA-256",
        )

    def run(self, **options: Any) -> None:
        behaviours = dict(_named(text) for text in options["judges"])
        truths = _truths(options["truths"]) if options["truths"] else {}
        stand_in = StandInJudges(behaviours=behaviours, truths=truths, port=options["port"])
        signal.signal(signal.SIGTERM, _stop)
        self.say(f"Stand-in judges at {stand_in.url}; the ledger is at {stand_in.url}/ledger")
        self.stdout.flush()
        try:
            stand_in.serve_forever()
        except KeyboardInterrupt:
            self.say("Stopped.")


def _truths(path: Path) -> dict[str, dict[str, str]]:
    try:
        behaviours = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise CommandError(
            f"--truths {path} cannot be read: {error}", returncode=WRONG_USE
        ) from error
    if not isinstance(behaviours, dict) or not all(
        isinstance(answers, dict) for answers in behaviours.values()
    ):
        raise CommandError(
            f"--truths {path}: it must give answers by the SHA-256 of a clip.", returncode=WRONG_USE
        )
    return behaviours


def _named(text: str) -> tuple[str, str]:
    model, _, behaviour = text.rpartition("=")
    if not model or behaviour not in BEHAVIOURS:
        raise CommandError(f"--judge takes MODEL=BEHAVIOUR, not {text!r}.", returncode=WRONG_USE)
    return model, behaviour


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
