"""What every test gets: one database engine, a data folder of its own, a closed network, and on
request a browser.

``pytest`` runs everything on SQLite. ``pytest --engine=postgres`` starts a PostgreSQL server and
runs again what touches the database. Pure tests and browser journeys run on SQLite only: elsewhere
they would show the same again. Mark a test ``@pytest.mark.engine("sqlite")`` or ``("postgres")``
when it is about one engine. ``pytest --firefox`` runs the few journeys in Firefox instead, ``pytest
--weights`` also the models in PyTorch.

The machinery: `tests.selecting` (which tests, in which order), `tests.shortcuts` (what makes them
quick), `tests.processes` (other processes and Redis), `tests.browser`, `tests.firefox`,
`tests.turns` (runs that share files). Rows to begin with are in `tests.factories`.
"""

import gc
import os
import signal
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path

import django
import pytest
from django.db import connection
from hypothesis import settings as hypothesis_settings

from tests.servers import postgres_server

pytest_plugins = [
    "tests.browser",
    "tests.drawn_rollouts",
    "tests.firefox",
    "tests.processes",
    "tests.selecting",
    "tests.shortcuts",
    "tests.turns",
    "tests.commands",
]

hypothesis_settings.register_profile("suite", database=None, deadline=None)
hypothesis_settings.load_profile("suite")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--engine", choices=["sqlite", "postgres"], default="sqlite", help="database to run on"
    )
    parser.addoption(
        "--firefox", action="store_true", help="run the journeys in Firefox, and nothing else"
    )
    parser.addoption(
        "--weights", action="store_true", help="also run the tests of models, which need PyTorch"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Give the settings their environment before Django reads them, and clean up after the last
    test.
    """
    config.addinivalue_line("markers", "engine(*names): run on these database engines only")
    config.addinivalue_line("markers", "browser: set by itself on what asks for a page; for -m")
    if "fartbench.settings" in sys.modules:
        pytest.exit(
            "Unset DJANGO_SETTINGS_MODULE: the tests choose the settings' environment themselves.",
            2,
        )
    gc.disable()  # reading all tests leaves no garbage; see pytest_collection_finish
    signal.signal(
        signal.SIGTERM, signal.default_int_handler
    )  # asked to end, stop as on Ctrl-C: with all clean-up
    leftovers = ExitStack()
    config.add_cleanup(leftovers.close)
    folder = Path(leftovers.enter_context(tempfile.TemporaryDirectory(prefix="fartbench-tests-")))
    (folder / "static").mkdir()
    if config.getoption("--engine") == "postgres":
        database = leftovers.enter_context(postgres_server())
    else:
        database = f"sqlite:///{folder / 'db.sqlite3'}"
    os.environ.update(_environment(data_dir=folder, database_url=database))
    django.setup()


def _environment(*, data_dir: Path, database_url: str) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "fartbench.settings",
        "DATA_DIR": str(data_dir),
        "DATABASE_URL": database_url,
        "DATABASE_OWNER_URL": "",
        "SECRET_KEY": "only-for-the-tests-0123456789-abcdef",
        "SECRET_KEY_FALLBACKS": "",
        "DEBUG": "false",
        "BASE_URL": "http://127.0.0.1:8000",
        "ALLOWED_HOSTS": "127.0.0.1,localhost,testserver",
        "DJANGO_LIVE_TEST_SERVER_ADDRESS": "127.0.0.1",
        "CELERY_BROKER_URL": "",
        "S3_BUCKET": "",
        "X_ACCEL_PREFIX": "",
        "FFMPEG_BINARY": "",
        "BEHIND_PROXY": "false",
        "SESSION_DAYS": "14",
        "STAFF_SESSION_HOURS": "12",
        "INVITE_DAYS": "14",
        "LOG_LEVEL": "WARNING",
        "LOG_FORMAT": "line",
        "METRICS_TOKEN": "",
        "PASSWORD_HASHERS": "django.contrib.auth.hashers.MD5PasswordHasher",  # quick, and nothing to protect
    }


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Keep SQLite's test database in a file: threads and other processes then meet it as they do in
    service.
    """
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(
            Path(os.environ["DATA_DIR"]) / "test.sqlite3"
        )
