"""Looking at the files of an upload, one at a time: each is read once, in the sandbox, and what was
seen is written down beside it.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fartbench.media.errors import MediaRefusal
from fartbench.media.poster import poster
from fartbench.media.probe import MediaFacts, probe
from fartbench.media.stored_facts import read_facts
from fartbench.storage import file_sha256
from generation.uploads.folder import SentFile, Upload


@dataclass(frozen=True)
class Seen:
    """What was seen of a file: its facts, or the fault for which it is no clip."""

    sha256: str
    facts: MediaFacts | None
    fault: str
    has_poster: bool


def look_at_next(upload: Upload) -> bool:
    """Look at the next file that nobody looked at; return False when none is left."""
    waiting = next((file for file in clips_of(upload) if seen(upload, file) is None), None)
    if waiting is None:
        return False
    _look_at(upload, waiting)
    return True


def clips_of(upload: Upload) -> list[SentFile]:
    """Return the files of an upload that are to be clips."""
    return [file for file in upload.files if not file.is_table]


def seen(upload: Upload, file: SentFile) -> Seen | None:
    """Return what was seen of a file; None before it was looked at."""
    note: dict[str, Any] | None = upload.note(_note_of(file))
    if note is None:
        return None
    facts = read_facts(note["facts"]) if note["facts"] else None
    return Seen(note["sha256"], facts, note["fault"], note["poster"])


def facts_seen(upload: Upload) -> dict[str, MediaFacts]:
    """Return the facts of all files that were looked at, by SHA-256 (hex)."""
    every = [seen(upload, file) for file in clips_of(upload)]
    return {one.sha256: one.facts for one in every if one is not None and one.facts is not None}


def poster_path(upload: Upload, file: SentFile) -> Path:
    """Return where the still picture of a file lies."""
    return upload.folder / f"{_note_of(file)}.jpg"


def _note_of(file: SentFile) -> str:
    """Return under what a file's note is kept: its path may be too long for a name."""
    return f"seen/{hashlib.sha256(file.path.encode()).hexdigest()}"


def _look_at(upload: Upload, file: SentFile) -> None:
    path = upload.path_of(file)
    sha256 = file_sha256(path)
    facts, fault = None, ""
    try:
        facts = probe(path).as_json()
    except MediaRefusal as refusal:
        fault = refusal.reason
    picture = facts is not None and _draw_poster(upload, file)
    note = {"sha256": sha256, "facts": facts, "fault": fault, "poster": picture}
    upload.write_note(_note_of(file), note)


def _draw_poster(upload: Upload, file: SentFile) -> bool:
    """Draw the still picture of a file; False for a clip that none can be drawn of."""
    try:
        picture = poster(upload.path_of(file))
    except MediaRefusal:
        return False  # A clip all the same: it may be coded in a way that is not decoded here.
    path = poster_path(upload, file)
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(picture)
    return True
