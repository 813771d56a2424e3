"""Making a backup while the site is in use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from django.apps import apps
from django.db import connection, transaction
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from blinding.models import BlindCopy, Stimulus
from fartbench import audit
from fartbench.program import program
from fartbench.storage import disk_faults_in_words
from generation.models import Clip, Sample
from operations import health
from operations.backup.folder import BackupList, file_of, finished_or_nothing, kept, stores, take_in
from operations.backup.rows import LEFT_OUT, TableFile, one_moment, tables, write_table
from review.models import TrainingClip
from scoring.models import Release
from scoring.release.verifying import release_faults


@dataclass(frozen=True)
class Made:
    """A backup that was made: its folder, how much is in it, what was damaged there, and what could
    not be had.
    """

    folder: Path
    rows: int
    files: int
    copied: int
    damaged: int
    missing: list[str]


def make_backup(folder: Path, *, actor: str, on_file: Callable[[], None] = lambda: None) -> Made:
    """Write a backup into ``folder``; what earlier ones brought there is read, and copied again
    only if it is damaged.

    Rows are those of one moment, written first: every file that they name was stored before. What
    is missing from storage is listed and does not keep the rest from being saved. Raises
    StorageFull, StorageAway, and OSError for a folder that cannot be written.
    """
    now = timezone.now()
    target = folder / now.strftime("%Y-%m-%dT%H%M%S.%fZ")
    with disk_faults_in_words(folder):
        for closed in (folder, folder / "content"):
            _close_to_others(closed)
    with disk_faults_in_words(folder), finished_or_nothing(target) as work:
        with one_moment():
            written = _write_tables(work)
            wanted = content_named()
            releases = list(Release.objects.select_related("round"))
            head = str(audit.head())
            applied = sorted(map(list, MigrationRecorder(connection).applied_migrations()))
        missing, copied, damaged = _save_content(folder / "content", wanted, on_file)
        missing += _save_releases(folder / "content", releases)
        BackupList(
            made_at=now.isoformat(),
            program=program(),
            engine=connection.vendor,
            migrations=applied,
            audit_head=head,
            tables=written,
            content={kind: [sha for one, sha in wanted if one == kind] for kind in stores()},
            releases={
                f"{release.round.name}/{release.number}": release.digest for release in releases
            },
            missing=missing,
        ).write(work)
    rows = sum(table.rows for table in written.values())
    made = Made(target, rows, len(wanted), copied, damaged, missing)
    _record(made, actor)
    return made


def _record(made: Made, actor: str) -> None:
    with transaction.atomic():
        audit.record(
            health.BACKED_UP,
            actor=actor,
            name=made.folder.name,
            rows=made.rows,
            missing=len(made.missing),
        )


def _write_tables(work: Path) -> dict[str, TableFile]:
    """Write the rows of every table that a backup has; return what was written, by table."""
    return {
        name: write_table(model, work / file_of(name))
        for name, model in tables(apps).items()
        if name not in LEFT_OUT
    }


def _close_to_others(folder: Path) -> None:
    """Make a folder that only this account reads: raw clips, and names of people, lie in it.

    A folder that was there may belong to another account, as one that a container mounts; what lies
    in it is closed all the same.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if folder.stat().st_uid == os.geteuid():
        folder.chmod(0o700)


def _save_content(
    folder: Path, wanted: list[tuple[str, str]], on_file: Callable[[], None]
) -> tuple[list[str], int, int]:
    """Copy what is not there yet; return what is missing from storage, and how many were copied and
    were damaged.
    """
    missing, copied, damaged = [], 0, 0
    for kind, sha256 in wanted:
        store = kept(folder, kind)
        there = store.stored_sha256(sha256)  # read and not only seen: this disk may fail too
        if there != sha256:
            saved = take_in(stores()[kind].path(sha256), store, sha256)
            missing += [] if saved else [f"{kind}: {sha256}"]
            copied += saved
            damaged += there is not None
        on_file()
    return missing, copied, damaged


def content_named() -> list[tuple[str, str]]:
    """Return every file that a row names: its store and its SHA-256."""
    odd = Sample.every.filter(returned__artifact_sha256__isnull=False)
    clips = {
        *Clip.objects.values_list("sha256", flat=True),
        *odd.values_list("returned__artifact_sha256", flat=True),
    }
    copies: set[str] = set()
    for model in (BlindCopy, Stimulus, TrainingClip):
        copies |= set(model._base_manager.values_list("sha256", flat=True))
    return [*(("clips", sha) for sha in sorted(clips)), *(("blind", sha) for sha in sorted(copies))]


def _save_releases(content: Path, releases: Iterable[Release]) -> list[str]:
    """Copy the folders of releases; return those that could not be had whole."""
    missing = [release for release in releases if not _save_release(content, release)]
    return [f"release: {release}" for release in missing]


def _save_release(content: Path, release: Release) -> bool:
    """Return whether the backup has the release's folder as it was published."""
    target = content / "releases" / release.digest
    if list(release_faults(target, release.digest)):
        if list(release_faults(release.folder, release.digest)):
            return False
        with finished_or_nothing(target) as work:
            shutil.copytree(release.folder, work, dirs_exist_ok=True)
            shutil.rmtree(target, ignore_errors=True)
    return True
