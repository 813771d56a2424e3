"""What a web process takes: it starts without what only workers and commands need, and stays small
while it serves.
"""

import json
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from django.conf import settings as project

from tests.production.servers import answers, gunicorn, wait_for
from tests.servers import free_ports

LARGEST = 150e6  # bytes of one idle web worker
# Decoders, special functions, drawing, buckets, providers: each costs tenths of a second and tens
# of megabytes.
NOT_AT_START = ("av", "scipy", "svg", "boto3", "google.genai", "runwayml", "prometheus_client")


def test_the_web_process_starts_without_what_it_does_not_need() -> None:
    program = (
        "import json, sys, fartbench.wsgi; from django.urls import get_resolver; "
        "get_resolver().url_patterns; "
        f"print(json.dumps([name for name in {NOT_AT_START!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=project.BASE_DIR,
    )
    assert json.loads(done.stdout) == []


@pytest.mark.engine("sqlite")
@pytest.mark.django_db(transaction=True)
def test_an_idle_web_worker_is_small(process_environment: dict[str, str], tmp_path: Path) -> None:
    (port,) = free_ports(1)
    environment = process_environment | {
        "DATA_DIR": str(tmp_path),
        "BASE_URL": f"http://127.0.0.1:{port}",
    }
    with gunicorn(environment, port, "--workers", "1") as pid:
        for page in ("healthz", "", "readyz", "login/", "method/", "leaderboards/"):
            wait_for(lambda page=page: answers(f"http://127.0.0.1:{port}/{page}"))
        (worker,) = psutil.Process(pid).children()
        assert worker.memory_info().rss < LARGEST
