"""Which tests a run takes, and in which order: by engine, browser, and how long they take."""

import gc
from pathlib import Path

import pytest
from django.test import SimpleTestCase

# Folders and files of tests that take ten seconds and more, mostly to wait for other processes.
LONG = {"chaos", "production"}
LONG |= {
    "test_commissioning",
    "test_bought",
    "test_demo",
    "test_demo_rollouts",
    "test_judged_round",
    "test_queries",
}
DATABASE_FIXTURES = {"db", "transactional_db", "live_server", "django_db_setup"}


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out what needs PyTorch, unless it is asked for."""
    return True if collection_path.name == "weights" and not config.getoption("--weights") else None


def pytest_itemcollected(item: pytest.Item) -> None:
    if _needs_browser(item):
        item.add_marker("browser")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Keep what this engine is for. What takes longest comes first, so that runs which share files
    end together.

    The browser's journeys come last: its event loop stays in this thread.
    """
    engine, in_firefox = config.getoption("--engine"), config.getoption("--firefox")
    left_out = [
        item for item in items if not _runs_on(engine, item) or _needs_firefox(item) != in_firefox
    ]
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
    return (
        is_django_case
        or is_marked
        or not DATABASE_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    )


def _needs_browser(item: pytest.Item) -> bool:
    return "browser" in getattr(item, "fixturenames", ())


def _needs_firefox(item: pytest.Item) -> bool:
    return "firefox" in getattr(item, "fixturenames", ())
