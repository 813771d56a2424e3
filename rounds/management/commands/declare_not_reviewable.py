"""Takes a blind copy out of an open round."""

from argparse import ArgumentParser
from typing import Any

from fartbench.commands import RoundCommand, actor
from rounds.changes import declare_not_reviewable


class Command(RoundCommand):
    help = "Stop asking about a blind copy of an open round; its configuration is then unranked."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("stimulus", metavar="STIMULUS", help="its opaque id")
        parser.add_argument("--reason", required=True, help="why, for the audit trail")

    def run(self, **options: Any) -> None:
        round_ = self.round(options)
        declare_not_reviewable(
            round_=round_, stimulus_id=options["stimulus"], reason=options["reason"], actor=actor()
        )
        self.say(f"Stimulus {options['stimulus']} is not reviewable: {options['reason']}")
