"""The files that a manifest names: each copied to the store's disk, hashed and probed before
anything is taken in.
"""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from fartbench.media.bounds import BOUNDS
from fartbench.media.errors import MediaRefusal
from fartbench.media.probe import MediaFacts, probe
from generation.manifest import CellKey, ManifestRow

PIECE = 1 << 20
"""How many bytes are copied at a time."""


class FileUnreadable(MediaRefusal):
    """A file that a manifest names cannot be read; this says nothing about the store's own disk."""


@dataclass(frozen=True)
class Arrival:
    """A clip that was copied to the store's disk, hashed and probed, and waits for the rest of the
    manifest.
    """

    copy: Path
    sha256: str
    facts: MediaFacts


def collect_arrivals(
    rows: list[ManifestRow],
    folder: Path,
    on_row: Callable[[], None],
    known: Mapping[str, MediaFacts] | None = None,
) -> tuple[dict[CellKey, Arrival], list[str]]:
    """Copy the file of each row into ``folder`` and look at it; return what arrived, and the faults
    by row.

    ``known`` are facts by SHA-256 (hex): a file with these bytes is not looked at again.

    One bad file never hides another: whatever is wrong with a file, or happens to the reader that
    looks at it, is that row's fault. Only the disk that is written to ends the whole import: it
    raises OSError.
    """
    arrivals: dict[CellKey, Arrival] = {}
    faults: list[str] = []
    for row in rows:
        if row.file is not None:
            try:
                arrivals[row.cell] = _arrival(row.file, folder / f"row{row.number}", known or {})
            except MediaRefusal as refusal:
                faults.append(f"row {row.number}, file: {row.file.name!r}: {refusal.reason}")
        on_row()
    return arrivals, faults


def _arrival(source: Path, copy: Path, known: Mapping[str, MediaFacts]) -> Arrival:
    # The copy is probed, hashed and kept, so a file that changes during the import cannot slip
    # through.
    sha256 = copy_file(source, copy)
    return Arrival(copy, sha256, known.get(sha256) or probe(copy))


def copy_file(source: Path, target: Path) -> str:
    """Copy a regular file of at most BOUNDS.file_bytes bytes to a new file; return the SHA-256
    (hex) of the bytes.

    Raises FileUnreadable when the source cannot be read, is too large, or is not a regular file;
    OSError when the target cannot be written.
    """
    with _opened(source) as reader, target.open("xb") as writer:
        size, digest = 0, hashlib.sha256()
        while piece := _read_piece(source, reader):
            size += len(piece)
            if size > BOUNDS.file_bytes:
                raise _too_large(source)
            writer.write(piece)
            digest.update(piece)
    return digest.hexdigest()


def _opened(source: Path) -> BinaryIO:
    try:
        # O_NONBLOCK: a named pipe must not hold the import up.
        handle = os.open(source, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise FileUnreadable(source, f"cannot be opened ({error.strerror}).") from error
    about = os.fstat(handle)
    if not stat.S_ISREG(about.st_mode):
        os.close(handle)
        raise FileUnreadable(source, "is not a regular file.")
    if about.st_size > BOUNDS.file_bytes:
        os.close(handle)
        raise _too_large(source)
    return os.fdopen(handle, "rb")


def _too_large(source: Path) -> FileUnreadable:
    return FileUnreadable(
        source, f"is larger than {BOUNDS.file_bytes} bytes, the most that a clip may have."
    )


def _read_piece(source: Path, reader: BinaryIO) -> bytes:
    try:
        return reader.read(PIECE)
    except OSError as error:
        raise FileUnreadable(source, f"cannot be read to its end ({error.strerror}).") from error
