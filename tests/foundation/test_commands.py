"""What commands share: status 0, 1 and 2, and words for a database that does not fit."""

import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import OperationalError

from fartbench import commands


def manage(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "DATA_DIR": str(folder)}
    del environment["DATABASE_URL"]
    command = [sys.executable, str(Path(settings.BASE_DIR) / "manage.py"), *words]
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=600, check=False
    )


@pytest.mark.engine("sqlite")
def test_a_database_of_an_older_version_is_named_with_what_to_do(tmp_path: Path) -> None:
    done = manage(tmp_path, "score", "r1")
    assert done.returncode == 1
    assert "The database is of an older version" in done.stderr
    assert "manage.py migrate" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.engine("sqlite")
def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    (tmp_path / "db.sqlite3").write_bytes(b"this is no database" * 100)
    done = manage(tmp_path, "score", "r1")
    assert done.returncode == 1
    assert "The database cannot be read" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.engine("sqlite")
def test_status_is_2_for_wrong_use(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "db.sqlite3"):
        pass
    assert manage(tmp_path, "score", "--colour", "red").returncode == 2
    assert manage(tmp_path, "export", "r1").returncode == 2


@pytest.mark.django_db
def test_a_database_that_fails_half_way_is_a_refusal_in_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OperationalError("database or disk is full")

    monkeypatch.setattr(commands, "find_round", full)
    with pytest.raises(CommandError, match="database or disk is full") as caught:
        call_command("score", "r1")
    assert caught.value.returncode == 1
    assert "run the same command again" in str(caught.value)
