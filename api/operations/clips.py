"""Clips: announced, sent in checked pieces, tried, and taken in all at once."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from django.http import HttpRequest
from ninja import Field, Path, Router, Schema, Status

from api.errors import FieldsRefused, NotThere
from api.guard import operation, round_of, token_of
from api.scopes import Role, Scope
from fartbench.errors import BadInput
from generation.uploads.folder import PIECE_BYTES, Upload, find_upload
from generation.uploads.services import Verdict, begin_upload, check, finished

ROUTER = Router(tags=["clips"])


class FileAnnounced(Schema):
    """A file that will be sent: its path among the others, and its size (bytes)."""

    path: str
    size: int


class NewUpload(Schema):
    """Clips, a ZIP of them, or clips with a CSV manifest."""

    files: list[FileAnnounced]


class FileState(Schema):
    """How much of a file has come (bytes)."""

    number: int
    path: str
    size: int
    received: int


class UploadState(Schema):
    """An upload. Each piece but the last of a file has ``piece_bytes``."""

    key: str
    piece_bytes: int
    is_complete: bool
    files: list[FileState]


class PiecePath(Schema):
    """Where a piece belongs: files and pieces are counted from 0."""

    name: str
    key: str
    number: int
    place: int = Field(ge=0)


class PieceTaken(Schema):
    """How much of a file has come (bytes)."""

    received: int


class TakingIn(Schema):
    """How an upload is taken in. Replacing clips that cells have already needs a ``reason``."""

    dry_run: bool = True
    replacing: bool = False
    reason: str = ""


class Taken(Schema):
    """What taking in did, or would do, in counts and notes."""

    done: bool
    report: dict[str, Any]


@operation(
    ROUTER,
    "POST",
    "/rounds/{name}/uploads",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response={201: UploadState},
)
def begin(request: HttpRequest, name: str, new: NewUpload) -> Status[UploadState]:
    """Announce files of a round. Nothing is taken in yet."""
    files = [(file.path, file.size) for file in new.files]
    if any(not 0 <= size < 1 << 50 for _, size in files):
        raise FieldsRefused("The list of files", {"files": "a size is a number of bytes"})
    round_ = round_of(request, name)
    return Status(201, _state(begin_upload(round_=round_, files=files, by=token_of(request).actor)))


@operation(
    ROUTER,
    "GET",
    "/rounds/{name}/uploads/{key}",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response=UploadState,
)
def get_upload(request: HttpRequest, name: str, key: str) -> UploadState:
    """Say how much of each file has come: an interrupted upload continues there."""
    return _state(_upload(request, name, key))


@operation(
    ROUTER,
    "PUT",
    "/rounds/{name}/uploads/{key}/files/{number}/pieces/{place}",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response=PieceTaken,
)
def send_piece(request: HttpRequest, path: Path[PiecePath], sha256: str) -> PieceTaken:
    """Send a piece of a file as the body; ``sha256`` is its digest in hex."""
    upload, number = _upload(request, path.name, path.key), path.number
    if not 0 <= number < len(upload.files):
        raise NotThere(f"There is no file {number} in this upload.")
    # One byte more than a piece has: a longer body is noticed, and not read to its end.
    body = request.read(PIECE_BYTES + 1)
    received = upload.add_piece(upload.files[number], path.place * PIECE_BYTES, body, sha256)
    return PieceTaken(received=received)


@operation(
    ROUTER,
    "POST",
    "/rounds/{name}/uploads/{key}/import",
    scope=Scope.ROUNDS_WRITE,
    role=Role.ADMIN,
    response=Taken,
)
def take_in(request: HttpRequest, name: str, key: str, how: TakingIn) -> Taken:
    """Take the files in, all of them or none; with ``dry_run`` say what that would do."""
    round_ = round_of(request, name)
    upload = _upload(request, name, key)
    if (note := finished(upload)) is not None:
        return Taken(done=True, report=note["report"])
    verdict = check(
        upload,
        round_,
        actor=token_of(request).actor,
        replacing=how.replacing,
        reason=how.reason,
        dry_run=how.dry_run,
    )
    if verdict.report is None:
        raise BadInput("The delivery", _faults(verdict))
    return Taken(done=verdict.done, report=asdict(verdict.report))


def _upload(request: HttpRequest, name: str, key: str) -> Upload:
    return find_upload(key, round_name=round_of(request, name).name)


def _state(upload: Upload) -> UploadState:
    files = [
        FileState(number=number, path=file.path, size=file.size, received=upload.received(file))
        for number, file in enumerate(upload.files)
    ]
    return UploadState(
        key=upload.key, piece_bytes=PIECE_BYTES, is_complete=upload.is_complete, files=files
    )


def _faults(verdict: Verdict) -> list[str]:
    of_files = [f"{file}: {words}" for file, faults in verdict.by_file.items() for words in faults]
    return [*verdict.faults, *of_files]
