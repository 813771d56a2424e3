"""The heads of the audit trail that releases state: what the trail must still contain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fartbench.links import Link
from scoring.errors import ReleaseRefused
from scoring.models import Release
from scoring.release.loading import read_manifest


def heads_of_releases() -> Iterator[Link]:
    """Yield the head of the chain that each release states, in its row and in its folder."""
    for release in Release.objects.select_related("round").defer("scores").order_by("pk"):
        yield _head_in(release.manifest, f"{release}")
        try:
            yield _head_in(read_manifest(release.folder), f"{release.folder}")
        except ReleaseRefused:
            continue  # the folder may be kept elsewhere; “verify_release” is for what it holds


def _head_in(manifest: dict[str, Any], noted: str) -> Link:
    try:
        stated = manifest["audit"]
        return Link(int(stated["sequence"]), str(stated["hash"]), noted)
    except (LookupError, TypeError, ValueError):
        return Link(0, "that it does not state", noted)  # so that it is named as one that is missed
