"""Checks a release without a database: every hash, and every file made again from the answers.

No Django here.
"""

from __future__ import annotations

import csv
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fartbench.links import Link
from fartbench.numbers import signed_zeros
from fartbench.protocol import ProtocolError, digest_of
from scoring.errors import ReleaseRefused
from scoring.records import DELIVERED, RoundRecord
from scoring.records.assignment import RECORDED, assignment_digest, secret_sha256
from scoring.release.comparing import Compared, compare
from scoring.release.contents import write_release
from scoring.release.folder import folder_faults
from scoring.release.kinds import documents_of
from scoring.release.loading import load_record, read_manifest
from scoring.release.manifest import MANIFEST, issue_of
from scoring.release.versions import Change

FAULTS_SHOWN = 20
NONSENSE = (
    ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError, csv.Error,
    ProtocolError,
)  # fmt: skip
"""What it raises to read a release, and to make it again, where somebody sealed a value of another
kind into it.
"""

_SIGNED_ZERO = re.compile(rb"-0(?:\.0+)?(?![\d.eE])")


@dataclass(frozen=True)
class Verified:
    """A release that holds: its digest, and how much was checked.

    ``not_recomputed`` are the values whose rule changed since its format: how many of them are not
    what the rule of today gives. ``locks_checked`` of the ``locks`` of sheets and votes have a
    digest that was computed again; the others are of an older version.
    """

    round: str
    number: int
    digest: str
    files: int
    answers: int
    locks: int
    locks_checked: int
    replaces: str
    audit_head: str
    opened: tuple[str, ...]
    assignment_is_checked: bool
    format: int
    not_recomputed: Mapping[Change, int]


def verify_release(folder: Path) -> Verified:
    """Compare every hash with the manifest, and every file with what the answers in the release
    give.

    Raises ReleaseRefused, naming each file that is missing, additional, changed, or not what the
    answers give.
    """
    stated = read_manifest(folder)
    refuse(folder, _hash_faults(folder, stated["files"]))
    try:
        record, protocol = load_record(folder, stated)
        issue = issue_of(stated)
        head = Link.parse(f"{issue.audit['sequence']}:{issue.audit['hash']}")
        refuse(folder, assignment_faults(record, issue.assignment, head))
        refuse(folder, demonstration_faults(record, stated=issue.demonstration))

        def made_again() -> Compared:
            """Return how the release differs from what its answers give."""
            with tempfile.TemporaryDirectory() as work:
                write_release(Path(work), documents_of(record), protocol, issue)
                return compare(folder, Path(work), stated)

        compared = made_again()
        if compared.faults and _has_signed_zeros(folder):
            with signed_zeros():
                signed = made_again()
            compared = min(compared, signed, key=lambda one: len(one.faults))
    except NONSENSE as error:
        raise ReleaseRefused(
            folder, [f"its tables cannot be read as a release: {error}"]
        ) from error
    refuse(folder, compared.faults)
    played = [*record.sheets.playback_sha256, *(vote.playback_sha256 for vote in record.pair_votes)]
    return Verified(
        round=record.name,
        number=issue.number,
        digest=stated["digest"],
        files=len(stated["files"]) + 1,
        answers=record.sheets.answers.size,
        locks=len(played),
        locks_checked=sum(map(bool, played)),
        replaces=issue.replaces.digest if issue.replaces else "",
        audit_head=str(head),
        opened=tuple(f"{entry['sequence']}:{entry['hash']}" for entry in issue.assignment),
        assignment_is_checked=bool(issue.assignment and record.secret),
        format=record.format,
        not_recomputed=compared.changed,
    )


def demonstration_faults(record: RoundRecord, *, stated: bool) -> list[str]:
    """Return why a release says wrongly whether it is a demonstration.

    Releases before format 3 do not say where their clips are from.
    """
    if record.is_demonstration and not stated:
        return ["it is not marked as a demonstration, but clips or answers of it are simulated"]
    knows_origins = all(cell.origin for cell in record.cells if cell.outcome == DELIVERED)
    if stated and knows_origins and not record.is_demonstration:
        return ["it is marked as a demonstration, but none of its clips or answers are simulated"]
    return []


def assignment_faults(
    record: RoundRecord, entries: Sequence[Mapping[str, Any]], head: Link
) -> list[str]:
    """Return why the release is not what was recorded of whose clip is whose; ``head`` is that of
    its audit trail.

    Each entry is shown whole, so that its hash can be computed again and compared with a head that
    was noted.
    """
    faults, last = [], 0
    for entry in entries:
        content = {name: value for name, value in entry.items() if name != "hash"}
        if digest_of(content) != entry["hash"] or (content["action"], content["round"]) != (
            RECORDED,
            record.name,
        ):
            faults.append(f"entry {entry['sequence']} of the audit trail is not what its hash says")
        if not last < entry["sequence"] <= head.sequence:
            faults.append(f"entry {entry['sequence']} of the audit trail is out of order")
        last = entry["sequence"]
    if faults or not entries or not record.secret:
        return faults
    details = entries[-1]["details"]
    if details["secret_sha256"] != secret_sha256(record.secret):
        return ["the secret of its orders is not the one that the round was opened with"]
    if details["assignment"] != assignment_digest(record, record.secret):
        return [f"whose clip is whose is not what entry {last} of the audit trail recorded"]
    return []


def release_faults(folder: Path, digest: str) -> Iterator[str]:
    """Yield a sentence for each thing in which a folder is not the release with this digest;
    computes nothing again.
    """
    try:
        stated = read_manifest(folder)
    except ReleaseRefused as refusal:
        yield from refusal.faults
        return
    if stated["digest"] != digest:
        yield f"its manifest has SHA-256 {stated['digest']}, and {digest} was published"
    yield from _hash_faults(folder, stated["files"])


def refuse(folder: Path, faults: list[str]) -> None:
    """Raise ReleaseRefused when there are faults."""
    if faults:
        raise ReleaseRefused(folder, faults[:FAULTS_SHOWN])


def _has_signed_zeros(folder: Path) -> bool:
    """Say whether a release may be of the time when the program still printed “-0.00”."""
    files = (path for kind in ("svg", "json", "csv") for path in folder.rglob(f"*.{kind}"))
    return any(_SIGNED_ZERO.search(path.read_bytes()) for path in files)


def _hash_faults(folder: Path, files: Mapping[str, str]) -> list[str]:
    return folder_faults(folder, files, but=MANIFEST)
