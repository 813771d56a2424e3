"""Files by content in a bucket that speaks S3; the folder on this machine only keeps what was used
lately.
"""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from boto3.exceptions import Boto3Error
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.conf import settings
from django.core.files import File
from django.core.files.storage import Storage, storages
from storages.backends.s3 import S3Storage

from fartbench.storage import KEPT_AT, ContentStore, StorageAway, file_sha256, name_of

KEPT_S = (
    7 * 24 * 3600
)  # since its last use; then a fetched file is dropped, and fetched again when it is needed


class Bucket(S3Storage):  # type: ignore[misc]
    """The bucket of the settings. A service that does not answer is given up soon: workers come
    again.
    """

    def get_default_settings(self) -> dict[str, Any]:
        retries = {"max_attempts": 3, "mode": "standard"}
        config = Config(
            connect_timeout=5, read_timeout=60, retries=retries, s3={"addressing_style": "path"}
        )
        mine = {
            "client_config": config,
            "default_acl": None,
            "file_overwrite": True,
            "max_memory_size": 1024 * 1024,
        }
        return {**super().get_default_settings(), **mine}


@dataclass(frozen=True)
class BucketStore(ContentStore):
    """A part of the bucket, ``kind`` its first folder. A file is in it whole or not at all."""

    kind: str

    def path(self, sha256: str) -> Path:
        """Return the file on this machine, fetched if it was not here; a path to nothing when the
        bucket lacks it.

        Raises StorageAway, and StorageFull when there is no room for it here.
        """
        here = super().path(sha256)
        with suppress(FileNotFoundError):
            os.utime(here, (time.time(), KEPT_AT))  # its last use, where no web server tells of it
            return here
        self._drop_unused()
        with self.scratch() as scratch:
            # What was changed in the bucket must not pass for what it was.
            if self._fetch(sha256, scratch) and file_sha256(scratch) == sha256:
                super().keep(scratch, sha256=sha256)
        return here

    def keep(self, source: Path, *, sha256: str) -> None:
        """Put ``source`` into the bucket under its digest, and keep it here for the next use."""
        with _faults_in_words(), source.open("rb") as file:
            if not _bucket().exists(self._name(sha256)):
                _bucket().save(self._name(sha256), File(file))
        super().keep(source, sha256=sha256)

    def stored_sha256(self, sha256: str) -> str | None:
        """Fetch what the bucket holds under this digest and return its real one; None when nothing
        is there.
        """
        with self.scratch() as scratch:
            if self._fetch(sha256, scratch):
                return file_sha256(scratch)
            return None

    def _name(self, sha256: str) -> str:
        return f"{self.kind}/{name_of(sha256)}"

    def _fetch(self, sha256: str, target: Path) -> bool:
        try:
            with (
                _faults_in_words(),
                _bucket().open(self._name(sha256)) as found,
                target.open("wb") as file,
            ):
                shutil.copyfileobj(found, file)
        except FileNotFoundError:
            return False
        return True

    def _drop_unused(self) -> None:
        before = time.time() - KEPT_S
        for path in self.root.glob("??/*"):
            with suppress(FileNotFoundError):
                if path.stat().st_atime < before:
                    path.unlink()


def make_bucket() -> bool:
    """Make the bucket of the settings, private, unless it is there; say whether it was made.

    Raises StorageAway.
    """
    with _faults_in_words():
        storage: Any = storages["bucket"]
        client = storage.connection.meta.client
        if any(found["Name"] == storage.bucket_name for found in client.list_buckets()["Buckets"]):
            return False
        client.create_bucket(Bucket=storage.bucket_name)
        return True


def bucket_answers() -> bool:
    """Say whether the bucket of the settings is there and lets us in; asked once, and not for
    long.
    """
    once = Config(
        connect_timeout=2,
        read_timeout=3,
        retries={"total_max_attempts": 1},
        s3={"addressing_style": "path"},
    )
    configured: Any = settings.STORAGES["bucket"]
    storage: Any = Bucket(**configured["OPTIONS"], client_config=once)
    try:
        storage.connection.meta.client.head_bucket(Bucket=storage.bucket_name)
    except (BotoCoreError, ClientError):
        return False
    return True


def _bucket() -> Storage:
    return storages["bucket"]


@contextmanager
def _faults_in_words() -> Iterator[None]:
    """Turn a bucket that is away or refuses into StorageAway; no key or address of a file is in its
    words.
    """
    try:
        yield
    except (Boto3Error, BotoCoreError, ClientError) as error:
        if isinstance(error, ClientError):
            code = error.response["Error"].get("Code", "")
        else:
            code = type(error).__name__
        raise StorageAway(
            f"The bucket cannot be used ({code}): nothing was stored or lost. Look at the S3 "
            "settings and at the "
            "service, then run the same command again; workers try again by themselves."
        ) from error
