"""Tables and releases as one file to download."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path
from typing import IO

from django.conf import settings

from fartbench.models import Round
from fartbench.storage import disk_faults_in_words, file_sha256
from scoring.export import export_round
from scoring.models import Release
from scoring.release.manifest import MANIFEST

NO_TIME = (1980, 1, 1, 0, 0, 0)  # a ZIP file's earliest: the same files make the same bytes


def export_archive(*, round_: Round, actor: str, reason: str) -> IO[bytes]:
    """Return the round's export as an open ZIP file, which is gone when it is closed.

    Raises what `export_round` raises, and StorageFull.
    """
    folder = Path(settings.DATA_DIR)
    with (
        disk_faults_in_words(folder),
        tempfile.TemporaryDirectory(dir=folder, prefix="export-") as work,
    ):
        files = export_round(
            round_=round_, folder=Path(work) / round_.name, actor=actor, reason=reason
        )
        archive = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - whoever sends it closes it
        _pack(files, Path(work), archive)
    archive.seek(0)
    return archive


def release_archive(release: Release) -> Path:
    """Return the files that a release's manifest names as one ZIP file, made once and kept beside
    the release's folder.

    Raises StorageFull, and FileNotFoundError when one of the files is gone, was changed or lies
    elsewhere.
    """
    folder = release.folder
    archive = folder.with_name(f"{folder.name}.zip")
    if not archive.exists():
        hashes: dict[str, str] = release.manifest["files"]
        files = [folder / path for path in (MANIFEST, *hashes)]
        if missing := [file for file in files if not file.is_file() or file.is_symlink()]:
            raise FileNotFoundError(missing[0])
        if changed := [
            path for path, sha256 in hashes.items() if file_sha256(folder / path) != sha256
        ]:
            raise FileNotFoundError(changed[0])
        with (
            disk_faults_in_words(archive),
            tempfile.TemporaryDirectory(dir=folder.parent, prefix=".") as work,
        ):
            made = Path(work) / archive.name
            with made.open("wb") as file:
                _pack(files, folder, file, within=f"{release.round.name}-{release.number}/")
            made.replace(archive)
    return archive


def _pack(files: Iterable[Path], folder: Path, archive: IO[bytes], within: str = "") -> None:
    """Write files to a ZIP file under their paths in ``folder``."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as packed:
        for file in files:
            entry = zipfile.ZipInfo(f"{within}{file.relative_to(folder).as_posix()}", NO_TIME)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            with file.open("rb") as source, packed.open(entry, "w") as target:
                while chunk := source.read(1 << 20):
                    target.write(chunk)
