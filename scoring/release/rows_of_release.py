"""Whether the rows of a release, which pages are drawn from, say what its folder and the audit
trail say.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from fartbench.models import AuditEntry
from fartbench.protocol import digest_of
from scoring.errors import ReleaseRefused
from scoring.models import Release
from scoring.release.kinds import documents_of, kind_of
from scoring.release.loading import load_record, read_manifest
from scoring.release.publishing import pages_digest
from scoring.release.verifying import NONSENSE


def row_faults(release: Release) -> Iterator[str]:
    """Yield a sentence for each row of a release that says something else than what was published.

    What pages read is compared with the digest in the audit trail; where older versions recorded
    none, it is made again from the release's folder.
    """
    manifest = dict(release.manifest)
    digest = manifest.pop("digest", "")
    if digest != release.digest or digest_of(manifest) != digest:
        yield "the row with its manifest was changed"
        return
    try:
        yield from _column_faults(release)
        stated = read_manifest(release.folder)
        if release.scores != json.loads((release.folder / "scores.json").read_bytes()):
            yield "the row with its scores says something else than scores.json"
        yield from _page_faults(release, stated)
    except (ReleaseRefused, OSError, *NONSENSE) as error:
        yield f"its rows cannot be compared with its folder: {error}"


def _column_faults(release: Release) -> Iterator[str]:
    stated = release.manifest["release"]
    replaces = release.replaces
    replaced = (
        {"number": replaces.number, "digest": replaces.digest, "reason": release.correction_reason}
        if (replaces)
        else None
    )
    for name, row in (
        ("number", release.number),
        ("demonstration", release.demonstration),
        ("replaces", replaced),
    ):
        if stated.get(name) != row:
            yield f"its row says {row!r} for “{name}”, its manifest {stated.get(name)!r}"


def _page_faults(release: Release, stated: dict[str, Any]) -> Iterator[str]:
    entries = AuditEntry.objects.filter(
        action__in=("round published", "release corrected"), round_name=release.round.name
    )
    said: dict[str, Any] = next(
        (one.details for one in entries if one.details.get("release") == release.number), {}
    )
    if "pages" in said:
        if said["pages"] != pages_digest(release):
            yield "what its pages are drawn from is not what was published"
        return
    record, _ = load_record(release.folder, stated)
    documents = documents_of(record)
    made = {
        name: json.loads(json.dumps(content))
        for name, content in kind_of(record.protocol).pages(documents)
    }
    stored = dict(release.documents.values_list("name", "content"))
    for name in sorted(made.keys() | stored.keys()):
        if made.get(name) != stored.get(name):
            yield f"what its pages say under {name!r} does not follow from its folder"
