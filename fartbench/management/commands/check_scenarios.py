"""Checks a folder of scenarios claim by claim."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from fartbench.commands import Command as Base
from fartbench.errors import BadInput
from fartbench.scenarios.claims import check_folder


class Command(Base):
    help = (
        "Check a folder of scenarios (set.yaml, constraints, scenarios/) against every claim of its constraints, "
        "and name what is off. A part of a set is held to the claims about single scenarios."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, help="for instance fixtures/protocols/streamav/0.1.0")

    def run(self, **options: Any) -> None:
        report = check_folder(options["folder"])
        for finding in report.findings:
            if finding.warn_only:
                self.say(str(finding))
        if report.faults:
            raise BadInput(str(options["folder"]), [str(finding) for finding in report.faults])
        found = report.checked
        what = "the whole set" if found.about.extent == "whole" else "single scenarios"
        self.say(
            f"{found.about.name} {found.about.version}: {len(found.scenarios)} scenarios hold all {report.claims} "
            f"claims about {what}. SHA-256 {found.digest}."
        )
