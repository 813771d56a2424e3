"""What every test stands on: one database engine, a data folder of its own, a closed network, and on request a browser.

``pytest`` runs everything on SQLite. ``pytest --engine=postgres`` starts a PostgreSQL server and runs again what
touches the database: pure tests and browser journeys would only say the same thing twice. What is one engine's own, or
is run for real on one of them only, carries ``@pytest.mark.engine("sqlite")`` or ``@pytest.mark.engine("postgres")``.
``pytest --firefox`` runs the few journeys in Firefox instead, ``pytest --weights`` the models in PyTorch too.
"""

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import django
import pytest
import redis
from django.core.management.commands import flush
from django.db import connection, connections
from django.test import SimpleTestCase
from hypothesis import settings as hypothesis_settings
from whitenoise.middleware import WhiteNoiseMiddleware

from review import order
from tests.emptying import empty
from tests.servers import postgres_server, redis_server

pytest_plugins = ["tests.browser", "tests.firefox", "tests.turns"]

hypothesis_settings.register_profile("suite", database=None, deadline=None)
hypothesis_settings.load_profile("suite")

# Folders and files of tests that take ten seconds and more, mostly to wait for other processes.
LONG = {"chaos", "production"}
LONG |= {"test_commissioning", "test_demo", "test_demonstration", "test_judged_round", "test_queries"}
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--engine", choices=["sqlite", "postgres"], default="sqlite", help="database to run on")
    parser.addoption("--firefox", action="store_true", help="run the journeys in Firefox, and nothing else")
    parser.addoption("--weights", action="store_true", help="also run the tests of models, which need PyTorch")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what needs PyTorch, unless it is asked for."""
    return True if collection_path.name == "weights" and not config.getoption("--weights") else None


def pytest_configure(config: pytest.Config) -> None:
    """Give the settings their environment before Django reads them, and clean up after the last test."""
    config.addinivalue_line("markers", "engine(*names): run on these database engines only")
    config.addinivalue_line("markers", "browser: set by itself on what asks for a page; for -m")
    if "fartbench.settings" in sys.modules:
        pytest.exit("Unset DJANGO_SETTINGS_MODULE: the tests choose the settings' environment themselves.", 2)
    gc.disable()  # reading all tests leaves no garbage; see pytest_collection_finish
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # asked to end, stop as on Ctrl-C: with all clean-up
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
        "SECRET_KEY": "only-for-the-tests",
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


def pytest_itemcollected(item: pytest.Item) -> None:
    if _needs_browser(item):
        item.add_marker("browser")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what this engine is for. What takes longest comes first, so that runs which share files end together.

    The browser's journeys come last: its event loop stays in this thread.
    """
    engine, in_firefox = config.getoption("--engine"), config.getoption("--firefox")
    left_out = [item for item in items if not _runs_on(engine, item) or _needs_firefox(item) != in_firefox]
    config.hook.pytest_deselected(items=left_out)
    kept = [item for item in items if item not in left_out]
    items[:] = sorted(kept, key=lambda item: (_needs_browser(item), not _takes_long(item)))


def pytest_collection_finish() -> None:
    """Look for garbage from here on, and never again among what was read."""
    gc.freeze()
    gc.enable()


def _takes_long(item: pytest.Item) -> bool:
    return item.path.parent.name in LONG or item.path.stem in LONG


def _runs_on(engine: str, item: pytest.Item) -> bool:
    if mark := item.get_closest_marker("engine"):
        return engine in mark.args
    return engine == "sqlite" or (_needs_database(item) and not _needs_browser(item))


def _needs_database(item: pytest.Item) -> bool:
    is_django_case = issubclass(getattr(item, "cls", None) or object, SimpleTestCase)
    is_marked = item.get_closest_marker("django_db") is not None
    return is_django_case or is_marked or not DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))


def _needs_browser(item: pytest.Item) -> bool:
    return "browser" in getattr(item, "fixturenames", ())


def _needs_firefox(item: pytest.Item) -> bool:
    return "firefox" in getattr(item, "fixturenames", ())


@pytest.fixture(autouse=True, scope="module")
def _quick_orders(request: pytest.FixtureRequest) -> Iterator[None]:
    """Search the orders of rounds with a twentieth of the product's effort, but for the tests of their balance."""
    with pytest.MonkeyPatch.context() as patch:
        if request.path.name != "test_order.py":
            patch.setattr(order, "SWAPS_PER_PLACE", order.SWAPS_PER_PLACE // 20)
            patch.setattr(order, "DIFFERENT_TRIES", order.DIFFERENT_TRIES // 20)
        yield


@pytest.fixture(scope="session")
def django_db_modify_db_settings() -> None:
    """Keep SQLite's test database in a file: threads and other processes then meet it as they do in service."""
    if connection.vendor == "sqlite":
        connection.settings_dict["TEST"]["NAME"] = str(Path(os.environ["DATA_DIR"]) / "test.sqlite3")


@pytest.fixture(scope="session", autouse=True)
def _a_flush_empties_what_was_written() -> Iterator[None]:
    """Sweep a test's rows out past the write-once guards, which refuse that as they should."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(flush.Command, "handle", lambda _command, **options: empty(connections[options["database"]]))
        yield


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_looked_for_once() -> Iterator[None]:
    """Let all test clients of a run know the same static files: each has a server of its own, which reads their names.

    In service a server does that once, when it starts.
    """
    original, known = WhiteNoiseMiddleware.add_files_from_finders, dict[str, Any]()

    def add_known_files(self: WhiteNoiseMiddleware) -> None:
        if not known:
            original(self)
            known.update(self.files)
        self.files.update(known)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WhiteNoiseMiddleware, "add_files_from_finders", add_known_files)
        yield


@pytest.fixture
def process_environment(transactional_db: None) -> dict[str, str]:
    """Return the environment in which another process (a command, a Celery worker) works on the test database."""
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return {**os.environ, "DATABASE_URL": f"sqlite:///{name}"}
    return {**os.environ, "DATABASE_URL": os.environ["DATABASE_URL"].replace("/postgres?", f"/{name}?")}


@pytest.fixture(scope="session")
def _redis_address() -> Iterator[str]:
    with redis_server() as address:
        yield address


@pytest.fixture
def redis_broker(_redis_address: str) -> str:
    """Return the ``CELERY_BROKER_URL`` of a real and empty Redis."""
    with redis.Redis.from_url(_redis_address.replace("redis+socket:", "unix:")) as client:
        client.flushall()
    return _redis_address
