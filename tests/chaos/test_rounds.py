"""The crash test of a round in small: five people, two clips, each harm once.

The whole one is ``make chaos``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings

SMALL = [
    "--reviewers=5",
    "--configurations=1",
    "--scenes=2",
    "--minutes=0.2",
    "--kills=0",
    "--once",
]
HARM = ("Crash postgres", "Fill database disk", "Jump clock", "Kill web server", "Kill web worker",
        "Lose storage",
        "Restart postgres", "Restart redis", "Run a command on a full disk")  # fmt: skip


@pytest.mark.engine("postgres")  # it brings its own servers; once is enough
@pytest.mark.django_db
def test_every_answer_reported_as_saved_is_there_once_whatever_failed() -> None:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("DJANGO")
    }
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos.rounds", *SMALL], env=environment,
        cwd=Path(settings.BASE_DIR),
        capture_output=True, text=True, timeout=1800, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "in 10 sheets were reported as saved and locked" in done.stdout
    assert "Lost or wrong: nothing." in done.stdout
    assert [harm for harm in HARM if harm not in done.stdout] == []
