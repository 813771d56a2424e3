"""Whether an installation is what it was: its audit trail, locked sheets, clips, blind copies and
releases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fartbench import writeonce
from fartbench.models import Round
from operations.auditing import trail_faults
from operations.backup.folder import stores
from operations.backup.making import content_named
from scoring.errors import RoundAltered
from scoring.models import Release
from scoring.records.reading import read_round
from scoring.release.rows_of_release import row_faults
from scoring.release.verifying import NONSENSE, release_faults


def data_faults(on_file: Callable[[], None] = lambda: None) -> Iterator[str]:
    """Yield a sentence for each row or file that is missing, or is not what was recorded when it
    was made.
    """
    yield from writeonce.faults()
    yield from (f"audit trail: {fault}" for fault in trail_faults())
    for round_ in Round.objects.exclude(opened_at=None).select_related("protocol").order_by("pk"):
        try:
            read_round(round_)
        except RoundAltered as refusal:
            yield from (f"round {round_.name}: {fault}" for fault in refusal.faults)
        except NONSENSE as error:
            yield f"round {round_.name}: its rows cannot be read: {error!r}"
    yield from _content_faults(on_file)
    for release in Release.objects.select_related("round").defer("scores").order_by("pk"):
        yield from (
            f"{release}: {fault}" for fault in release_faults(release.folder, release.digest)
        )
        yield from (f"{release}: {fault}" for fault in row_faults(release))


def _content_faults(on_file: Callable[[], None]) -> Iterator[str]:
    words = {"clips": "raw clip", "blind": "blind copy"}
    by_kind = stores()
    for kind, sha256 in content_named():
        there = by_kind[kind].stored_sha256(sha256)
        if there is None:
            yield f"{words[kind]} {sha256}: missing from storage"
        elif there != sha256:
            yield f"{words[kind]} {sha256}: changed in storage, it has SHA-256 {there}"
        on_file()
