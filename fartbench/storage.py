"""Files by content: stored once under their SHA-256, whole or not at all."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings

from fartbench.errors import Refusal

STALE_AFTER_S = 6 * 3600


class StorageFull(Refusal):
    """A file could not be stored; nothing of it was kept."""


@dataclass(frozen=True)
class ContentStore:
    """A folder of files named by their SHA-256."""

    root: Path

    def path(self, sha256: str) -> Path:
        """Return where the file with this digest lies, or would lie."""
        return self.root / sha256[:2] / sha256

    @contextmanager
    def scratch(self, suffix: str = "") -> Iterator[Path]:
        """Give a path on the store's own disk to write to; what is left there afterwards is removed."""
        folder = self.root / "tmp"
        folder.mkdir(parents=True, exist_ok=True)
        _sweep(folder)
        with tempfile.TemporaryDirectory(dir=folder) as work, disk_faults_in_words(folder):
            yield Path(work) / f"file{suffix}"

    def keep(self, source: Path, *, sha256: str) -> None:
        """Move ``source`` (on the store's disk) in under its digest. The same bytes again change nothing."""
        target = self.path(sha256)
        with disk_faults_in_words(self.root):
            target.parent.mkdir(parents=True, exist_ok=True)
            _sync(source)
            source.chmod(0o444)
            source.replace(target)
            _sync(target.parent)


def raw_clips() -> ContentStore:
    """The store of raw clips, as providers delivered them."""
    return ContentStore(Path(settings.DATA_DIR) / "clips")


def blind_copies() -> ContentStore:
    """The store of blind copies."""
    return ContentStore(Path(settings.DATA_DIR) / "blind")


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


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


# What a full, read-only or broken disk answers; any other OSError is somebody else's to explain.
_DISK_FAULTS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.EACCES, errno.EPERM}


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
            "make room or correct the permissions and run the same again."
        ) from error
