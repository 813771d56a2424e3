"""Checks a protocol folder without loading it."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from authoring.claims import check_folder
from authoring.sets import SET_FILE
from fartbench.commands import Command as Base
from fartbench.errors import BadInput
from fartbench.protocol import Protocol, form_keys, load_protocol
from fartbench.protocol.loader import FILE_NAME
from generation.prompts.agreement import specification_faults


class Command(Base):
    help = (
        "Check a protocol folder, and the specifications of its scenes: each fault with file, path "
        "and rule. "
        "A folder of scenarios (set.yaml) is checked against every claim of its constraints."
    )
    needs_database = False

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "folder", type=Path, help="the folder that holds protocol.yaml or set.yaml"
        )

    def run(self, **options: Any) -> None:
        folder = options["folder"]
        has_scenarios = (folder / SET_FILE).is_file()
        if has_scenarios:
            self.check_scenarios(folder)
        if not has_scenarios or (folder / FILE_NAME).is_file():
            self.check_rules(folder)

    def check_scenarios(self, folder: Path) -> None:
        """Say that the scenarios of a folder hold their claims. Raises BadInput with what is
        off.
        """
        report = check_folder(folder)
        for finding in report.findings:
            if finding.warn_only:
                self.say(str(finding))
        if report.faults:
            raise BadInput(str(folder), [str(finding) for finding in report.faults])
        checked = report.checked
        if checked.about.extent == "whole":
            what = "the whole set"
        else:
            what = "single scenarios"
        self.say(
            f"{checked.about.name} {checked.about.version}: {len(checked.scenarios)} scenarios "
            f"hold all {report.claims} claims about {what}. SHA-256 {checked.digest}."
        )

    def check_rules(self, folder: Path) -> None:
        """Say that the rules of a folder are sound. Raises BadInput with what is wrong."""
        file = load_protocol(folder)
        protocol = file.protocol
        if faults := specification_faults(protocol):
            raise BadInput(f"The specifications of {protocol.label}", faults)
        cohort = protocol.cohort
        self.say(
            f"{protocol.label} is sound: {len(protocol.scenes)} scenes, {_asked(protocol)}, "
            f"{cohort.consensus} of {cohort.size} reviewers make a consensus, {_scored(protocol)}. "
            f"SHA-256 {file.digest}."
        )


def _asked(protocol: Protocol) -> str:
    if protocol.rollouts is not None:
        return (
            f"{len(form_keys(protocol))} forms about {len(protocol.rollouts.units.kinds)} kinds of "
            "windows"
        )
    return f"{len(protocol.questions)} questions"


def _scored(protocol: Protocol) -> str:
    if protocol.rollouts is not None:
        return f"{len(protocol.rollouts.metrics.metrics)} metrics side by side"
    return f"scored by {'dimensions' if protocol.scoring.is_weighted else 'gates'}"
