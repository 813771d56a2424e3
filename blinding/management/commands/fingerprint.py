"""Shows what the technical facts of a round's blind files give away."""

import json
from argparse import ArgumentParser
from typing import Any

from blinding.reports import fingerprint_of
from fartbench.commands import RoundCommand


class Command(RoundCommand):
    help = "Show how far the technical facts of the blind files tell configurations apart."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--json", action="store_true", help="print the whole report")

    def run(self, **options: Any) -> None:
        found = fingerprint_of(self.round(options))
        self.say(json.dumps(found, indent=2) if options["json"] else _words(found))


def _words(found: dict[str, Any]) -> str:
    if "not_estimable" in found:
        return f"{found['files']} files: {found['not_estimable']}"
    low, high = found["interval"]
    verdict = (
        "tell configurations apart" if found["told_apart"] else "do not tell configurations apart"
    )
    return "\n".join(
        [
            f"The technical facts of {found['files']} blind files {verdict}: "
            f"{found['accuracy']:.0%} guessed right "
            f"({low:.0%} to {high:.0%}), {found['chance']:.0%} by chance, p = {found['p_value']}.",
            f"Facts that vary: {', '.join(found['facts_that_vary']) or 'none'}.",
            *(
                f"{one['configuration']}: shares all its facts with {one['shared_with']} others; "
                f"given away by {', '.join(one['given_away_by']) or 'nothing alone'}"
                for one in found["configurations"]
            ),
        ]
    )
