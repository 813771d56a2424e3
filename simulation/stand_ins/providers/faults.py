"""The faults that a stand-in can commit, and where the next one comes from. No Django here."""

from __future__ import annotations

import random
import threading
from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Protocol

# What happens to a submission. Only the last four are accepted, and stand in the ledger.
ON_SUBMIT = (
    "429", "500", "503", "401", "402", "invalid", "retired", "reset", "refuse_now", "no_id",
    "duplicate_id",
    "slow", "timeout_after_send",
)  # fmt: skip
# What happens to an accepted job.
ON_JOB = (
    "refuse_later", "fail", "no_output", "look_500", "look_reset", "expired_link", "gone_link",
    "truncated",
    "truncated_once", "wrong_file", "silent", "candidates", "wrong_model", "never_done",
)  # fmt: skip
FAULTS = (*ON_SUBMIT, *ON_JOB)
# What a provider does on a bad day. The others are for tests that ask for them: they need a person,
# or never end.
COMMON = (
    "429", "500", "503", "reset", "slow", "timeout_after_send", "refuse_now", "refuse_later",
    "fail", "no_output",
    "look_500", "look_reset", "expired_link", "gone_link", "truncated_once", "wrong_file",
    "candidates", "duplicate_id",
)  # fmt: skip


class Faults(Protocol):
    """Says which fault the next submission meets, if any."""

    def next(self, provider: str) -> str | None:
        """Return one of FAULTS, or None."""
        ...


@dataclass
class Script:
    """Faults in the order in which they were asked for, by provider; when none is left there is no
    fault.
    """

    waiting: dict[str, deque[str]] = field(default_factory=lambda: defaultdict(deque))

    def add(self, provider: str, *faults: str) -> None:
        """Ask for faults. Raises ValueError for one that is unknown."""
        if unknown := [fault for fault in faults if fault not in (*FAULTS, "")]:
            raise ValueError(f"no fault is called {unknown[0]!r}; there are {', '.join(FAULTS)}")
        self.waiting[provider].extend(faults)

    def next(self, provider: str) -> str | None:
        """Return the next fault; an empty text in the script means no fault once."""
        queue = self.waiting[provider]
        return (queue.popleft() if queue else None) or None


@dataclass
class Chance:
    """A fault with a stated probability per submission; equal seeds, equal days."""

    rate: float
    seed: int = 0
    kinds: tuple[str, ...] = COMMON

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - no secret depends on it
        self._lock = threading.Lock()

    def next(self, provider: str) -> str | None:  # noqa: ARG002 - all providers have the same days
        """Draw."""
        with self._lock:
            if self._random.random() < self.rate:
                return self._random.choice(self.kinds)
            return None
