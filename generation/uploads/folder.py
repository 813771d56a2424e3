"""An upload on disk: a folder whose files grow piece by piece.

What lies on disk is the truth: how much of a file has come is its size. So a killed server, a lost
connection and a reload leave nothing to repair. A piece is checked by its SHA-256 and is added
whole, at the place where the file ends. Folders are closed to other accounts of the machine: names
of files say whose clip is whose.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from fartbench.errors import Refusal
from fartbench.media.sandbox_policy import register_root
from fartbench.storage import disk_faults_in_words

PIECE_BYTES = 1 << 20
"""How many bytes are sent at a time; the last piece of a file may be shorter."""
KEPT_DAYS = 7
_KEY = re.compile(r"[0-9a-f]{32}")


class UploadGone(Refusal):
    """There is no such upload: it was thrown away, or is older than is kept."""


class PieceRefused(Refusal):
    """A piece that does not fit; ``received`` bytes of the file have come."""

    def __init__(self, words: str, received: int) -> None:
        super().__init__(words)
        self.received = received


@dataclass(frozen=True)
class SentFile:
    """A file that was announced: its path inside the upload, and its size in bytes."""

    path: str
    size: int

    @property
    def is_table(self) -> bool:
        """Say whether it is a CSV file and not a clip."""
        return self.path.lower().endswith(".csv")


@dataclass(frozen=True)
class Upload:
    """One upload: for which round, by whom, since when, and the files that belong to it."""

    key: str
    round_name: str
    by: str
    at: datetime
    files: tuple[SentFile, ...]

    @property
    def folder(self) -> Path:
        """Where it lies."""
        return uploads_root() / self.key

    @property
    def clips_folder(self) -> Path:
        """Where its files lie, each under its path."""
        return self.folder / "clips"

    @property
    def total_bytes(self) -> int:
        """The bytes of all its files."""
        return sum(file.size for file in self.files)

    @property
    def received_bytes(self) -> int:
        """The bytes that have come."""
        return sum(self.received(file) for file in self.files)

    @property
    def is_complete(self) -> bool:
        """Say whether every file is there."""
        return all(self.received(file) == file.size for file in self.files)

    def path_of(self, file: SentFile) -> Path:
        """Return where a file lies."""
        return self.clips_folder / file.path

    def received(self, file: SentFile) -> int:
        """Return how many bytes of a file have come: whole pieces, or all of it."""
        try:
            size = self.path_of(file).stat().st_size
        except FileNotFoundError:
            return 0
        return file.size if size == file.size else size - size % PIECE_BYTES

    def last_piece(self, file: SentFile) -> str:
        """Return the SHA-256 (hex) of the last piece that came: it tells whether a browser offers
        the same file again.
        """
        received = self.received(file)
        if not received:
            return ""
        begin = (received - 1) // PIECE_BYTES * PIECE_BYTES
        with self.path_of(file).open("rb") as reader:
            reader.seek(begin)
            return hashlib.sha256(reader.read(received - begin)).hexdigest()

    def add_piece(self, file: SentFile, offset: int, piece: bytes, sha256: str) -> int:
        """Add a piece of a file at ``offset`` and return how many bytes have come.

        Raises PieceRefused for a piece that begins elsewhere, does not have its SHA-256, or has not
        the size that it must have; StorageFull when the disk is full.
        """
        with self.locked():
            received = self.received(file)
            if offset != received:
                raise PieceRefused(f"{file.path}: {received} bytes have come.", received)
            if len(piece) != min(PIECE_BYTES, file.size - offset):
                raise PieceRefused(f"{file.path}: this piece has another size.", received)
            if hashlib.sha256(piece).hexdigest() != sha256:
                raise PieceRefused(f"{file.path}: a piece was damaged on its way.", received)
            path = self.path_of(file)
            with disk_faults_in_words(path.parent):
                path.parent.mkdir(parents=True, exist_ok=True)
                with path.open("r+b" if path.exists() else "xb") as writer:
                    writer.truncate(offset)
                    writer.seek(offset)
                    writer.write(piece)
            return offset + len(piece)

    def adopt(self, file: SentFile, source: Path) -> None:
        """Take in a whole file that lies on the same disk."""
        with self.locked():
            path = self.path_of(file)
            path.parent.mkdir(parents=True, exist_ok=True)
            source.replace(path)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Let one request at a time change this upload. Raises UploadGone."""
        try:
            lock = (self.folder / "lock").open("ab")
        except FileNotFoundError as error:
            raise UploadGone("This upload was thrown away or taken in.") from error
        with lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def note(self, name: str) -> Any:
        """Return what was written down beside the files under a name; None without it."""
        try:
            return json.loads((self.folder / f"{name}.json").read_text(encoding="utf-8"))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def write_note(self, name: str, content: Any) -> None:
        """Write something down beside the files, whole or not at all."""
        path = self.folder / f"{name}.json"
        with disk_faults_in_words(path.parent):
            path.parent.mkdir(exist_ok=True)
            draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
            draft.write_text(json.dumps(content), encoding="utf-8")
            draft.replace(path)

    def throw_away(self) -> None:
        """Delete all of it. Doing so again changes nothing."""
        shutil.rmtree(self.folder, ignore_errors=True)


def uploads_root() -> Path:
    """Return the folder of all uploads, made when it is missing."""
    root = Path(settings.DATA_DIR) / "uploads"
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    register_root(root)
    return root


def make_upload(*, round_name: str, by: str, files: tuple[SentFile, ...]) -> Upload:
    """Make an upload without a byte in it, and sweep out those that nobody wants any more."""
    _sweep()
    upload = Upload(secrets.token_hex(16), round_name, by, timezone.now(), files)
    with disk_faults_in_words(upload.folder):
        upload.clips_folder.mkdir(parents=True)
        (upload.folder / "lock").touch()
    save_files(upload)
    for file in files:
        if file.size == 0:
            upload.path_of(file).parent.mkdir(parents=True, exist_ok=True)
            upload.path_of(file).touch()
    return upload


def save_files(upload: Upload) -> None:
    """Write down what belongs to an upload."""
    upload.write_note(
        "about",
        {
            "round": upload.round_name,
            "by": upload.by,
            "at": upload.at.isoformat(),
            "files": [[file.path, file.size] for file in upload.files],
        },
    )


def find_upload(key: str, *, round_name: str) -> Upload:
    """Return an upload of a round. Raises UploadGone."""
    about = None
    if _KEY.fullmatch(key):
        about = Upload(key, "", "", timezone.now(), ()).note("about")
    if about is None or about["round"] != round_name:
        raise UploadGone("There is no such upload: it was thrown away, or is too old.")
    files = tuple(SentFile(path, size) for path, size in about["files"])
    return Upload(key, about["round"], about["by"], datetime.fromisoformat(about["at"]), files)


def uploads_of(round_name: str) -> list[Upload]:
    """Return the uploads of a round, the newest first."""
    uploads = []
    for folder in uploads_root().iterdir():
        with suppress(UploadGone):
            uploads.append(find_upload(folder.name, round_name=round_name))
    return sorted(uploads, key=lambda upload: upload.at, reverse=True)


def _sweep() -> None:
    for folder in uploads_root().iterdir():
        with suppress(FileNotFoundError):
            if _KEY.fullmatch(folder.name) and _is_old(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_old(folder: Path) -> bool:
    newest = max(one.stat().st_mtime for one in (folder, *folder.iterdir()))
    return newest < time.time() - KEPT_DAYS * 24 * 3600
