"""Publishing: a closed round becomes a release, in files and in rows."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from django.conf import settings
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from blinding import marks
from fartbench import audit
from fartbench.models import Round, RoundState
from fartbench.program import packages, program
from fartbench.protocol import digest_of
from fartbench.rounds import move, refuse_unless
from fartbench.storage import disk_faults_in_words
from fartbench.times import utc
from generation.models import Sample
from scoring.assigning import recorded
from scoring.errors import ClipsUnderReview, CorrectionRefused, ReleaseBlocked, RoundAltered
from scoring.models import Release, ReleaseDocument
from scoring.records import RoundRecord
from scoring.records.reading import read_round
from scoring.release.contents import write_release
from scoring.release.documents import Documents
from scoring.release.heads import heads_of_releases
from scoring.release.kinds import documents_of, kind_of
from scoring.release.loading import read_manifest
from scoring.release.manifest import Issue, Replaced
from scoring.round_trail import round_faults
from scoring.verdict_trail import verdict_faults

ROWS_PER_STATEMENT = 200
_UNFINISHED = ".unfinished-"


@transaction.atomic
def publish(*, round_: Round, actor: str, correction: str | None = None) -> Release:
    """Write a release of a closed round and show it to everyone; with ``correction``, one that
    replaces the last.

    The files appear in ``DATA_DIR/releases/ROUND/NUMBER`` when the rows do. Raises StepOutOfOrder,
    RoundAltered when rows are not what the audit trail recorded, ReleaseBlocked while results may
    still change, CorrectionRefused without a reason, and StorageFull.
    """
    replaced = _refuse_out_of_order(round_, correction)
    Round.objects.select_for_update().get(pk=round_.pk)
    record = _unaltered(round_)
    documents = documents_of(record)
    if faults := list(kind_of(record.protocol).faults(documents)):
        raise ReleaseBlocked(f"Round {round_.name!r} cannot be published yet", faults)
    release = Release(
        round=round_,
        number=replaced.number + 1 if replaced else 1,
        created_at=timezone.now(),
        scores=documents.scores,
        demonstration=record.is_demonstration,
        replaces=replaced,
        correction_reason=(correction or "").strip(),
    )
    with _folder_for(release) as folder:
        release.digest = write_release(folder, documents, round_.protocol.content, _issue(release))
        release.manifest = read_manifest(folder)
        _save(release, documents)
        if replaced is None:
            audit.hold()  # from here on nothing is opened beside this
            refuse_clips_under_review(round_)
            move(
                round_,
                to=RoundState.PUBLISHED,
                within=(RoundState.LOCKED,),
                published_at=release.created_at,
            )
        _record(round_, release, actor)
    return release


def _record(round_: Round, release: Release, actor: str) -> None:
    details: dict[str, Any] = {
        "release": release.number,
        "digest": release.digest,
        "created_at": utc(release.created_at),
        "published_at": utc(round_.published_at),
        "pages": pages_digest(release),
    }
    action = "round published"
    if release.replaces:
        action = "release corrected"
        details |= {"replaces": release.replaces.number, "reason": release.correction_reason}
    audit.record(action, actor=actor, round_name=round_.name, **details)


def _refuse_out_of_order(round_: Round, correction: str | None) -> Release | None:
    """Return the release that a correction replaces, or None for a first one."""
    if correction is None:
        refuse_unless(round_, "publish", RoundState.LOCKED)
        refuse_clips_under_review(round_)
        return None
    last = Release.objects.filter(round=round_).order_by("-number").first()
    if last is None:
        raise CorrectionRefused(
            f"Round {round_.name!r} has no release to correct. Publish it first."
        )
    if not correction.strip():
        raise CorrectionRefused("A correction needs --reason: say what was wrong.")
    return last


def refuse_clips_under_review(round_: Round) -> None:
    """Raise ClipsUnderReview while an open round asks about a clip that this release would show
    with its maker.
    """
    own = Sample.objects.filter(cell__round=round_)
    open_rounds = Sample.objects.filter(cell__round__state=RoundState.REVIEWING).exclude(
        cell__round=round_
    )
    asked = Sample.every.filter(pk__in=marks.shared(open_rounds, own))
    faults = [
        f"{sample.cell}: round {sample.cell.round.name!r} is open and asks about this clip; close "
        "it first"
        for sample in asked.select_related("cell__round", "cell__configuration").order_by("pk")
    ]
    if faults:
        raise ClipsUnderReview(f"Round {round_.name!r} cannot be published yet", faults)


def _unaltered(round_: Round) -> RoundRecord:
    """Return the round as its rows say it.

    Raises RoundAltered unless the audit trail holds, and the rows are what it recorded of them.
    """
    faults: list[str] = []
    try:
        record = read_round(round_)
    except RoundAltered as refusal:
        faults += refusal.faults
    except LookupError as error:
        faults.append(f"its rows do not belong together: {error!r}")
    faults += [f"audit trail: {fault}" for fault in audit.faults(heads_of_releases())]
    faults += round_faults(round_)
    if not faults and round_.protocol.rules.rollouts:
        faults += verdict_faults()
    if faults:
        raise RoundAltered(round_.name, faults)
    return record


def _issue(release: Release) -> Issue:
    head = audit.head()
    replaced = release.replaces
    return Issue(
        number=release.number,
        address=settings.BASE_URL + reverse("leaderboard", args=[release.round.name]),
        demonstration=release.demonstration,
        audit={"sequence": head.sequence, "hash": head.hash},
        program=program(),
        packages=packages(),
        replaces=Replaced(replaced.number, replaced.digest, release.correction_reason)
        if replaced
        else None,
        licence=settings.RELEASE_LICENCE,
        assignment=tuple(
            {**entry.content(), "hash": entry.hash} for entry in recorded(release.round.name)
        ),
    )


def _save(release: Release, documents: Documents[Any]) -> None:
    release.save()
    pages = kind_of(documents.results.protocol).pages(documents)
    ReleaseDocument.objects.bulk_create(
        (ReleaseDocument(release=release, name=name, content=content) for name, content in pages),
        batch_size=ROWS_PER_STATEMENT,
    )


def pages_digest(release: Release) -> str:
    """Return the SHA-256 of what pages read of a release, as the database gives it back."""
    return digest_of(
        [list(row) for row in release.documents.order_by("name").values_list("name", "content")]
    )


@contextmanager
def _folder_for(release: Release) -> Iterator[Path]:
    """Yield an empty folder that becomes the release's when the block ends well.

    A folder of that number without a row is what a crash left between the files and the commit; it
    is replaced.
    """
    target = release.folder
    with disk_faults_in_words(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        # The round's row is locked: nobody else writes here, and what lies about is a killed run's.
        for left in target.parent.glob(f"{_UNFINISHED}*"):
            shutil.rmtree(left)
        with tempfile.TemporaryDirectory(dir=target.parent, prefix=_UNFINISHED) as work:
            folder = Path(work) / "release"
            folder.mkdir()
            yield folder
            if target.exists():
                shutil.rmtree(target)
            folder.replace(target)
            target.with_name(f"{target.name}.zip").unlink(missing_ok=True)
