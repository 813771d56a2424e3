"""Settings come from the environment, and .env.example lists every one."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import OperationalError, connection

from fartbench import weak
from fartbench.management.commands import set_up
from fartbench.management.commands.work import Command as Work
from fartbench.secret_files import read_secret_files
from fartbench.secret_key import kept_secret_key
from fartbench.storage import shut_to_others
from generation.providers.access import SERVICES
from judging.ports.access import NAMES as JUDGES
from tests.layers import ROOMS

BASE_DIR = Path(settings.BASE_DIR)
READS = re.compile(
    r"""(?:env\.\w+|_set_or_none)\(\s*"([A-Z0-9_]+)"|environ(?:\.get\(|\[)\s*"([A-Z_]+)\""""
)


def variables_read() -> set[str]:
    found = set()
    for app in ROOMS:
        for path in (BASE_DIR / app).rglob("*.py"):
            found |= {a or b for a, b in READS.findall(path.read_text(encoding="utf-8"))}
    of_providers = {name for address, _, keys in SERVICES.values() for name in (address, *keys)}
    of_judges = {name for names in JUDGES.values() for name in names}
    return (found | of_providers | of_judges) - {
        "DJANGO_SETTINGS_MODULE",
        "PATH",
    }  # not settings of the product


def test_env_example_lists_exactly_what_the_code_reads() -> None:
    listed = set(
        re.findall(
            r"^#?([A-Z0-9_]+)=",
            (BASE_DIR / ".env.example").read_text(encoding="utf-8"),
            re.MULTILINE,
        )
    )
    assert listed == variables_read()


GOOD_KEY = "0123456789abcdefghijklmnopqrstuvwxyz-and-more"
PUBLIC = "https://lab.example.org"
WEAK: dict[str, tuple[dict[str, Any], str]] = {
    "a short key": ({"SECRET_KEY": "x"}, "SECRET_KEY is shorter"),
    "a key of few characters": ({"SECRET_KEY": "ab" * 40}, "SECRET_KEY is shorter"),
    "an example as key": (
        {"SECRET_KEY": "change-me-0123456789-0123456789-abc"},
        "SECRET_KEY is an example",
    ),
    "every host": ({"ALLOWED_HOSTS": ["*"]}, "ALLOWED_HOSTS is"),
    "every host of a top domain": ({"ALLOWED_HOSTS": ["a.org", ".org"]}, "ALLOWED_HOSTS is “.org”"),
    "http in a lab's network": ({"BASE_URL": "http://10.0.0.5"}, "BASE_URL is http://10.0.0.5"),
    "http under a name": (
        {"BASE_URL": "http://lab.example.org:8000"},
        "BASE_URL is http://lab.example.org:8000",
    ),
    "errors shown to everyone": ({"BASE_URL": PUBLIC, "DEBUG": True}, "DEBUG is on"),
}
STARTS = {
    "check": ["manage.py", "check", "--deploy", "--fail-level", "ERROR"],
    "web": ["-c", "import fartbench.wsgi"],
    "celery": [
        "-m",
        "celery",
        "-b",
        "memory://",
        "-A",
        "fartbench.celery",
        "worker",
        "--pool",
        "solo",
    ],
}


@pytest.mark.parametrize("kind", WEAK)
def test_it_is_refused_to_serve_and_to_work_with(kind: str, settings: Any) -> None:
    settings.SECRET_KEY = GOOD_KEY
    assert weak.weak_settings() == []
    changes, words = WEAK[kind]
    for name, value in changes.items():
        setattr(settings, name, value)
    assert [fault.msg for fault in weak.weak_settings() if words in fault.msg]
    with pytest.raises(ImproperlyConfigured, match=re.escape(words)):
        Work().run(processes=1, until_idle=True)


@pytest.mark.parametrize(
    "address", [PUBLIC, "http://127.0.0.1:8000", "http://[::1]:8000", "http://localhost"]
)
def test_good_settings_are_taken_at(address: str, settings: Any) -> None:
    settings.SECRET_KEY, settings.BASE_URL = GOOD_KEY, address
    assert weak.weak_settings() == []


def started(start: str, **environment: str) -> subprocess.CompletedProcess[str]:
    whole = {**os.environ, "SECRET_KEY": GOOD_KEY, **environment, "PYTHONPATH": str(BASE_DIR)}
    command = [sys.executable, *STARTS[start]]
    return subprocess.run(
        command, cwd=BASE_DIR, env=whole, capture_output=True, text=True, timeout=120, check=False
    )


@pytest.mark.parametrize("start", STARTS)
def test_nothing_starts_with_weak_settings(start: str) -> None:
    done = started(
        start, SECRET_KEY="x", ALLOWED_HOSTS="*", BASE_URL="http://10.0.0.5", DEBUG="true"
    )
    assert done.returncode != 0
    for words in (
        "SECRET_KEY is shorter",
        "ALLOWED_HOSTS is",
        "BASE_URL is http://10.0.0.5",
        "DEBUG is on",
    ):
        assert words in done.stderr + done.stdout


def test_the_web_server_starts_with_good_settings() -> None:
    assert started("web", BASE_URL=PUBLIC).returncode == 0


def run_with(**environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BASE_DIR / "manage.py"), "check"]
    return subprocess.run(
        command,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )


def test_a_public_address_needs_a_secret_key(tmp_path: Path) -> None:
    done = run_with(BASE_URL="https://lab.example.org", SECRET_KEY="", DATA_DIR=str(tmp_path))
    assert done.returncode != 0
    assert "Set SECRET_KEY" in done.stderr


def test_an_installation_on_loopback_makes_and_keeps_a_key_that_only_its_owner_reads(
    tmp_path: Path,
) -> None:
    key = kept_secret_key(tmp_path / "deep" / "key")
    assert len(key) >= 50
    assert kept_secret_key(tmp_path / "deep" / "key") == key
    assert (tmp_path / "deep" / "key").stat().st_mode & 0o077 == 0
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["key"]


@pytest.mark.engine("sqlite")
@pytest.mark.django_db
def test_other_accounts_of_the_machine_can_open_neither_the_database_nor_raw_clips(
    settings: Any, tmp_path: Path
) -> None:
    assert Path(connection.settings_dict["NAME"]).stat().st_mode & 0o007 == 0, (
        "shut when its tables were made"
    )
    settings.DATA_DIR = tmp_path
    database = tmp_path / "lab.sqlite3"
    database.touch(0o664)
    (tmp_path / "clips").mkdir(0o755)
    shut_to_others(database)
    assert {path.name for path in tmp_path.iterdir() if path.stat().st_mode & 0o007 == 0} == {
        "lab.sqlite3", "clips", "spool", "uploads",
    }  # fmt: skip


@pytest.mark.parametrize("variable", ["SECRET_KEY", "DATABASE_URL"])
def test_no_secret_shows_in_an_error(variable: str, tmp_path: Path) -> None:
    secret = "postgres://user:hunter2@127.0.0.1:1/none"
    command = [sys.executable, str(BASE_DIR / "manage.py"), "score", "nothing"]
    environment = {**os.environ, "DATA_DIR": str(tmp_path), variable: secret}
    done = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 1
    assert "hunter2" not in done.stdout + done.stderr


def test_a_secret_is_read_from_its_file_and_wins_over_the_variable(tmp_path: Path) -> None:
    (tmp_path / "key").write_text("  of the file\n")
    (tmp_path / "url").write_text("postgres://lab@database/lab")
    environment = {
        "SECRET_KEY": "of the variable",
        "SECRET_KEY_FILE": str(tmp_path / "key"),
        "DATABASE_URL_FILE": str(tmp_path / "url"),
        "GEMINI_API_KEY_FILE": str(tmp_path / "key"),
        "FAL_KEY_FILE": "",
        "SSL_CERT_FILE": "/nowhere",
    }
    read_secret_files(environment)
    assert environment["SECRET_KEY"] == environment["GEMINI_API_KEY"] == "of the file"
    assert environment["DATABASE_URL"] == "postgres://lab@database/lab"
    assert not {"FAL_KEY", "SSL_CERT"} & set(environment)


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_file_of_a_secret_that_cannot_be_read_is_named(
    content: bytes | None, tmp_path: Path
) -> None:
    if content:
        (tmp_path / "key").write_bytes(content)
    done = run_with(SECRET_KEY_FILE=str(tmp_path / "key"), DATA_DIR=str(tmp_path))
    assert done.returncode != 0
    assert f"SECRET_KEY_FILE names {tmp_path / 'key'}, which cannot be read" in done.stderr


def test_a_secret_of_a_file_is_in_no_log(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("hunter2-hunter2")
    code = (
        "import django, logging; django.setup(); "
        "logging.getLogger('x').warning('it is hunter2-hunter2')"
    )
    environment = {**os.environ, "METRICS_TOKEN_FILE": str(tmp_path / "token")}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "it is [secret]" in done.stderr


def test_set_up_waits_for_a_database_that_begins_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    tries: list[int] = []

    def answers_the_third_time() -> None:
        tries.append(1)
        if len(tries) < 3:
            raise OperationalError("the database system is starting up")

    monkeypatch.setattr(set_up.connection, "ensure_connection", answers_the_third_time)
    monkeypatch.setattr(set_up.time, "sleep", lambda _: None)
    set_up.wait_for_database()
    assert len(tries) == 3
    tries.clear()
    monkeypatch.setattr(set_up, "PATIENCE_S", -1)
    with pytest.raises(OperationalError):
        set_up.wait_for_database()


def test_a_worker_prints_no_banner_where_logs_are_json(tmp_path: Path) -> None:
    """The flag that compose.yaml sets: every line of a worker is an object then."""
    command = [sys.executable, "-m", "celery", "-q", "-b", "memory://", "-A", "fartbench.celery"]
    environment = {
        **os.environ,
        "SECRET_KEY": "short",
        "LOG_FORMAT": "json",
        "PYTHONPATH": str(BASE_DIR),
    }
    beat = [*command, "beat", "--max-interval", "1", "-s", str(tmp_path / "beat"), "-l", "debug"]
    with subprocess.Popen(
        beat, cwd=BASE_DIR, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        process.kill()
    assert {"time", "level", "message"} <= set(json.loads(first))
