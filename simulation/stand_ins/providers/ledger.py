"""What the stand-ins accepted: the other side's book, which nobody here can write but them.

No Django here.
"""

from __future__ import annotations

import hashlib
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Job:
    """One accepted order. ``fault`` is the fault that it meets; ``looks`` how often it was asked
    about.
    """

    provider: str
    id: str
    model: str
    prompt: str
    seed: int | None
    tag: str
    fault: str | None
    created: float = field(default_factory=time.time)
    looks: int = 0
    downloads: int = 0

    @property
    def order(self) -> tuple[str, str, str, int | None]:
        """What was ordered: two jobs with the same are one order that was accepted twice."""
        return (
            self.provider,
            self.model,
            hashlib.sha256(self.prompt.encode()).hexdigest()[:16],
            self.seed,
        )

    def as_json(self) -> dict[str, Any]:
        """Return the entry for the ledger page."""
        return {
            "provider": self.provider, "id": self.id, "model": self.model, "prompt": self.prompt,
            "seed": self.seed,
            "fault": self.fault, "looks": self.looks, "downloads": self.downloads,
            "created": self.created,
        }  # fmt: skip


class Ledger:
    """All jobs, and how many submissions came in, accepted or not."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._jobs: dict[tuple[str, str], Job] = {}
        self.submissions: Counter[str] = Counter()

    def accept(
        self, provider: str, order: tuple[str, str, int | None, str], fault: str | None = None
    ) -> Job:
        """Enter an accepted order (model, prompt, seed, the caller's own name for it) under a new
        id.
        """
        job = Job(provider, f"{provider}-{uuid.uuid4().hex[:20]}", *order, fault)
        with self._lock:
            self._jobs[provider, job.id] = job
        return job

    def submitted(self, provider: str) -> None:
        """Count a submission."""
        with self._lock:
            self.submissions[provider] += 1

    def find(self, provider: str, job_id: str) -> Job | None:
        """Return a job by its id."""
        return self._jobs.get((provider, job_id))

    def tagged(self, provider: str, tag: str) -> Job | None:
        """Return the job that carries the caller's own name."""
        return next((job for job in self.of(provider) if job.tag == tag), None)

    def of(self, provider: str) -> list[Job]:
        """Return a provider's jobs, the newest first."""
        with self._lock:
            return sorted(
                (j for (p, _), j in self._jobs.items() if p == provider), key=lambda j: -j.created
            )

    def jobs(self) -> list[Job]:
        """Return all jobs in the order of their acceptance."""
        with self._lock:
            return sorted(self._jobs.values(), key=lambda job: job.created)

    def twice(self) -> dict[tuple[str, str, str, int | None], int]:
        """Return the orders that were accepted more than once, with how often."""
        return {
            order: count
            for order, count in Counter(job.order for job in self.jobs()).items()
            if count > 1
        }
