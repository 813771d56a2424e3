"""An export as one file to download."""

from __future__ import annotations

import tempfile
import zipfile
from pathlib import Path
from typing import IO

from django.conf import settings

from fartbench.models import Round
from fartbench.storage import disk_faults_in_words
from scoring.export import export_round


def export_archive(*, round_: Round, actor: str, reason: str) -> IO[bytes]:
    """Return the round's export as an open ZIP file, which is gone when it is closed.

    Raises what `export_round` raises, and StorageFull.
    """
    folder = Path(settings.DATA_DIR)
    with disk_faults_in_words(folder), tempfile.TemporaryDirectory(dir=folder, prefix="export-") as work:
        files = export_round(round_=round_, folder=Path(work) / round_.name, actor=actor, reason=reason)
        archive = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - whoever sends it closes it
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
            for file in files:
                packed.write(file, f"{round_.name}/{file.name}")
    archive.seek(0)
    return archive
