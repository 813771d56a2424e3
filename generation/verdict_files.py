"""Verdicts as a table: what one installation's experts gave, to be taken in by another, whole or
not at all.
"""

from __future__ import annotations

import csv
from datetime import datetime
from pathlib import Path

from django.db import transaction
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_aware

from fartbench import audit
from fartbench.models import ProtocolVersion
from fartbench.protocol.rollouts.verdicts import REVIEWERS
from fartbench.tables import Row, guarded, plain, read_table
from generation.errors import VerdictRefused, VerdictsRefused
from generation.verdicts import give_verdict, lines_of

COLUMNS = ("scenario", "digest", "expert", "verdict", "words", "given_at")


def export_verdicts(protocol: ProtocolVersion, path: Path) -> tuple[int, int]:
    """Write the verdicts on a protocol's scenarios as CSV; return how many, and how many wait for a
    second one.
    """
    given = [line.rows for line in lines_of(protocol)]
    shown = [row for rows in given if len(rows) >= REVIEWERS for row in rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file)
        table.writerow(COLUMNS)
        for row in shown:
            at = row.said_at or row.at
            cells = (row.scenario, row.digest, row.expert, row.verdict, row.words, at.isoformat())
            table.writerow(map(guarded, cells))
    return len(shown), sum(map(len, given)) - len(shown)


def import_verdicts(protocol: ProtocolVersion, path: Path, *, actor: str) -> int:
    """Take in a CSV of verdicts in its order and return how many.

    Each counts from now on: what a file says of its time is kept beside. Raises VerdictsRefused
    naming every fault by row and column: another content than this protocol's, a verdict that is
    not asked for, a time that is none.
    """
    rows = read_table(path, required=COLUMNS)
    digests = {line.scenario.key: line.digest for line in lines_of(protocol)}
    faults: list[str] = []
    with transaction.atomic():
        for row in rows:
            try:
                _take(protocol, row, digests)
            except VerdictRefused as refusal:
                faults.append(f"row {row.number}: {refusal}")
        if faults:
            raise VerdictsRefused(str(path), faults)
        audit.record(
            "scenario verdicts imported", actor=actor, protocol=str(protocol), verdicts=len(rows)
        )
    return len(rows)


def _take(protocol: ProtocolVersion, row: Row, digests: dict[str, str]) -> None:
    if digests.get(row["scenario"], row["digest"]) != row["digest"]:
        raise VerdictRefused(
            f"{row['scenario']}: the verdict is about another content than that of {protocol}."
        )
    give_verdict(
        protocol=protocol, scenario=row["scenario"], expert=plain(row["expert"]),
        verdict=row["verdict"],
        words=plain(row["words"]), said_at=_time(row),
    )  # fmt: skip


def _time(row: Row) -> datetime:
    try:
        given_at = parse_datetime(row["given_at"])
    except ValueError:
        given_at = None
    if given_at is None or not is_aware(given_at):
        raise VerdictRefused(
            f"given_at: {row['given_at']!r} is not a time such as 2026-11-30T14:05:00Z."
        )
    return given_at
