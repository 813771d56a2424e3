"""Settings come from the environment, and .env.example lists every one."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import connection

from fartbench import weak
from fartbench.management.commands.work import Command as Work
from fartbench.secret_key import kept_secret_key
from fartbench.storage import shut_to_others
from generation.providers.access import SERVICES
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
    return (found | of_providers) - {
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
