"""Whether the audit trail is whole, and says the same as the rows it tells of: what “verify_audit” checks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import QuerySet

from fartbench import audit
from fartbench.audit import Link
from fartbench.models import AuditEntry, Round
from review.models import AnswerSheet, Vote
from scoring.errors import ReleaseRefused
from scoring.models import Release
from scoring.release.loading import read_manifest


def trail_faults(noted: Iterable[Link] = ()) -> Iterator[str]:
    """Yield a sentence for each fault: of the chain, against the heads that releases state and the ones ``noted``
    elsewhere, and for each lock, round step and release that stands in rows alone or in the trail alone.
    """
    yield from audit.faults([*noted, *heads_of_releases()])
    yield from _differences("the sheet of {1} on {0}", _locked_sheets(), _recorded_locks())
    yield from _differences("the vote of {1} on pair {0}", _locked_votes(), _recorded_votes())
    yield from _differences("release {1} of round {0}", _releases(), _recorded_releases())
    for field, action in (("opened_at", "round opened"), ("closed_at", "round closed")):
        recorded = set(AuditEntry.objects.filter(action=action).values_list("round_name", flat=True))
        stand = set(Round.objects.exclude(**{field: None}).values_list("name", flat=True))
        yield from (f"round {name}: no entry “{action}” tells of it" for name in sorted(stand - recorded))
        yield from (
            f"round {name}: an entry “{action}” tells of it, its row does not" for name in sorted(recorded - stand)
        )


def heads_of_releases() -> Iterator[Link]:
    """Yield the head of the chain that each release states, in its row and in its folder."""
    for release in Release.objects.select_related("round").defer("scores").order_by("pk"):
        yield _head_in(release.manifest, f"{release}")
        try:
            yield _head_in(read_manifest(release.folder), f"{release.folder}")
        except ReleaseRefused:
            continue  # the folder may be kept elsewhere; “verify_release” is for what it holds


def _head_in(manifest: dict[str, Any], noted: str) -> Link:
    stated = manifest["audit"]
    return Link(int(stated["sequence"]), str(stated["hash"]), noted)


def _locked_sheets() -> dict[tuple[str, str], str]:
    locked = AnswerSheet.objects.filter(locked_at__isnull=False)
    rows = locked.values_list("stimulus_id", "reviewer__code", "digest")
    return {(stimulus, reviewer): digest for stimulus, reviewer, digest in rows.iterator()}


def _locked_votes() -> dict[tuple[str, str], str]:
    locked = Vote.objects.filter(locked_at__isnull=False)
    rows = locked.values_list("task__pair_id", "task__member__reviewer__code", "digest")
    return {(pair, reviewer): digest for pair, reviewer, digest in rows.iterator()}


def _recorded_votes() -> dict[tuple[str, str], str]:
    rows = _entries("vote locked").values_list("actor", "details")
    return {(_text(details, "pair"), reviewer): _text(details, "digest") for reviewer, details in rows.iterator()}


def _recorded_locks() -> dict[tuple[str, str], str]:
    rows = _entries("sheet locked").values_list("actor", "details")
    return {(_text(details, "stimulus"), reviewer): _text(details, "digest") for reviewer, details in rows.iterator()}


def _releases() -> dict[tuple[str, str], str]:
    rows = Release.objects.values_list("round__name", "number", "digest")
    return {(name, str(number)): digest for name, number, digest in rows}


def _recorded_releases() -> dict[tuple[str, str], str]:
    rows = _entries("round published", "release corrected").values_list("round_name", "details")
    return {(name, _text(details, "release")): _text(details, "digest") for name, details in rows}


def _text(details: Any, name: str) -> str:
    # Details that somebody changed may be anything.
    return str(details.get(name, "")) if isinstance(details, dict) else ""


def _entries(*actions: str) -> QuerySet[AuditEntry]:
    return AuditEntry.objects.filter(action__in=actions).order_by()


def _differences(words: str, rows: dict[tuple[str, str], str], recorded: dict[tuple[str, str], str]) -> Iterator[str]:
    """Yield what has no row, no entry, or another SHA-256 in its row than in its entry."""
    for place in sorted(rows.keys() | recorded.keys()):
        what = words.format(*place)
        if place not in recorded:
            yield f"{what}: no entry tells of it"
        elif place not in rows:
            yield f"{what}: an entry tells of it, and there is no such row"
        elif rows[place] != recorded[place]:
            yield f"{what}: its row has SHA-256 {rows[place]}, its entry {recorded[place]}"
