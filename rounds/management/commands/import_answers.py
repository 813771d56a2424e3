"""Takes in answers that were collected elsewhere."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import CommandError

from fartbench.commands import WRONG_USE, RoundCommand, actor
from rounds.answers_import import FORMATS, TABLE, import_answers


class Command(RoundCommand):
    help = (
        "Import answers from a file through the checks of the form; all, or nothing and every "
        "fault named."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_round_and_file(parser, "ANSWERS", "the file")
        parser.add_argument(
            "--format", choices=FORMATS, default=TABLE, help="a CSV table, or Label Studio's JSON"
        )
        parser.add_argument(
            "--account",
            action="append",
            default=[],
            metavar="ACCOUNT=REVIEWER",
            help="which reviewer (address or code) an account of Label Studio is (its number or "
            "address); repeatable",
        )

    def run(self, **options: Any) -> None:
        round_, path = self.round_and_file(options)
        accounts = dict(_account(text) for text in options["account"])
        count = import_answers(
            round_=round_, path=path, actor=actor(), form=options["format"], accounts=accounts
        )
        self.say(f"{count} sheets are locked, marked as imported; their playback was not measured.")


def _account(text: str) -> tuple[str, str]:
    account, equals, reviewer = text.partition("=")
    if not (account and equals and reviewer):
        raise CommandError(f"--account {text!r} is not ACCOUNT=REVIEWER.", returncode=WRONG_USE)
    return account.strip(), reviewer.strip()
