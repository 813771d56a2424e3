"""What the tests of judges share: stand-in judges, an open round of clips that differ, and a worker
in this process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pytest

from blinding.models import Stimulus
from fartbench import jobs
from fartbench.models import Job, JobState, Round
from judging.models import Judge, JudgeAccount, JudgeRun
from judging.working import chosen_models, request_judging
from simulation.stand_ins.judges import StandInJudges
from tests import factories

GEMINI = "gemini-3.8-flash"
RIGHT = {
    "event": "yes",
    "cause": "yes",
    "detail": "yes",
    "sound": "4",
    "timing": "4",
    "people": "5",
}


def clip(number: int) -> bytes:
    """Return a small real clip that is like no other: a box that players skip carries its
    number.
    """
    note = f"clip {number}".encode()
    return factories.tiny_clip() + (8 + len(note)).to_bytes(4, "big") + b"free" + note


def judged_round(*, clips: int = 1, scenes: Sequence[str] = ("r01-lift",)) -> Round:
    """Return an open round of one clip per scene and number."""
    data = [clip(number) for number in range(clips * len(scenes))]
    return factories.open_round(configurations=clips, scenes=list(scenes), clips=data)


@contextmanager
def running_judges(monkeypatch: pytest.MonkeyPatch, **options: Any) -> Iterator[StandInJudges]:
    """Run stand-in judges and send every question there."""
    with StandInJudges(**options) as stand_in:
        monkeypatch.setenv("STAND_IN_JUDGES_URL", stand_in.url)
        # A test's rows are in a transaction that the thread which renews leases cannot see into.
        monkeypatch.setattr(jobs, "RENEW_EVERY_S", 3600.0)
        yield stand_in


def request(round_: Round, *names: str, **options: Any) -> list[Judge]:
    """Freeze the named judges and make their questions due."""
    models = chosen_models(round_, names or [GEMINI], options.pop("own", []))
    return request_judging(round_=round_, models=models, actor="test", **options)


def work(*, seconds: float = 600.0, hurry: bool = True) -> None:
    """Do jobs until none is left; with ``hurry`` nobody waits, as far as the tests' clock is
    concerned.
    """
    deadline = time.monotonic() + seconds
    while jobs.waiting():
        assert time.monotonic() < deadline, list(Job.objects.exclude(state=JobState.DONE).values())
        if hurry:
            JudgeAccount.objects.update(cooldown_until=None, next_at=None)
            Job.objects.filter(state=JobState.DUE).update(due_at="2026-01-01T00:00:00Z")
        if claim := jobs.claim_next():
            jobs.run(claim)
        else:
            time.sleep(0.02)


def asked(round_: Round, *names: str, **options: Any) -> list[JudgeRun]:
    """Ask the named judges about everything, and return their runs."""
    judges = request(round_, *names, **options)
    work()
    return list(
        JudgeRun.objects.filter(judge__in=judges).select_related("judge__round", "stimulus")
    )


def truths_of(round_: Round, answers: dict[str, str] | None = None) -> dict[str, dict[str, str]]:
    """Return one set of right answers for every clip of the round, by the SHA-256 of its bytes."""
    return {stimulus.sha256: answers or RIGHT for stimulus in Stimulus.objects.filter(round=round_)}
