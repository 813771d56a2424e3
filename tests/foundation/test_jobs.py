"""Jobs: claimed once, taken up again after a kill, retried for passing faults, failed with words
for others.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.conf import settings as project
from django.db import OperationalError, connection
from django.db.models import QuerySet
from django.utils import timezone

from fartbench import jobs
from fartbench.errors import Refusal
from fartbench.models import Job, JobState, WorkerBeat
from fartbench.storage import StorageFull

pytestmark = pytest.mark.django_db

PATIENCE_S = 180  # nothing takes that long, unless the machine is busy with something else


@pytest.fixture
def handled() -> Iterator[list[str]]:
    """Register a kind of job that only notes what it got."""
    subjects: list[str] = []
    jobs.register("note", f"{__name__}.take_note")
    use(lambda subject, _report: subjects.append(subject))
    yield subjects
    jobs._handlers.pop("note")
    jobs._queues.pop("note")


_handler: jobs.Handler


def use(handler: jobs.Handler) -> None:
    global _handler  # noqa: PLW0603 - what jobs of the kind “note” do
    _handler = handler


def take_note(subject: str, report: jobs.Report) -> None:
    _handler(subject, report)


def run_one() -> Job:
    claim = jobs.claim_next()
    assert claim is not None
    jobs.run(claim)
    return Job.objects.get(pk=claim.job.pk)


def test_a_job_is_done_once(handled: list[str]) -> None:
    jobs.enqueue("note", [1, 2, 2])
    jobs.enqueue("note", [2])
    while claim := jobs.claim_next():
        jobs.run(claim)
    assert sorted(handled) == ["1", "2"]
    assert set(Job.objects.values_list("state", "progress")) == {("done", 1.0)}
    assert jobs.waiting() == 0


def test_a_job_that_says_not_yet_waits_and_spends_no_try(handled: list[str]) -> None:
    def not_yet(_subject: str, _report: jobs.Report) -> None:
        raise jobs.NotYet(30)

    use(not_yet)
    with time_machine.travel(timezone.now(), tick=False):
        jobs.enqueue("note", [1])
        job = run_one()
        assert (job.state, job.attempts) == (JobState.DUE, 0)
        assert job.due_at == timezone.now() + timedelta(seconds=30)
    assert jobs.claim_next() is None


def test_a_worker_may_take_the_jobs_of_one_round_alone(handled: list[str]) -> None:
    jobs.enqueue("note", [1], round_name="spring")
    jobs.enqueue("note", [2], round_name="autumn")
    assert jobs.claim_next(round_name="winter") is None
    claim = jobs.claim_next(round_name="autumn")
    assert claim is not None
    assert claim.job.subject == "2"


def test_a_claimed_job_is_not_given_to_another(handled: list[str]) -> None:
    jobs.enqueue("note", [1])
    assert jobs.claim_next() is not None
    assert jobs.claim_next() is None


def test_a_job_whose_worker_was_killed_is_due_again_when_its_lease_runs_out(
    handled: list[str],
) -> None:
    jobs.enqueue("note", [1])
    killed = jobs.claim_next()
    assert killed is not None
    Job.objects.update(due_at=timezone.now() - timedelta(seconds=1))
    assert run_one().state == JobState.DONE
    # The dead worker, should it live after all, no longer holds the row and changes nothing.
    assert not killed.row().update(state=JobState.FAILED)
    assert handled == ["1"]


@pytest.mark.parametrize(
    "fault", [OperationalError("locked"), StorageFull("disk full"), OSError("unreachable")]
)
def test_a_passing_fault_is_tried_again_and_in_the_end_fails_with_its_words(
    handled: list[str], fault: Exception
) -> None:
    def stumble(_subject: str, _report: jobs.Report) -> None:
        raise fault

    use(stumble)
    jobs.enqueue("note", [1])
    for _ in jobs.RETRY_AFTER:
        job = run_one()
        assert (job.state, job.error) == (JobState.DUE, str(fault))
        assert job.due_at > timezone.now()
        Job.objects.update(due_at=timezone.now())
    assert run_one().state == JobState.FAILED


def test_a_refusal_fails_at_once_in_its_own_words_and_can_be_asked_for_again(
    handled: list[str],
) -> None:
    def refuse(_subject: str, _report: jobs.Report) -> None:
        raise Refusal("The clip has no picture.")

    use(refuse)
    jobs.enqueue("note", [1])
    job = run_one()
    assert (job.state, job.error) == (JobState.FAILED, "The clip has no picture.")
    use(lambda subject, _report: handled.append(subject))
    jobs.enqueue("note", [1])
    assert run_one().state == JobState.DONE


def test_a_fault_of_the_program_is_stored_and_raised(handled: list[str]) -> None:
    def break_down(_subject: str, _report: jobs.Report) -> None:
        raise ZeroDivisionError("division by zero")

    use(break_down)
    jobs.enqueue("note", [1])
    with pytest.raises(ZeroDivisionError):
        run_one()
    assert "A fault of the program: ZeroDivisionError" in Job.objects.get().error


def test_progress_is_stored_while_the_work_goes_on(handled: list[str]) -> None:
    seen = []

    def half(_subject: str, report: jobs.Report) -> None:
        report(0.5)
        seen.append(Job.objects.get().progress)

    use(half)
    jobs.enqueue("note", [1])
    run_one()
    assert seen == [0.5]


def test_a_sign_of_life_is_seen() -> None:
    assert jobs.last_beat_s() is None
    with time_machine.travel(timezone.now(), tick=False) as clock:
        jobs.beat("one")
        assert jobs.last_beat_s() == 0
        clock.shift(90)
        assert jobs.last_beat_s() == 90


@pytest.mark.django_db(transaction=True)
def test_of_many_that_try_for_the_same_jobs_each_job_goes_to_one(handled: list[str]) -> None:
    jobs.enqueue("note", list(range(20)))

    def work() -> None:
        try:
            while claim := jobs.claim_next():
                jobs.run(claim)
        finally:
            connection.close()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(handled, key=int) == [str(number) for number in range(20)]


@pytest.mark.django_db(transaction=True)
def test_the_lease_is_renewed_while_the_work_goes_on(
    handled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "RENEW_EVERY_S", 0.05)
    first: list[Job] = []

    def slow(_subject: str, _report: jobs.Report) -> None:
        first.append(Job.objects.get())
        deadline = time.monotonic() + PATIENCE_S
        while Job.objects.get().lease_until == first[0].lease_until and time.monotonic() < deadline:
            time.sleep(0.02)
        first.append(Job.objects.get())

    use(slow)
    jobs.enqueue("note", [1])
    run_one()
    assert first[1].lease_until > first[0].lease_until  # type: ignore[operator]
    assert first[1].due_at > first[0].due_at


@pytest.mark.django_db(transaction=True)
def test_a_worker_that_is_busy_is_not_taken_for_away(
    handled: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "RENEW_EVERY_S", 0.05)
    was_seen: list[float | None] = []

    def slow(_subject: str, _report: jobs.Report) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while jobs.last_beat_s() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        was_seen.append(jobs.last_beat_s())

    use(slow)
    jobs.enqueue("note", [1])
    claim = jobs.claim_next()
    assert claim is not None
    jobs.run(claim, alive=lambda: jobs.beat("one"))
    assert was_seen[0] is not None


def test_a_worker_process_stops_when_asked_and_says_it_was_there(
    process_environment: dict[str, str],
) -> None:
    command = [sys.executable, str(Path(project.BASE_DIR) / "manage.py"), "work"]
    with subprocess.Popen(command, env=process_environment) as worker:
        deadline = time.monotonic() + PATIENCE_S
        while not WorkerBeat.objects.exists() and time.monotonic() < deadline:
            time.sleep(0.1)
        os.kill(worker.pid, signal.SIGTERM)
        assert worker.wait(timeout=PATIENCE_S) == 0
    assert WorkerBeat.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_a_broker_that_is_away_loses_nothing_and_is_not_waited_for(
    handled: list[str], settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.CELERY_BROKER_URL = "redis://127.0.0.1:1/0"
    waits: list[float] = []
    monkeypatch.setattr(
        "kombu.utils.functional.sleep", waits.append
    )  # between two tries to reach it
    jobs.enqueue("note", [1])
    assert sum(waits) < 5
    assert run_one().state == JobState.DONE


def test_a_worker_that_is_set_apart_takes_the_jobs_of_its_queues_and_no_others(
    handled: list[str],
) -> None:
    jobs.register("question", f"{__name__}.take_note", queue=jobs.POLL)
    try:
        jobs.enqueue("note", [1])
        jobs.enqueue("question", [2])
        assert jobs.claim_next([jobs.SUBMIT, jobs.JUDGE]) is None
        assert [jobs.due([queue]) for queue in jobs.QUEUES] == [0, 1, 1, 0]
        claim = jobs.claim_next([jobs.POLL])
        assert claim is not None
        assert claim.job.kind == "question"
        assert jobs.due() == 1
    finally:
        jobs._handlers.pop("question")
        jobs._queues.pop("question")


def test_every_kind_of_job_belongs_to_a_queue_that_workers_can_listen_to() -> None:
    queues = {kind: jobs._queues[kind] for kind in jobs._handlers}
    assert queues.items() >= {
        "dispatch": "submit", "submit": "submit", "find": "poll", "look": "poll", "fetch": "media",
        "generate": "media", "blind": "media", "training": "media",
    }.items()  # fmt: skip
    assert set(queues.values()) <= set(jobs.QUEUES)


def test_two_first_signs_of_life_at_the_same_moment_are_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jobs.beat("one")
    WorkerBeat.objects.update(seen_at=timezone.now() - timedelta(hours=1))
    # As this process sees it, the other one has not written its sign yet.
    monkeypatch.setattr(QuerySet, "update", lambda *_, **__: 0)
    jobs.beat("one")
    assert WorkerBeat.objects.get().seen_at > timezone.now() - timedelta(minutes=1)


def test_signs_of_life_of_processes_long_gone_are_forgotten() -> None:
    jobs.beat("one", queue=jobs.MEDIA)
    WorkerBeat.objects.update(seen_at=timezone.now() - timedelta(days=3))
    jobs.beat("two")
    jobs.beat("two")
    assert list(WorkerBeat.objects.values_list("name", "queue")) == [("two", "")]
