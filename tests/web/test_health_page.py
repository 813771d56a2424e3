"""The staff's page of health: in words, with what to do."""

from datetime import timedelta

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from fartbench import audit, database_roles, jobs, writeonce
from fartbench.models import Job, WorkerBeat
from operations import health
from tests.factories import make_staff
from web.pages import health as health_page
from web.pages.health import HealthLine, health_lines, size, span

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


@pytest.fixture(autouse=True)
def _newest_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health_page, "landlock_version", lambda: 7)


@pytest.mark.parametrize(
    ("version", "state", "words"),
    [
        (0, "warn", "lacks Landlock"),
        (3, "warn", "shuts the network"),
        (4, "good", "without network"),
    ],
)
def test_a_kernel_without_walls_for_the_reader_of_media_is_said(
    version: int, state: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health_page, "landlock_version", lambda: version)
    line = lines()["Reading of media"]
    assert (line.state, words in line.words) == (state, True)
    assert bool(line.todo) == (state == "warn")


def lines() -> dict[str, HealthLine]:
    return {line.part.partition(" (")[0]: line for line in health_lines()}


def test_a_new_installation_lacks_a_backup_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(database_roles, "faults", list)  # the tests' own role is a superuser
    found = lines()
    assert {part for part, line in found.items() if line.state != "good"} == {"Backup"}
    assert "manage.py backup" in found["Backup"].todo


def test_guards_that_are_missing_or_can_be_lifted_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_roles, "faults", lambda: ["the role lab owns tables"])
    assert (lines()["Guards"].state, "the role lab owns tables" in lines()["Guards"].words) == (
        "warn",
        True,
    )
    monkeypatch.setattr(writeonce, "missing", lambda: ["one", "another"])
    assert (lines()["Guards"].state, "2 guards" in lines()["Guards"].words) == ("bad", True)


def test_work_that_waits_for_nobody_is_the_first_thing_to_act_on() -> None:
    Job.objects.create(kind="look", subject="1", due_at=timezone.now() - timedelta(minutes=10))
    line = lines()["Queue “poll”"]
    assert line.state == "bad"
    assert line.words == (
        "No worker was ever seen. 1 waiting, 0 running, 0 failed. The oldest has been due for 10 "
        "minutes."
    )
    assert "-Q poll" in line.todo
    jobs.beat("one", queue=jobs.POLL)
    assert (lines()["Queue “poll”"].state, lines()["Queue “poll”"].todo) == (
        "warn",
        "Start more workers for this queue.",
    )
    WorkerBeat.objects.update(seen_at=timezone.now() - timedelta(hours=3))
    assert "A worker was seen 3 hours ago." in lines()["Queue “poll”"].words


@pytest.mark.parametrize(
    ("free", "state"), [(500_000_000_000, "good"), (50_000_000_000, "warn"), (1_000_000, "bad")]
)
def test_a_disk_that_runs_full_is_said_in_time(
    free: int, state: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health.Disk, "read", lambda: health.Disk(free, 1_000_000_000_000))
    assert lines()["Disk"].state == state


def test_a_bucket_and_a_broker_that_do_not_answer_are_said(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "Messages" not in lines(), "no broker is set"
    monkeypatch.setattr(health, "elsewhere", lambda: {"bucket": True, "broker": True})
    assert [lines()[part].state for part in ("Clips and copies", "Messages")] == ["good", "good"]
    monkeypatch.setattr(health, "elsewhere", lambda: {"bucket": False, "broker": False})
    for part in ("Clips and copies", "Messages"):
        assert (lines()[part].state, "does not answer" in lines()[part].words) == ("bad", True)


@pytest.mark.parametrize(("days", "state"), [(0, "good"), (3, "warn")])
def test_an_old_backup_is_said(days: int, state: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with transaction.atomic():
        audit.record(health.BACKED_UP, name="monday")
    later = timezone.now() + timedelta(days=days)
    monkeypatch.setattr(timezone, "now", lambda: later)
    assert (lines()["Backup"].state, "monday" in lines()["Backup"].words) == (state, True)


@pytest.mark.parametrize(
    ("ahead", "words"), [(-60.0, "60 seconds behind"), (7300.0, "2 hours ahead of")]
)
def test_a_clock_that_is_off_is_said(
    ahead: float, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(health, "clock_ahead_s", lambda: ahead)
    assert words in lines()["Clock"].words
    assert lines()["Clock"].state == "bad"


def test_the_page_shows_every_line_to_staff(client: Client) -> None:
    client.force_login(make_staff())
    page = client.get("/staff/health/").text
    assert all(line.words.split(".")[0] in page for line in health_lines() if line.part != "Disk")
    assert page.count('class="badge badge--') == len(health_lines())


def test_lengths_and_sizes_are_in_words() -> None:
    assert [span(seconds) for seconds in (0.4, 1, 119, 120, 7199, 7200, 200_000)] == [
        "0 seconds", "1 second", "119 seconds", "2 minutes", "119 minutes", "2 hours", "2 days",
    ]  # fmt: skip
    assert [size(12_000_000), size(1_500_000_000)] == ["12 MB", "1.5 GB"]
