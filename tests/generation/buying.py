"""What the tests of bought clips share: a stand-in, a round with frozen prompts, and a worker in
this process.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from fartbench import jobs
from fartbench.models import Job, JobState, Round
from generation.commissioning import commission
from generation.configurations.loader import FOLDER
from generation.configuring import load_configurations, named
from generation.models import Configuration, ProviderAccount, Sample
from generation.prompting import audit_prompt, current_prompts, freeze_prompts, render_prompts
from generation.prompts import QUESTIONS
from simulation.stand_ins.providers import StandIn
from simulation.stand_ins.providers.ledger import Job as Accepted
from tests import factories

YES = dict.fromkeys(QUESTIONS, True)


def clip_of(job: Accepted) -> bytes:
    """Return a small real clip that is like no other: a box that players skip carries the job's
    id.
    """
    note = job.id.encode()
    return factories.tiny_clip(seconds=1.0) + (8 + len(note)).to_bytes(4, "big") + b"free" + note


@contextmanager
def running_stand_in(monkeypatch: pytest.MonkeyPatch, **options: object) -> Iterator[StandIn]:
    """Run a stand-in and send every provider there."""
    with StandIn(clip_of, **options) as stand_in:  # type: ignore[arg-type]
        monkeypatch.setenv("STAND_IN_URL", stand_in.url)
        # A test's rows are in a transaction that the thread which renews leases cannot see into.
        monkeypatch.setattr(jobs, "RENEW_EVERY_S", 3600.0)
        yield stand_in


def freeze(round_: Round, configurations: list[Configuration]) -> None:
    """Render, audit and freeze the prompts of a round."""
    render_prompts(
        protocol=round_.protocol, configurations=configurations, scenes=round_.scenes, actor="test"
    )
    prompts = list(current_prompts(round_.protocol, configurations).values())
    for prompt in {prompt.sha256: prompt for prompt in prompts}.values():
        audit_prompt(prompt=prompt, answers=YES, auditor="Ada Auditor")
    freeze_prompts(prompts=prompts, actor="test")


def bought(*names: str, scenes: list[str] | None = None, **round_fields: object) -> Round:
    """Return a round whose clips of the named configurations are commissioned."""
    for name in names:
        load_configurations(folder=FOLDER / f"{name}.yaml", actor="test")
    configurations = named(names)
    round_ = factories.make_round(scenes=scenes or ["r01-lift"])
    Round.objects.filter(pk=round_.pk).update(**round_fields)
    round_.refresh_from_db()
    freeze(round_, configurations)
    for one in configurations:
        ProviderAccount.objects.update_or_create(
            provider=one.provider, defaults={"max_in_flight": 50, "min_interval_s": 0.0}
        )
    commission(round_=round_, configurations=configurations, actor="test")
    return round_


def work(*, seconds: float = 600.0, hurry: bool = True) -> None:
    """Do jobs until none is left; with ``hurry`` waits are skipped, as far as the tests' clock is
    concerned.
    """
    deadline = time.monotonic() + seconds
    while jobs.waiting():
        assert time.monotonic() < deadline, list(Job.objects.exclude(state=JobState.DONE).values())
        if hurry:
            Sample.every.filter(not_before__isnull=False).update(not_before=None)
            ProviderAccount.objects.update(cooldown_until=None)
            Job.objects.filter(state=JobState.DUE).update(due_at="2026-01-01T00:00:00Z")
        if claim := jobs.claim_next():
            jobs.run(claim)
        elif not hurry:
            time.sleep(0.05)


def run_one(kind: str) -> None:
    """Do the one due job of a kind, and no other."""
    Job.objects.filter(state=JobState.DUE).exclude(kind=kind).update(due_at="2099-01-01T00:00:00Z")
    Job.objects.filter(state=JobState.DUE, kind=kind).update(due_at="2026-01-01T00:00:00Z")
    claim = jobs.claim_next()
    assert claim is not None
    jobs.run(claim)


def only_sample() -> Sample:
    """Return the one sample there is."""
    return Sample.objects.select_related("cell__round", "cell__configuration", "clip").get()
