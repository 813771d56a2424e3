"""Says where the scenarios of a protocol stand with experts, and carries verdicts from one
installation to another.
"""

from argparse import ArgumentParser
from collections import Counter
from pathlib import Path
from typing import Any

from fartbench.commands import Command as BaseCommand
from fartbench.commands import actor
from fartbench.protocols import find_protocol
from generation.verdict_files import export_verdicts, import_verdicts
from generation.verdicts import lines_of


class Command(BaseCommand):
    help = "List the state of each scenario of a protocol, or export or import experts' verdicts."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("protocol", metavar="NAME@VERSION")
        way = parser.add_mutually_exclusive_group()
        way.add_argument("--export", type=Path, metavar="FILE", help="write the verdicts as CSV")
        way.add_argument(
            "--import", type=Path, metavar="FILE", dest="import_", help="take in a CSV of verdicts"
        )

    def run(self, **options: Any) -> None:
        protocol = find_protocol(options["protocol"])
        if options["export"]:
            written, held_back = export_verdicts(protocol, options["export"])
            self.say(f"{written} verdicts are in {options['export']}.")
            if held_back:
                self.say(
                    f"{held_back} wait for a second, independent one, and are hidden until then."
                )
            return
        if options["import_"]:
            self.say(
                f"{import_verdicts(protocol, options['import_'], actor=actor())} verdicts were "
                "taken in."
            )
        self._list(protocol)

    def _list(self, protocol: Any) -> None:
        lines = lines_of(protocol)
        if not lines:
            self.say(f"{protocol} has no scenarios: nothing of it needs a verdict.")
        for line in lines:
            self.say(f"{line.scenario.key:<40} {line.reviewed.in_words:<14} {len(line.rows)} given")
        counts = Counter(line.reviewed.in_words for line in lines)
        self.say(", ".join(f"{count} {words}" for words, count in counts.items()))
