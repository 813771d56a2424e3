"""Files by content: stored once under their SHA-256, whole or not at all.

With a bucket (see `fartbench.buckets`) the truth lies there, and the folder holds what this machine
has fetched.
"""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from fartbench.errors import Refusal

STALE_AFTER_S = 6 * 3600
# The one time of change that every stored file has, 1980-01-01: a real one would tell when a clip
# was copied.
KEPT_AT = 315_532_800


class StorageFull(Refusal):
    """A file could not be stored; nothing of it was kept."""


class StorageAway(Refusal):
    """The bucket cannot be reached, or refuses; nothing was stored or lost."""


@dataclass(frozen=True)
class ContentStore:
    """A folder of files named by their SHA-256."""

    root: Path

    def path(self, sha256: str) -> Path:
        """Return the file with this digest on this machine, or where it would lie if it is
        nowhere.
        """
        return self.root / name_of(sha256)

    def stored_sha256(self, sha256: str) -> str | None:
        """Read what is stored under this digest and return its real one; None when nothing is
        there.
        """
        path = ContentStore.path(self, sha256)
        if path.is_file():
            return file_sha256(path)
        return None

    @contextmanager
    def scratch(self, suffix: str = "") -> Iterator[Path]:
        """Give a path on the store's own disk to write to; what is left there afterwards is
        removed.
        """
        folder = self.root / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        with tempfile.TemporaryDirectory(dir=folder) as work, disk_faults_in_words(folder):
            yield Path(work) / f"file{suffix}"

    def keep(self, source: Path, *, sha256: str) -> None:
        """Move ``source`` (on the store's disk) in under its digest.

        The same bytes again change nothing.
        """
        target = ContentStore.path(self, sha256)
        with disk_faults_in_words(self.root):
            target.parent.mkdir(parents=True, exist_ok=True)
            wait_for_disk(source)
            source.chmod(0o444)
            os.utime(source, (time.time(), KEPT_AT))
            source.replace(target)
            wait_for_disk(target.parent)


def name_of(sha256: str) -> str:
    """Return the name of a file within its store."""
    return f"{sha256[:2]}/{sha256}"


def shut_to_others(database: Path | None) -> None:
    """Keep other accounts of this machine out of raw clips, uploads, spooled answers and the file
    of the database, if it is one.

    They tell whose clip is whose. Blind copies stay readable: nginx sends them.
    """
    folders = [Path(settings.DATA_DIR) / name for name in ("clips", "spool", "uploads")]
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
    if database:
        files = [database.with_name(database.name + end) for end in ("", "-wal", "-shm")]
    else:
        files = []
    for path in (*folders, *files):
        with suppress(
            FileNotFoundError, PermissionError
        ):  # there is none; or it is for its owner to shut
            path.chmod(stat.S_IMODE(path.stat().st_mode) & ~stat.S_IRWXO)


def level_times() -> None:
    """Give every stored blind copy the one time of change, those of older versions too."""
    for path in (Path(settings.DATA_DIR) / "blind").glob("??/*"):
        with suppress(FileNotFoundError, PermissionError):
            if (about := path.stat()).st_mtime != KEPT_AT:
                os.utime(path, (about.st_atime, KEPT_AT))


def file_sha256(path: Path) -> str:
    """Return the lower-case hex SHA-256 of a file, read in pieces."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _sweep(folder: Path) -> None:
    # What a killed process left behind; nothing here lives for hours.
    for entry in folder.iterdir():
        with suppress(FileNotFoundError):
            if entry.stat().st_mtime < time.time() - STALE_AFTER_S:
                shutil.rmtree(entry)


def wait_for_disk(path: Path) -> None:
    """Return when a file, or the names in a folder, would be there after a power cut."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# What a full, read-only or broken disk answers; any other OSError is somebody else's to explain.
_DISK_FAULTS = {
    errno.ENOSPC,
    errno.EDQUOT,
    errno.EFBIG,
    errno.EROFS,
    errno.EIO,
    errno.EACCES,
    errno.EPERM,
}


@contextmanager
def disk_faults_in_words(folder: Path) -> Iterator[None]:
    """Turn a full, read-only or broken disk into StorageFull, which says where and what to do."""
    try:
        yield
    except OSError as error:
        if error.errno not in _DISK_FAULTS:
            raise
        raise StorageFull(
            f"A file could not be stored under {folder}: {error.strerror}. Nothing of it was kept; "
            "make room or correct the permissions and run the same command again."
        ) from error
