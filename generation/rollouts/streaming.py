"""Takes one stream from beginning to end: prompts at their time, chunks to disk, all of it in a
log. No Django here.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

from fartbench.errors import Refusal
from generation.rollouts.log import ChunkRecord, LogWriter, PromptRecord, RolloutLog, read_log
from generation.rollouts.port import (
    NOTHING,
    Broken,
    Chunk,
    Ended,
    Event,
    Opened,
    Prompted,
    Refused,
    Session,
    StreamOrder,
    StreamProvider,
    extended,
)

SLACK_S = 0.07
"""How much a rollout may be shorter than asked: a picture at the slowest rate that is streamed, 16
a second.
"""
ROUNDING_S = 0.005
"""How far the times of one moment may be apart. Chunks meet without a gap, or gaps would add up."""

LONGEST_S, MOST_BYTES, MOST_CHUNKS, FASTEST = 3600.0, 2_000_000_000, 10_000, 240
"""How long a stream may take, how much it may bring in how many chunks, with how many pictures a
second at most.
"""


class AlreadyOpened(Refusal):
    """The folder holds a stream that was opened before; it is never opened again."""


def take_stream(
    provider: StreamProvider,
    order: StreamOrder,
    folder: Path,
    *,
    clock: Callable[[], float] = time.monotonic,
    on_progress: Callable[[float], None] = lambda _: None,
) -> RolloutLog:
    """Open a stream and keep what comes in ``folder``: chunks as files and ``stream.jsonl``.

    A prompt is given when all that was kept reaches its time, so it holds from the first chunk that
    begins then or later. Raises AlreadyOpened when the folder has a log. What a provider does wrong
    is an outcome, not an error: a chunk out of turn, a history that is not ours, an end before the
    time each end the stream as broken.
    """
    folder.mkdir(parents=True, exist_ok=True)
    try:
        log = LogWriter(folder)
    except FileExistsError as error:
        raise AlreadyOpened(
            f"{folder} holds a stream already. Read its log; a stream is bought once."
        ) from error
    taking = _Taking(order, folder, log, clock, on_progress)
    try:
        log.write("sent", client=provider.client, token=order.token)
        with provider.open(order) as session:
            for event in session.events():
                if fault := taking.fault(event):
                    taking.take(Broken(fault), session)
                    break
                taking.take(event, session)
    finally:
        log.close()
    return read_log(folder)


class _Taking:
    """The state of one stream while it comes."""

    def __init__(
        self,
        order: StreamOrder,
        folder: Path,
        log: LogWriter,
        clock: Callable[[], float],
        on_progress: Callable[[float], None],
    ) -> None:
        self._order, self._folder, self._log, self._report = order, folder, log, on_progress
        self._clock, self._start = clock, clock()
        self._history = NOTHING
        self._due = list(order.updates)
        self._given: dict[str, float] = {}
        self._chunks, self._bytes, self._media_s, self._kept_at_s = 0, 0, 0.0, 0.0
        self._is_open, self._taken = False, set[str]()

    def fault(self, event: Event) -> str:
        """Return what a provider did wrong with an event, nothing when it fits what came before."""
        match event:
            case Opened() if self._is_open:
                return "it was opened twice"
            case Chunk():
                return self._fault_of_chunk(event)
            case Prompted():
                return self._fault_of_prompt(event)
            case Ended() if self._media_s < self._order.seconds - SLACK_S:
                return f"it ended at {self._media_s:g} of {self._order.seconds:g} s"
            case Ended() if unanswered := sorted(self._given.keys() - self._taken):
                return f"it ended, and {unanswered[0]} was given and never taken"
        return ""

    def _fault_of_prompt(self, event: Prompted) -> str:
        if event.step not in self._given or event.step in self._taken:
            return f"{event.step} was taken and never given"
        if event.history != self._history:
            return f"{event.step} was taken on another history than the one that was kept"
        if not self._media_s - ROUNDING_S <= event.media_s <= self._order.seconds + SLACK_S:
            return (
                f"{event.step} was taken for {event.media_s:g} s, and {self._media_s:g} s were "
                "made already"
            )
        return ""

    def _fault_of_chunk(self, chunk: Chunk) -> str:
        name, seconds = f"chunk {chunk.index}", chunk.ends_s - chunk.starts_s
        faults = {
            f"{name} came before the stream was opened": not self._is_open,
            f"it went on for more than {LONGEST_S:g} s": self._kept_at_s > LONGEST_S,
            f"{name} at {chunk.starts_s:g} s came after {self._chunks} of {self._media_s:g} s": (
                chunk.index != self._chunks or abs(chunk.starts_s - self._media_s) > ROUNDING_S
            ),
            f"it has more than {MOST_CHUNKS} chunks": self._chunks >= MOST_CHUNKS,
            f"{name} is empty": chunk.frames < 1 or seconds <= 0,
            f"{name} has more pictures than fit its time": chunk.frames > 1 + FASTEST * seconds,
            f"{name} is more than was asked for": (
                self._media_s >= self._order.seconds or self._bytes + len(chunk.data) > MOST_BYTES
            ),
        }
        return next((words for words, is_so in faults.items() if is_so), "")

    def take(self, event: Event, session: Session) -> None:
        """Keep one event."""
        match event:
            case Opened():
                self._is_open = True
                geometry = None if event.geometry is None else asdict(event.geometry)
                self._log.write(
                    "opened", provider_id=event.provider_id, geometry=geometry, wall_s=self._wall
                )
            case Chunk():
                self._keep(event)
                self._give_prompts(event.ends_s, session)
                session.commit(event.index, self._history)
            case Prompted():
                self._prompted(event)
            case Refused() | Broken():
                self._end("refused" if isinstance(event, Refused) else "broken", event.reason)
            case Ended():
                self._end("whole", "")

    @property
    def _wall(self) -> float:
        return self._clock() - self._start

    def _keep(self, chunk: Chunk) -> None:
        wall_s, name = self._wall, f"chunk-{chunk.index:05d}.mov"
        with (self._folder / name).open("xb") as file:
            file.write(chunk.data)
            file.flush()
            os.fsync(file.fileno())
        self._history, self._kept_at_s = extended(self._history, chunk.sha256), wall_s
        record = ChunkRecord(
            chunk.index, chunk.frames, chunk.starts_s, chunk.ends_s, wall_s, chunk.sha256, name
        )
        self._log.write("chunk", **asdict(record))
        self._chunks, self._bytes, self._media_s = (
            self._chunks + 1,
            self._bytes + len(chunk.data),
            chunk.ends_s,
        )
        self._report(min(chunk.ends_s / self._order.seconds, 1.0))

    def _give_prompts(self, media_s: float, session: Session) -> None:
        while self._due and self._due[0][1].at_s <= media_s:
            step, prompt = self._due.pop(0)
            self._given[step] = prompt.at_s
            session.prompt(step, prompt.text, self._history)

    def _prompted(self, event: Prompted) -> None:
        self._taken.add(event.step)
        record = PromptRecord(event.step, self._given[event.step], event.media_s, self._wall)
        self._log.write("prompt", **asdict(record))

    def _end(self, outcome: str, reason: str) -> None:
        self._log.write("end", outcome=outcome, reason=reason, wall_s=self._wall)
