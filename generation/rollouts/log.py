"""What happened in one stream, line by line on disk: a kill loses nothing that had come.

No Django here.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fartbench.errors import Refusal
from generation.rollouts.port import NOTHING, extended

NAME = "stream.jsonl"


class LogUnreadable(Refusal):
    """A stream's log does not say what it should."""


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A chunk that was kept: which, what it holds, when it had come (wall seconds since the order
    was sent).
    """

    index: int
    frames: int
    starts_s: float
    ends_s: float
    wall_s: float
    sha256: str
    file: str


@dataclass(frozen=True, slots=True)
class PromptRecord:
    """A prompt as it was given: when it was due, from which media time it held, when it was taken
    (wall seconds).
    """

    step: str
    due_s: float
    media_s: float
    wall_s: float


@dataclass(frozen=True)
class RolloutLog:
    """One stream as its log tells it.

    ``outcome`` is ``whole``, ``refused``, ``broken``, or ``cut`` when we left it.
    """

    provider_id: str
    client: str
    chunks: tuple[ChunkRecord, ...]
    prompts: tuple[PromptRecord, ...]
    outcome: str
    reason: str
    wall_s: float | None

    @property
    def frames(self) -> int:
        """How many pictures were kept."""
        return sum(chunk.frames for chunk in self.chunks)

    @property
    def boundaries(self) -> list[int]:
        """The places (in pictures) where two chunks meet, as they were logged."""
        places, place = [], 0
        for chunk in self.chunks[:-1]:
            place += chunk.frames
            places.append(place)
        return places

    @property
    def first_chunk_s(self) -> float | None:
        """Wall seconds until the first chunk had come, None when none did."""
        if self.chunks:
            return self.chunks[0].wall_s
        return None

    @property
    def history(self) -> str:
        """The chained hash of what was kept."""
        history = NOTHING
        for chunk in self.chunks:
            history = extended(history, chunk.sha256)
        return history


class LogWriter:
    """Appends to a stream's log; each line is on the disk before the call returns."""

    def __init__(self, folder: Path) -> None:
        """Begin a log. Raises FileExistsError when this folder has one: a stream is opened once."""
        self._file = (folder / NAME).open("x", encoding="utf-8")

    def write(self, kind: str, **facts: Any) -> None:
        """Append one line."""
        self._file.write(json.dumps({"kind": kind, **facts}) + "\n")
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_log(folder: Path) -> RolloutLog:
    """Read a stream's log; a last line that was cut off is left out, be it the first.

    Raises LogUnreadable.
    """
    path = folder / NAME
    try:
        lines = [
            json.loads(line)
            for line in path.read_text(encoding="utf-8").splitlines(keepends=True)
            if line[-1] == "\n"
        ]
        events: dict[str, list[dict[str, Any]]] = {}
        for line in lines:
            events.setdefault(line.pop("kind"), []).append(line)
        start, end = events.get("sent", [{}])[0], events.get("end", [{}])[0]
        return RolloutLog(
            provider_id=events.get("opened", [{}])[0].get("provider_id", ""),
            client=start.get("client", ""),
            chunks=tuple(ChunkRecord(**line) for line in events.get("chunk", [])),
            prompts=tuple(PromptRecord(**line) for line in events.get("prompt", [])),
            outcome=end.get("outcome", "cut"),
            reason=end.get("reason", "our side stopped before the stream had ended"),
            wall_s=end.get("wall_s"),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LogUnreadable(f"{path} is not a log of a stream: {error}") from error
