"""One cell of the matrix: how its file is made, and what must come of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tests.media_matrix import mkv_changes, mp4_changes
from tests.media_matrix.boxes import File
from tests.media_matrix.elements import MkvFile
from tests.media_matrix.encodes import FOLDER, PICTURES
from tests.media_matrix.pattern import Source
from tests.media_matrix.writers import WRITERS, made


@dataclass(frozen=True, slots=True)
class Shown:
    """What a viewer sees and hears: size in square pixels, turn or mirror, how long after the flash
    the beep comes (ms), and which frames of the source (None: the source's size, and all of its
    frames).

    The slacks (ms) are how far a frame and the beep may lie off, since the file's own times are not
    even.
    """

    size: tuple[int, int] | None = None
    turn: str = "upright"
    beep_ms: float = 0.0
    frames: range | None = None
    frame_slack_ms: float = 1.1
    beep_slack_ms: float = 2.0


@dataclass(frozen=True, slots=True)
class Cell:
    """A file made by ``writer`` of a picture and a sound, with ``changes`` by hand.

    It is copied and looks and sounds like ``shown``, or it is refused with words that hold
    ``refused``.
    """

    writer: str
    picture: str
    sound: str
    changes: tuple[str, ...] = ()
    shown: Shown = field(default_factory=Shown)
    refused: str = ""

    @property
    def name(self) -> str:
        """A short name, the same in every run."""
        return ", ".join((self.writer, self.picture, self.sound or "silent", *self.changes))

    @property
    def source(self) -> Source:
        """The frames that were encoded."""
        return PICTURES[self.picture].source

    def size(self) -> tuple[int, int]:
        """Return the size that a viewer sees."""
        return self.shown.size or (self.source.width, self.source.height)

    def file(self) -> Path:
        """Return the cell's file, made on first use; treat it as read-only."""
        plain = made(self.writer, self.picture, self.sound)
        if not self.changes:
            return plain
        path = Path(FOLDER.name) / f"{self.name.replace('/', '_')}.{WRITERS[self.writer][0]}"
        if not path.exists():
            path.write_bytes(self._changed(plain.read_bytes()))
        return path

    def _changed(self, data: bytes) -> bytes:
        is_matroska = WRITERS[self.writer][0] in ("mkv", "webm")
        file, table = (
            (MkvFile(data), mkv_changes.CHANGES)
            if is_matroska
            else (File(data), mp4_changes.CHANGES)
        )
        for change in self.changes:
            table[change](file)
        return file.written()
