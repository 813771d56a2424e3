"""The manifest of a release: what it is, with which program it was made, and the hash of every
file. No Django here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from fartbench.protocol import digest_of
from scoring.records import RoundRecord
from scoring.records.rules import FORMAT

MANIFEST = "manifest.json"
_APART = ("program", "packages", "audit", "assignment")  # parts of their own in a manifest


@dataclass(frozen=True)
class Replaced:
    """The release that a correction replaces, and why."""

    number: int
    digest: str
    reason: str


@dataclass(frozen=True)
class Issue:
    """What a release says of itself that is not in the record of its round.

    ``address`` is where it is published; ``licence`` is the address of the terms of use, or empty;
    ``program`` names version and commit, ``packages`` the versions of what computed it; ``audit``
    is the sequence and hash of the newest entry of the audit trail; ``assignment`` are the entries
    that fix whose clip is whose, whole, each with its hash.
    """

    number: int
    address: str
    demonstration: bool
    audit: Mapping[str, Any]
    program: Mapping[str, str] = field(default_factory=dict)
    packages: Mapping[str, str] = field(default_factory=dict)
    replaces: Replaced | None = None
    licence: str = ""
    assignment: tuple[Mapping[str, Any], ...] = ()


def manifest(record: RoundRecord, issue: Issue, files: Mapping[str, str]) -> dict[str, Any]:
    """Return the manifest. ``digest`` is the SHA-256 over the canonical bytes of all the rest: the
    release's own.
    """
    about_release = {key: value for key, value in asdict(issue).items() if key not in _APART}
    seeds = {"round": record.seed}
    if record.secret:
        seeds["orders"] = record.secret
    stated: dict[str, Any] = {
        "format": FORMAT,
        "release": about_release,
        "round": {
            "name": record.name,
            "protocol": record.protocol.label,
            "protocol_digest": record.protocol_digest,
            "scenes": list(record.scenes),
            "replicates": record.replicates,
            "opened_at": record.opened_at,
            "closed_at": record.closed_at,
            "incomplete_reason": record.incomplete_reason,
            "reviewers": [asdict(reviewer) for reviewer in record.reviewers],
        },
        "seeds": seeds,
        "program": dict(issue.program),
        "packages": dict(issue.packages),
        "audit": dict(issue.audit),
    }
    if issue.assignment:
        stated["assignment"] = [dict(entry) for entry in issue.assignment]
    stated["files"] = dict(sorted(files.items()))
    return {**stated, "digest": digest_of(stated)}


def issue_of(stated: Mapping[str, Any]) -> Issue:
    """Return what a manifest says of its release. KeyError or TypeError when it is no manifest."""
    release = dict(stated["release"])
    replaced = release.pop("replaces")
    return Issue(
        **release,
        replaces=Replaced(**replaced) if replaced else None,
        program=stated["program"],
        packages=stated["packages"],
        audit=stated["audit"],
        assignment=tuple(stated.get("assignment", ())),
    )
