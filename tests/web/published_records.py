"""Publishes rounds that were made as columns, for their pages: the documents of a release without
its files, clips and locks.
"""

from __future__ import annotations

from pathlib import Path

from django.utils import timezone

from fartbench import writeonce
from fartbench.models import Round, RoundState
from scoring.models import Release, ReleaseDocument
from scoring.records import RoundRecord
from scoring.release.kinds import documents_of, kind_of
from tests.factories import make_protocol, make_round


def publish_record(record: RoundRecord, protocol: Path, *, name: str) -> Release:
    """Return the release of a published round with the documents of a record."""
    documents = documents_of(record)
    round_ = make_round(name=name, protocol=make_protocol(protocol), scenes=list(record.scenes))
    writeonce.uninstall()  # rows come without the steps that the guards watch
    try:
        Round.objects.filter(pk=round_.pk).update(
            state=RoundState.PUBLISHED,
            replicates=record.replicates,
            opened_at=timezone.now(),
            closed_at=timezone.now(),
            published_at=timezone.now(),
        )
        release = Release.objects.create(
            round=Round.objects.get(pk=round_.pk),
            number=1,
            created_at=timezone.now(),
            scores=documents.scores,
            digest=f"{round_.pk:064x}",
            manifest={"files": {}},
            demonstration=True,
        )
        ReleaseDocument.objects.bulk_create(
            ReleaseDocument(release=release, name=document, content=content)
            for document, content in kind_of(record.protocol).pages(documents)
        )
    finally:
        writeonce.install()
    return release
