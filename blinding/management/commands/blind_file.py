"""Makes the blind copy of one file and proves it; needs no database."""

import json
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from blinding.copying import blind_copy
from blinding.leakscan import scan
from blinding.proof import prove
from fartbench.errors import Refusal
from fartbench.storage import disk_faults_in_words, wait_for_disk

OTHER_CONTAINERS = (".webm", ".mkv")


class Command(BaseCommand):
    """manage.py blind_file IN OUT [--size N]"""

    help = (
        "Copy a clip's coded picture and sound unchanged into a file with nothing else, pad it if "
        "asked, and print "
        "the proof as JSON. "
        "OUT is an MP4 file, whatever IN is. "
        "Nothing stays at OUT unless the proof holds and no leak is left."
    )
    requires_system_checks: list[str] = []  # noqa: RUF012 - Django's own way to say so

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Declare the two files and the size."""
        parser.add_argument("source", type=Path, metavar="IN")
        parser.add_argument("target", type=Path, metavar="OUT")
        parser.add_argument("--size", type=int, metavar="N", help="pad OUT to exactly N bytes")

    def handle(
        self,
        *args: Any,  # noqa: ARG002 - Django's signature
        source: Path,
        target: Path,
        size: int | None,
        **options: Any,  # noqa: ARG002 - Django's signature
    ) -> None:
        """Copy, pad, prove, scan and print."""
        try:
            found = blind_file(source, target, size)
        except Refusal as refusal:
            raise CommandError(str(refusal)) from refusal
        self.stdout.write(json.dumps(found, indent=2))


def blind_file(source: Path, target: Path, size: int | None) -> dict[str, Any]:
    """Make the blind copy of ``source`` at ``target`` and return its proof as a JSON object; raise
    a Refusal and leave no file otherwise.
    """
    if target.suffix.lower() in OTHER_CONTAINERS:
        raise NotAnMp4Name(f"{target}: blind copies are MP4 files. Name an OUT that ends in .mp4.")
    if target.exists() and target.samefile(source):
        raise SameFile(f"{target} is the clip itself; name another file to write.")
    try:
        with disk_faults_in_words(target.absolute().parent):
            return _blind_file(source, target, size)
    except Refusal:
        target.unlink(missing_ok=True)
        raise


def _blind_file(source: Path, target: Path, size: int | None) -> dict[str, Any]:
    result = blind_copy(source, target, size=size)
    proof = prove(source, target)
    proof.insist(source)
    leaks = [
        finding.as_json()
        for finding in scan(target)
        if finding.flagged and not finding.may_be_chance
    ]
    if leaks:
        raise LeaksLeft(f"{source.name}: {len(leaks)} leaks are left in its copy: {leaks[0]}")
    wait_for_disk(target)
    wait_for_disk(target.absolute().parent)
    again = {"size": result.blind_size, "leaks": leaks}
    return {"copy": result.as_json(), "proof": proof.as_json(), "blind": again}


class NotAnMp4Name(Refusal):
    """The name for a blind copy promises another kind of file than MP4."""


class SameFile(Refusal):
    """A blind copy would overwrite the clip it is made from."""


class LeaksLeft(Refusal):
    """The blind copy still says something besides picture and sound."""
