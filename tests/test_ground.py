"""The ground that ``tests/conftest.py`` and ``tests/browser.py`` lay for every other test."""

import re
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
import redis
from django.contrib.auth import get_user_model
from django.db import IntegrityError, connection, transaction
from playwright.sync_api import Page

from fartbench import audit, writeonce
from fartbench.models import AuditEntry
from tests.browser import Faults, wait_for

ROOT = Path(__file__).parent.parent


@pytest.mark.django_db
def test_the_engine_is_the_one_that_was_asked_for(pytestconfig: pytest.Config):
    assert (
        connection.vendor
        == {"sqlite": "sqlite", "postgres": "postgresql"}[pytestconfig.getoption("--engine")]
    )


@pytest.mark.engine("postgres")
@pytest.mark.django_db
def test_a_test_for_postgresql_runs_there_only():
    assert connection.vendor == "postgresql"


@pytest.mark.engine("sqlite")
@pytest.mark.django_db
def test_sqlite_keeps_its_test_database_as_in_service():
    with connection.cursor() as cursor:
        values = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("journal_mode", "synchronous")
        ]
    assert values == ["wal", 2]


@pytest.mark.parametrize("address", [("192.0.2.1", 80), ("2001:db8::1", 80)])
def test_nothing_off_this_machine_can_be_reached(address: tuple[str, int]):
    family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
    with (
        socket.socket(family) as client,
        pytest.raises((RuntimeError, UserWarning), match="A test tried to use"),
    ):
        client.connect(address)


@pytest.mark.parametrize("round_trip", [1, 2])
def test_write_once_rows_are_swept_out_after_a_test(transactional_db: None, round_trip: int):
    assert AuditEntry.objects.count() == 0, "the rows of the other run are still there"
    assert writeonce.missing() == []
    with transaction.atomic():
        audit.record("tested")
    with pytest.raises(IntegrityError):
        AuditEntry.objects.all().delete()


def test_another_process_works_on_the_test_database(process_environment: dict[str, str]):
    get_user_model().objects.create_user("rae")
    count = "from django.contrib.auth import get_user_model as u; print(u().objects.get().username)"
    command = [sys.executable, "manage.py", "shell", "--no-imports", "-c", count]
    result = subprocess.run(
        command, cwd=ROOT, env=process_environment, capture_output=True, text=True, check=True
    )
    assert result.stdout == "rae\n"


@pytest.mark.parametrize("round_trip", [1, 2])
def test_redis_is_real_and_empty(redis_broker: str, round_trip: int):
    with redis.Redis.from_url(redis_broker.replace("redis+socket:", "unix:")) as client:
        assert client.dbsize() == 0
        client.set("key", "value")


@pytest.mark.parametrize("server", ["postgres_server", "redis_server"])
def test_a_server_ends_with_the_process_that_started_it_even_when_that_is_killed(server: str):
    start = (
        f"import time; from tests.servers import *\nwith {server}() as url: print(url, "
        "flush=True); time.sleep(600)"
    )
    starter = subprocess.Popen(
        [sys.executable, "-c", start], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    with starter:
        assert starter.stdout is not None
        folder = re.search(r"/\w+/fartbench-[^/]+", starter.stdout.readline().strip())
        started = psutil.Process(starter.pid).children(recursive=True)
        starter.kill()
    _, alive = psutil.wait_procs(started, timeout=180)
    assert started
    assert alive == []
    assert folder is not None
    shutil.rmtree(folder[0])


def test_a_page_that_logs_or_throws_an_error_is_at_fault(page: Page, faults: Faults):
    page.goto(
        "data:text/html,<script>console.error('one'); setTimeout(() => { throw new Error('two') "
        "})</script>"
    )
    wait_for(page, lambda: len(faults) == 2)
    assert [fault.split(" (")[0] for fault in faults] == ["console: one", "error: two"]
    with pytest.raises(AssertionError):
        faults.expect("console: one")
    faults.expect("error: two")


def test_a_page_that_asks_for_anything_off_this_machine_is_at_fault(page: Page, faults: Faults):
    page.goto(
        "data:text/html,<img src='http://example.org/a.png'><img src='http://192.0.2.1/b.png'>"
    )
    wait_for(page, lambda: len(faults) == 4)
    assert {fault for fault in faults if fault.startswith("request")} == {
        "request off this machine: http://example.org/a.png",
        "request off this machine: http://192.0.2.1/b.png",
    }
    faults.expect("request off this machine", "ERR_NAME_NOT_RESOLVED")


@pytest.mark.parametrize(
    "kind", ['video/mp4; codecs="avc1.42E01E,mp4a.40.2"', 'video/webm; codecs="vp9,opus"']
)
def test_the_browser_plays_what_clips_are_coded_in(page: Page, kind: str):
    assert (
        page.evaluate("kind => document.createElement('video').canPlayType(kind)", kind)
        == "probably"
    )
