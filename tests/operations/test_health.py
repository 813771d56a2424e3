"""Health for machines: alive, ready, and figures in Prometheus' format for those who may see
them.
"""

import socket
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.db import DatabaseError, InterfaceError, OperationalError, connection, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from prometheus_client.parser import text_string_to_metric_families

from fartbench import audit, jobs
from fartbench.models import Job, JobState, WorkerBeat
from fartbench.probes import PROBES
from fartbench.sessionstore import SessionStore
from operations import health
from tests.factories import make_round

pytestmark = pytest.mark.django_db

PATIENCE_S = 180  # between two looks at a clock, on a machine that is busy with something else


def figures(text: str) -> dict[tuple[str, ...], float]:
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_alive_asks_nobody_and_ready_names_the_part_that_is_missing(
    client: Client, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(0):
        assert client.get("/healthz").status_code == 200
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()) == (
        200,
        {"database": True, "migrations": True, "disk": True},
    )

    def away() -> None:
        raise DatabaseError("password hunter2 refused")

    monkeypatch.setattr(connection, "ensure_connection", away)
    ready = client.get("/readyz")
    assert (ready.status_code, ready.json()["database"]) == (503, False)
    assert b"hunter2" not in ready.content
    assert client.get("/healthz").status_code == 200


def test_probes_answer_whatever_the_machine_is_called_and_pages_do_not(
    client: Client, settings: Any
) -> None:
    settings.METRICS_TOKEN = "a-token"
    headers = {"Host": "web:8000", "Authorization": "Bearer a-token"}
    for probe in sorted(PROBES):
        assert client.get(probe, headers=headers).status_code == 200
    assert {reverse(name) for name in ("healthz", "readyz", "metrics")} == PROBES
    assert client.get("/", headers=headers).status_code == 400


@pytest.mark.parametrize(
    ("fault", "status"), [(OperationalError, 503), (InterfaceError, 503), (ValueError, 500)]
)
def test_a_database_that_is_away_is_a_page_to_ask_for_again(
    fault: type[Exception], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: Any, **__: Any) -> None:
        raise fault("hunter2")

    client = Client(raise_request_exception=False)
    monkeypatch.setattr(SessionStore, "load", fails)
    client.cookies["sessionid"] = "a-key-of-a-session-of-somebody-01"
    answer = client.get("/review/")
    assert (answer.status_code, answer.headers.get("Retry-After")) == (
        status,
        "5" if status == 503 else None,
    )
    assert "hunter2" not in answer.text


def test_a_container_asks_whether_its_own_worker_lives(capsys: pytest.CaptureFixture[str]) -> None:
    host = socket.gethostname()
    with pytest.raises(CommandError, match=f"No worker of {host}"):
        call_command("worker_alive")
    jobs.beat("celery@another-host", queue=jobs.MEDIA)
    with pytest.raises(CommandError, match=f"No worker of {host}"):
        call_command("worker_alive")
    jobs.beat(f"celery@{host}", queue=jobs.MEDIA)
    call_command("worker_alive")
    assert "seen within two minutes" in capsys.readouterr().out
    WorkerBeat.objects.update(seen_at=timezone.now() - timedelta(minutes=3))
    with pytest.raises(CommandError, match="broker or the database"):
        call_command("worker_alive")


def test_figures_say_how_queues_workers_backup_and_rounds_stand(
    client: Client, settings: Any, request: pytest.FixtureRequest
) -> None:
    settings.METRICS_TOKEN = "a-token"
    make_round()
    now = timezone.now()
    clock = time_machine.travel(now, tick=False)
    clock.start()
    request.addfinalizer(clock.stop)
    Job.objects.create(kind="look", subject="1", due_at=now - timedelta(seconds=90))
    Job.objects.create(kind="blind", subject="2", due_at=now, state=JobState.FAILED)
    Job.objects.create(kind="blind", subject="3", due_at=now + timedelta(hours=1))
    jobs.beat("one", queue=jobs.POLL)
    with transaction.atomic():
        audit.record(health.BACKED_UP, name="2026-11-30T120000Z")
    answer = client.get("/metrics", headers={"Authorization": "Bearer a-token"})
    assert answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    found = figures(answer.text)
    assert found["fartbench_jobs", "poll", "waiting"] == 1
    assert found["fartbench_jobs", "media", "failed"] == 1
    assert found["fartbench_oldest_due_job_seconds", "poll"] == 90
    assert (
        found["fartbench_oldest_due_job_seconds", "media"] == 0
    )  # the one that waits is not due yet
    assert found["fartbench_worker_seen_seconds", "poll"] == 0
    assert found["fartbench_worker_seen_seconds", "media"] == float("inf")
    assert found["fartbench_rounds", "draft"] == 1
    assert found["fartbench_audit_entries",] == 1
    assert found["fartbench_last_backup_timestamp_seconds",] == pytest.approx(
        now.timestamp(), abs=1
    )
    assert found["process_resident_memory_bytes",] > 1e6


@pytest.mark.parametrize(
    "header", ["", "Bearer ", "Bearer wrong", "Basic a-token", "Bearer a-token é"]
)
def test_figures_are_not_public(client: Client, settings: Any, header: str) -> None:
    settings.METRICS_TOKEN = "a-token"
    assert client.get("/metrics", headers={"Authorization": header}).status_code == 404
    settings.METRICS_TOKEN = ""
    assert client.get("/metrics", headers={"Authorization": "Bearer "}).status_code == 404


def test_a_broker_is_asked_whether_it_answers(
    client: Client, settings: Any, redis_broker: str, tmp_path: Path
) -> None:
    assert health.elsewhere() == {}, "neither a bucket nor a broker is set"
    settings.METRICS_TOKEN = "a-token"
    for address, answers in (
        (redis_broker, True),
        (f"redis+socket://{tmp_path}/nobody.sock", False),
    ):
        settings.CELERY_BROKER_URL = address
        assert health.elsewhere() == {"broker": answers}
        text = client.get("/metrics", headers={"Authorization": "Bearer a-token"}).text
        assert figures(text)["fartbench_part_answers", "broker"] == answers


def test_a_worker_for_all_jobs_serves_every_queue() -> None:
    with time_machine.travel(timezone.now(), tick=False):
        jobs.beat("work@here:1")
        assert {queue.seen_s for queue in health.queues()} == {0}


@pytest.mark.engine("sqlite")
def test_a_clock_that_went_back_is_told_by_the_newest_entry(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with transaction.atomic():
        audit.record("something")
    assert health.clock_ahead_s() == 0
    earlier = timezone.now() - timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: earlier)
    assert health.clock_ahead_s() == pytest.approx(-3600, abs=PATIENCE_S)


@pytest.mark.engine("postgres")
def test_the_clock_is_held_against_the_database_s(monkeypatch: pytest.MonkeyPatch) -> None:
    assert abs(health.clock_ahead_s()) < PATIENCE_S
    later = timezone.now() + timedelta(hours=1)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert health.clock_ahead_s() == pytest.approx(3600, abs=PATIENCE_S)
