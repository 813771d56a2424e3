"""The folder that backups go to, and the list of what one of them holds.

``content/clips`` and ``content/blind`` have files by SHA-256 and ``content/releases`` folders by
digest, shared by all backups: what is there is not copied again. ``TIME/`` is one backup:
``backup.json`` and a file a table. It appears under that name when it is whole.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from fartbench.errors import BadInput
from fartbench.regular import regular_bytes
from fartbench.storage import ContentStore, file_sha256
from fartbench.stores import blind_copies, raw_clips
from operations.backup.rows import TableFile
from operations.errors import BackupRefused

LIST = "backup.json"
LARGEST_LIST = 512 * 1024**2  # bytes
FORMAT = 1
_TABLE = re.compile(r"[a-z_]+\.[a-z_]+")
_SHA256 = re.compile(r"[0-9a-f]{64}")
_RELEASE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}/[1-9][0-9]{0,4}")
UNFINISHED = ".unfinished-"


@dataclass(frozen=True)
class BackupList:
    """What a backup holds, and the state of the program that made it."""

    made_at: str
    program: dict[str, str]
    engine: str
    migrations: list[list[str]]
    audit_head: str
    tables: dict[str, TableFile]
    content: dict[str, list[str]] = field(default_factory=dict)
    releases: dict[str, str] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)
    format: int = FORMAT

    def write(self, folder: Path) -> None:
        """Write it into the folder of its backup, with a SHA-256 over itself."""
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1, sort_keys=True)
        document = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "backup": json.loads(text)}
        (folder / LIST).write_text(
            json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True), encoding="utf-8"
        )


def read_list(folder: Path) -> BackupList:
    """Read the list of a backup. Raises BackupRefused when there is none, or it was changed."""
    try:
        document = json.loads(_content_of_list(folder))
        stated: dict[str, Any] = document["backup"]
        text = json.dumps(stated, ensure_ascii=False, indent=1, sort_keys=True)
        if hashlib.sha256(text.encode()).hexdigest() != document["sha256"]:
            raise BackupRefused(folder, [f"{LIST} was changed after it was written"])
        if stated["format"] != FORMAT:
            raise BackupRefused(
                folder, [f"it has format {stated['format']}, and this program reads {FORMAT}"]
            )
        tables = {name: TableFile(**table) for name, table in stated["tables"].items()}
        listed = BackupList(**stated | {"tables": tables})
        faults = list(_odd_names(listed))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BackupRefused(folder, [f"it has no {LIST} that can be read: {error}"]) from error
    if faults:
        raise BackupRefused(folder, faults)
    return listed


def _content_of_list(folder: Path) -> bytes:
    try:
        return regular_bytes(folder / LIST, LARGEST_LIST)
    except BadInput as error:
        raise BackupRefused(folder, [f"{LIST}: {error.faults[0]}"]) from error


def _odd_names(listed: BackupList) -> Iterator[str]:
    """Yield a fault for each name that is not what a backup names: joined to a path it could lead
    anywhere.
    """
    yield from (
        f"{name!r} is not the name of a table"
        for name in listed.tables
        if not _TABLE.fullmatch(name)
    )
    for kind, names in listed.content.items():
        if kind not in ("clips", "blind"):
            yield f"{kind!r} is not a kind of files"
        yield from (
            f"{name!r} is not the SHA-256 of a file"
            for name in names
            if not _SHA256.fullmatch(name)
        )
    for name, digest in listed.releases.items():
        if not _RELEASE.fullmatch(name):
            yield f"{name!r} is not the name of a release, such as spring/1"
        if not _SHA256.fullmatch(digest):
            yield f"{digest!r} is not the SHA-256 of a release"


def newest(folder: Path) -> Path:
    """Return the newest whole backup in a folder of backups, or the folder itself if it is one."""
    if (folder / LIST).is_file():
        return folder
    backups = sorted(
        path.parent for path in folder.glob(f"*/{LIST}") if not path.parent.name.startswith(".")
    )
    if not backups:
        raise BackupRefused(folder, ["it has no complete backup"])
    return backups[-1]


def file_of(table: str) -> str:
    """Return the name of a table's file."""
    return f"{table}.jsonl.gz"


def stores() -> dict[str, ContentStore]:
    """Return the stores of the installation by the name of their folder in a backup."""
    return {"clips": raw_clips(), "blind": blind_copies()}


def kept(content: Path, kind: str) -> ContentStore:
    """Return the store in a folder of backups; it is a folder even where the installation has a
    bucket.
    """
    return ContentStore(content / kind)


def take_in(source: Path, into: ContentStore, sha256: str) -> bool:
    """Copy a file into a store unless it is there; False, and nothing was kept, when it is not what
    it should be.
    """
    with into.scratch() as scratch:
        try:
            shutil.copyfile(source, scratch)
        except FileNotFoundError:
            return False
        if file_sha256(scratch) != sha256:
            return False
        into.keep(scratch, sha256=sha256)
    return True


@contextmanager
def finished_or_nothing(target: Path) -> Iterator[Path]:
    """Yield a folder that becomes ``target`` when the block ends well, and is removed otherwise."""
    work = target.with_name(f"{UNFINISHED}{target.name}")
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True, mode=0o700)
    try:
        yield work
        work.replace(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)
