"""Takes in clips that were made elsewhere."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import RoundCommand, actor, progress
from fartbench.csv_text import MAX_BYTES
from fartbench.errors import BadInput
from fartbench.regular import regular_bytes
from generation.importing import ImportReport, import_clips
from generation.waiving import add_waiver, waive_as_asked


class Command(RoundCommand):
    help = (
        "Import clips and outcomes from a manifest; all of it, or nothing and every bad row named."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_round_and_file(parser, "MANIFEST", "the CSV file")
        parser.add_argument(
            "--replace", action="store_true", help="replace results that are not blinded yet"
        )
        parser.add_argument("--reason", default="", help="why results are replaced")
        add_waiver(parser)

    def run(self, **options: Any) -> None:
        round_, path = self.round_and_file(options)
        waive_as_asked(round_, options)
        with progress("Looking at clips", total=_rows(path)) as step:
            report = import_clips(
                round_=round_,
                manifest=path,
                actor=actor(),
                replace=options["replace"],
                reason=options["reason"],
                on_row=step,
            )
        self.say("\n".join(_lines(report)))


def _rows(path: Path) -> int | None:
    try:
        content = regular_bytes(path, MAX_BYTES)
    except BadInput:  # the import itself says so, in its own words
        return None
    return sum(1 for line in content.splitlines() if line.strip()) - 1


def _lines(report: ImportReport) -> list[str]:
    lines = [
        f"{len(report.added)} cells added, {len(report.replaced)} replaced, {report.unchanged} "
        "unchanged.",
        *(f"New provisional configuration: {name}" for name in report.provisional),
        *(f"Note, {note}" for note in report.notes),
        *(f"Not generated yet: {cell}" for cell in report.waiting),
    ]
    if report.waiting:
        lines.append(
            "The round opens when each cell has an outcome; “mark_cell” sets one that brought no "
            "clip."
        )
    return lines
