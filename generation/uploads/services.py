"""What is done with an upload: it is begun, unpacked, checked, and taken in or thrown away."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils import timezone

from fartbench.archives import ArchiveLimits, ArchiveRefused, unpack
from fartbench.errors import BadInput, Refusal
from fartbench.media.bounds import BOUNDS
from fartbench.models import Round
from fartbench.sent_names import common_folder, faults_of_paths, is_litter
from fartbench.storage import disk_faults_in_words
from fartbench.tables import row_number
from generation.cells import refuse_when_settled, samples_of
from generation.importing import Delivery, ImportReport, take_in
from generation.uploads.folder import (
    SentFile,
    Upload,
    make_upload,
    save_files,
    uploads_of,
    uploads_root,
)
from generation.uploads.looking import clips_of, facts_seen, look_at_next
from generation.uploads.table import MOST_ROWS, TableRow, keep_rows, kept_rows, write_manifest

ARCHIVE = ".zip"


class UploadRefused(BadInput):
    """Files that are not taken; each fault names the file and the rule."""


class NotComplete(Refusal):
    """An upload that is not all there yet."""


@dataclass
class Verdict:
    """What a check or an import says: its report, or the faults, those of rows by the row's place.

    ``done`` says that the clips were taken in.
    """

    report: ImportReport | None = None
    faults: list[str] = field(default_factory=list)
    by_file: dict[str, list[str]] = field(default_factory=dict)
    done: bool = False


def begin_upload(*, round_: Round, files: Sequence[tuple[str, int]], by: str) -> Upload:
    """Begin to take files of these paths and sizes (bytes). The same files of the same person again
    go on with the upload that was begun.

    A folder that holds all of them is left out of their paths. Raises UploadRefused, naming every
    file that cannot be taken, and ClipsAreSettled.
    """
    refuse_when_settled(round_)
    wanted = [(path, size) for path, size in files if not is_litter(path)]
    if faults := _faults(wanted):
        raise UploadRefused("The files", faults)
    top = common_folder(path for path, _ in wanted if not path.lower().endswith(".csv"))
    sent = tuple(sorted(
        (SentFile(path.removeprefix(top), size) for path, size in wanted),
        key=lambda file: file.path,
    ))  # fmt: skip
    if faults := faults_of_paths([file.path for file in sent]):
        raise UploadRefused("The files", faults)
    for begun in uploads_of(round_.name):
        if begun.by == by and begun.files == sent and begun.note("done") is None:
            return begun
    _refuse_full_disk(sum(size for _, size in wanted))
    return make_upload(round_name=round_.name, by=by, files=sent)


def _faults(files: Sequence[tuple[str, int]]) -> list[str]:
    if not files:
        return ["no file was chosen"]
    if len(files) > settings.UPLOAD_MAX_FILES:
        return [f"{len(files)} files; at most {settings.UPLOAD_MAX_FILES} are taken at once"]
    total = sum(size for _, size in files)
    if total > settings.UPLOAD_MAX_BYTES:
        return [f"{total} bytes in all; at most {settings.UPLOAD_MAX_BYTES} are taken at once"]
    faults = faults_of_paths([path for path, _ in files])
    faults += [
        f"{path!r}: it has {size} bytes; a clip has at most {BOUNDS.file_bytes}"
        for path, size in files
        if size > BOUNDS.file_bytes and not path.lower().endswith(ARCHIVE)
    ]
    return faults or _faults_of_kinds([path.lower() for path, _ in files])


def _faults_of_kinds(names: list[str]) -> list[str]:
    tables = [name for name in names if name.endswith(".csv")]
    archives = [name for name in names if name.endswith(ARCHIVE)]
    if len(tables) > 1:
        return [f"there are {len(tables)} CSV files, {', '.join(tables[:5])}; send one"]
    if archives and len(archives) + len(tables) < len(names):
        return [
            "a ZIP comes alone, or with its CSV file; send the other files in it, or without it"
        ]
    if len(archives) > 1:
        return [f"there are {len(archives)} ZIP files; send one at a time"]
    if len(tables) == len(names):
        return ["there is a CSV file and no clip; choose the clips too"]
    return []


def _refuse_full_disk(size: int) -> None:
    # Twice: once here, and once where clips are stored.
    free = shutil.disk_usage(uploads_root()).free
    if free < 2 * size:
        raise UploadRefused(
            "The files",
            [f"{size} bytes need twice as much on the server's disk, and {free} are free"],
        )


def unpack_archive(upload: Upload) -> Upload:
    """Unpack the ZIP of a complete upload in its place; return the upload with the files in it.

    Without a ZIP it is returned as it is. Raises NotComplete while bytes are missing, and
    ArchiveRefused; then the upload is thrown away.
    """
    if not upload.is_complete:
        raise NotComplete("The upload is not complete yet: choose the same files again to go on.")
    archive = archive_of(upload)
    if archive is None:
        return upload
    with upload.locked():
        room = upload.folder / "unpacked"
        shutil.rmtree(room, ignore_errors=True)
        try:
            with disk_faults_in_words(upload.folder):
                room.mkdir()
                names = unpack(upload.path_of(archive), room, _limits(), name=archive.path)
        except ArchiveRefused:
            upload.throw_away()
            raise
        return _with_unpacked(upload, archive, room, names)


def archive_of(upload: Upload) -> SentFile | None:
    """Return the ZIP of an upload that is still to be unpacked, if there is one."""
    return next((file for file in upload.files if file.path.lower().endswith(ARCHIVE)), None)


def _limits() -> ArchiveLimits:
    return ArchiveLimits(settings.UPLOAD_MAX_FILES, BOUNDS.file_bytes, settings.UPLOAD_MAX_BYTES)


def _with_unpacked(upload: Upload, archive: SentFile, room: Path, names: list[str]) -> Upload:
    top = common_folder(name for name in names if not name.lower().endswith(".csv"))
    beside = [file for file in upload.files if file != archive]
    for name in names:
        target = upload.clips_folder / name.removeprefix(top)
        target.parent.mkdir(parents=True, exist_ok=True)
        (room / name).replace(target)
    upload.path_of(archive).unlink()
    unpacked = [name.removeprefix(top) for name in names]
    if clashes := _faults_of_kinds([*(file.path for file in beside), *unpacked]):
        upload.throw_away()
        raise ArchiveRefused(archive.path, clashes)
    files = [*beside, *(_as_it_lies(upload, path) for path in unpacked)]
    changed = replace(upload, files=tuple(sorted(files, key=lambda file: file.path)))
    save_files(changed)
    return changed


def _as_it_lies(upload: Upload, path: str) -> SentFile:
    return SentFile(path, (upload.clips_folder / path).stat().st_size)


def table_of(upload: Upload) -> SentFile | None:
    """Return the CSV file of an upload; None where the table on the page says what is what."""
    return next((file for file in upload.files if file.is_table), None)


def put_table(upload: Upload, name: str, content: bytes) -> Upload:
    """Put a CSV file into an upload, in the place of the one that it has; return the upload with
    it. Clips that have come are not sent again.

    Raises NotComplete while clips are on their way, UploadRefused for a file of another kind, or
    with the name of a clip.
    """
    if not upload.is_complete:
        raise NotComplete("The upload is not complete yet: choose the same files again to go on.")
    if not name.lower().endswith(".csv"):
        raise UploadRefused(name, ["this is not a CSV file: its name does not end with .csv"])
    earlier = table_of(upload)
    beside = tuple(file for file in upload.files if file != earlier)
    table = SentFile(earlier.path if earlier else name, len(content))
    if faults := faults_of_paths([*(file.path for file in beside), table.path]):
        raise UploadRefused("The files", faults)
    with upload.locked(), disk_faults_in_words(upload.folder):
        upload.path_of(table).write_bytes(content)
        changed = replace(upload, files=(*beside, table))
        save_files(changed)
    return changed


def check(
    upload: Upload,
    round_: Round,
    *,
    actor: str,
    rows: list[TableRow] | None = None,
    replacing: bool = False,
    reason: str = "",
    dry_run: bool = True,
) -> Verdict:
    """Say what taking an upload in would do, or do it: all of it or nothing.

    ``rows`` are those of the table on the page; an upload with a CSV file has none. Raises
    NotComplete while bytes are missing; a refusal that names no row is raised as it is.
    """
    upload = unpack_archive(upload)
    while look_at_next(upload):
        pass
    with upload.locked():
        manifest, numbered = _manifest(upload, round_, rows)
        delivery = Delivery(manifest, upload.clips_folder, facts_seen(upload))
        try:
            report = take_in(
                round_=round_,
                delivery=delivery,
                actor=actor,
                replace=replacing,
                reason=reason,
                dry_run=dry_run,
            )
        except BadInput as refusal:
            return _refused(refusal.faults, numbered)
        if not dry_run:
            _finish(upload, report, actor)
        return Verdict(report=report, done=not dry_run)


def _manifest(
    upload: Upload, round_: Round, rows: list[TableRow] | None
) -> tuple[Path, Mapping[int, TableRow]]:
    table = table_of(upload)
    if table is not None:
        return upload.path_of(table), {}
    if len(clips_of(upload)) > MOST_ROWS:
        raise NotComplete(
            f"{len(clips_of(upload))} clips are too many for the table on the page, which has at "
            f"most {MOST_ROWS} rows. Download it as a CSV file, correct that, and send it with the "
            "clips."
        )
    if rows is not None:
        keep_rows(upload, rows)
    return write_manifest(upload, kept_rows(upload, round_))


def _refused(faults: list[str], numbered: Mapping[int, TableRow]) -> Verdict:
    """Sort faults to the rows of the table on the page; those of a CSV file keep their numbers."""
    verdict = Verdict()
    for fault in faults:
        row = numbered.get(row_number(fault))
        if row is None:
            verdict.faults.append(fault)
            continue
        words = fault.partition(": " if fault.startswith(f"row {row_number(fault)}:") else ", ")[2]
        verdict.by_file.setdefault(row.file or row.cell, []).append(words)
    return verdict


def _finish(upload: Upload, report: ImportReport, actor: str) -> None:
    """Keep what was done in place of the files."""
    upload.write_note(
        "done", {"at": timezone.now().isoformat(), "by": actor, "report": asdict(report)}
    )
    shutil.rmtree(upload.clips_folder, ignore_errors=True)
    shutil.rmtree(upload.folder / "seen", ignore_errors=True)


def finished(upload: Upload) -> dict[str, Any] | None:
    """Return when, by whom and with what report the clips were taken in; None before that."""
    note: dict[str, Any] | None = upload.note("done")
    return note


def settled_cells(round_: Round) -> list[Any]:
    """Return the cells of a round that have an outcome."""
    return [cell for cell, sample in samples_of(round_).items() if sample.has_outcome]
