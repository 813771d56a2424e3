"""Lists what media files say besides picture and sound; status 1 when any of it is a leak."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from blinding.leakscan import Finding, scan
from fartbench.errors import Refusal


class Command(BaseCommand):
    """manage.py leak_scan FILE..."""

    help = (
        "List every readable string and every field that playing does not need in media files of "
        "any origin. "
        "Lines that begin with “!” name an encoder, tool, vendor, person, place or time; the exit "
        "status is then 1."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own way to say so

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the files and the output format."""
        parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object per file and line"
        )

    def handle(self, *args: Any, files: list[Path], json: bool, **options: Any) -> None:  # noqa: ARG002 - Django's signature
        """Scan each file and print what was found."""
        flagged, failed = 0, []
        for path in files:
            try:
                findings = scan(path)
            except Refusal as refusal:
                failed.append(str(refusal))
                continue
            flagged += sum(finding.flagged for finding in findings)
            self._print(path, findings, as_json=json)
        if failed:
            raise CommandError("\n".join(failed))
        if flagged:
            sys.exit(1)

    def _print(self, path: Path, findings: list[Finding], *, as_json: bool) -> None:
        if as_json:
            self.stdout.write(
                json.dumps(
                    {"file": str(path), "findings": [finding.as_json() for finding in findings]}
                )
            )
            return
        leaks = sum(finding.flagged for finding in findings)
        self.stdout.write(f"{path}: {leaks} leaks, {len(findings) - leaks} other things found")
        for finding in findings:
            mark = (
                f"! {finding.place}: {finding.value}  [{finding.reason}]"
                if finding.flagged
                else f"  {finding.place}: {finding.value}"
            )
            self.stdout.write(f"  {mark}")
