"""The crash test in small: a few cells, two kills.

The whole one is ``python -m tests.chaos.generation``.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings


@pytest.mark.engine("postgres")  # it brings its own servers; once is enough
@pytest.mark.django_db
def test_killed_workers_buy_nothing_twice_and_lose_nothing() -> None:
    command = [sys.executable, "-m", "tests.chaos.generation"]
    options = ["--kills", "2", "--minutes", "1.5", "--configurations", "3", "--fault-rate", "0"]
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("DJANGO")
    }
    done = subprocess.run(
        [*command, *options], env=environment, cwd=Path(settings.BASE_DIR), capture_output=True,
        text=True, check=False,
        timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert "nothing accepted twice, nothing lost" in done.stdout
