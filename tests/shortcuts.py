"""What tests leave out of the product's work to be quick.

Each shortcut has tests of its own that run without it.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management.commands import flush
from django.db import connections
from whitenoise.middleware import WhiteNoiseMiddleware

from review import order, order_repair
from tests.emptying import empty


@pytest.fixture(autouse=True, scope="module")
def _quick_orders(request: pytest.FixtureRequest) -> Iterator[None]:
    """Search the orders of rounds with a twentieth of the product's effort, but for the tests of
    their balance.
    """
    with pytest.MonkeyPatch.context() as patch:
        if request.path.name != "test_order.py":
            patch.setattr(order, "SWAPS_PER_PLACE", order.SWAPS_PER_PLACE // 20)
            patch.setattr(order_repair, "DIFFERENT_TRIES", order_repair.DIFFERENT_TRIES // 20)
        yield


@pytest.fixture(scope="session", autouse=True)
def _a_flush_empties_what_was_written() -> Iterator[None]:
    """Sweep a test's rows out past the write-once guards, which refuse that as they should."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            flush.Command,
            "handle",
            lambda _command, **options: empty(connections[options["database"]]),
        )
        yield


@pytest.fixture(scope="session", autouse=True)
def _static_files_are_looked_for_once() -> Iterator[None]:
    """Let all test clients of a run know the same static files: each has a server of its own, which
    reads their names.

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
