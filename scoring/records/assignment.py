"""Whose clip is whose in a round, and who answers: one digest over all of it, keyed with the
round's secret.

The same digest is made from the rows of a database and from the files of a release. Without the
secret, which is published after the close, nobody can try out which assignment gives a digest. No
Django here.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, fields, replace
from typing import Any, Protocol

from fartbench.protocol import canonical_bytes
from scoring.records.rows import CellRecord, ConfigurationRecord, ReviewerRecord, WindowRecord

RECORDED = "assignment recorded"  # the audit trail's word for an entry with such a digest
# Each of these steps changes who answers about what, and is followed by an entry with the new
# digest.
CHANGES = ("reviewer replaced", "secondary reviewer added", "stimulus retired")
_PURPOSE = b"fartbench.assignment\n"


class Assigned(Protocol):
    """What a round fixes when it opens: an `Outline`, or a whole `RoundRecord`."""

    @property
    def name(self) -> str: ...
    @property
    def protocol_digest(self) -> str: ...
    @property
    def scenes(self) -> tuple[str, ...]: ...
    @property
    def replicates(self) -> int: ...
    @property
    def seed(self) -> str: ...
    @property
    def opened_at(self) -> str: ...
    @property
    def configurations(self) -> Sequence[ConfigurationRecord]: ...
    @property
    def cells(self) -> Sequence[CellRecord]: ...
    @property
    def windows(self) -> Sequence[WindowRecord]: ...
    @property
    def reviewers(self) -> Sequence[ReviewerRecord]: ...


@dataclass(frozen=True)
class Outline:
    """A round without its answers; the fields are those of `scoring.records.RoundRecord`."""

    name: str
    protocol_digest: str
    scenes: tuple[str, ...]
    replicates: int
    seed: str
    opened_at: str
    configurations: tuple[ConfigurationRecord, ...]
    cells: tuple[CellRecord, ...]
    windows: tuple[WindowRecord, ...]
    reviewers: tuple[ReviewerRecord, ...]


def assignment_digest(round_: Assigned, secret: str) -> str:
    """Return the HMAC-SHA-256 (hex) over configurations, cells with clips and outcomes, windows,
    codes and roles.

    Notes about cells that cannot be compared may still be made, and have entries of their own.
    """
    # What a clip is from has been in a digest of its own from the first opening on.
    cells = [_values_but(replace(cell, limitation=""), "origin") for cell in round_.cells]
    content = {
        "round": [
            round_.name,
            round_.protocol_digest,
            list(round_.scenes),
            round_.replicates,
            round_.seed,
        ],
        "opened_at": round_.opened_at,
        "configurations": _values(round_.configurations),
        "cells": cells,
        "windows": _values(round_.windows),
        "reviewers": _values(round_.reviewers),
    }
    return keyed_digest(content, secret)


def _values_but(record: Any, name: str) -> list[Any]:
    return [getattr(record, one.name) for one in fields(record) if one.name != name]


def _values(records: Iterable[Any]) -> list[list[Any]]:
    """Return the fields of records, in their order."""
    return [list(astuple(record)) for record in records]


def keyed_digest(content: Any, secret: str) -> str:
    """Return the HMAC-SHA-256 (hex) of plain JSON under a round's secret."""
    return hmac.new(
        secret.encode(), _PURPOSE + canonical_bytes(content), hashlib.sha256
    ).hexdigest()


def secret_sha256(secret: str) -> str:
    """Return the digest by which an opening commits to the round's secret."""
    return hashlib.sha256(secret.encode()).hexdigest()
