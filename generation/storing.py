"""Raw clips: kept byte for byte, then looked at; the result of a sample."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from fartbench.media.errors import MediaRefusal, MediaToolDied
from fartbench.media.probe import probe
from fartbench.storage import file_sha256
from fartbench.stores import raw_clips
from generation.models import Clip


@dataclass(frozen=True)
class Stored:
    """What became of a fetched file. ``clip`` is None for one that is no clip; its bytes are kept
    all the same.

    ``certain`` is False when the reader of media died or took too long: that may be the machine's
    fault, so the file is worth another look.
    """

    sha256: str
    clip: Clip | None
    fault: str = ""
    certain: bool = True


def store(file: Path) -> Stored:
    """Move a fetched file (on the store's disk) into the store, unchanged, and find out what it
    is.
    """
    sha256, size = file_sha256(file), file.stat().st_size
    try:
        facts = probe(file).as_json()
    except MediaRefusal as refusal:
        raw_clips().keep(file, sha256=sha256)
        return Stored(sha256, None, refusal.reason, certain=not isinstance(refusal, MediaToolDied))
    raw_clips().keep(file, sha256=sha256)
    return Stored(
        sha256,
        Clip.objects.get_or_create(sha256=sha256, defaults={"size": size, "facts": facts})[0],
    )
