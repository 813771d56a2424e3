"""Rows that all tests of a file share: made once, before the first of them, and gone after the
last.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest
from django.db import transaction
from pytest_django import DjangoDbBlocker

Made = TypeVar("Made")


@contextmanager
def kept_rows(blocker: DjangoDbBlocker) -> Iterator[None]:
    """Keep what is made inside for all tests that run before the block ends; each of them still
    undoes what it did.

    For a fixture of a file's or class's scope that also asks for ``django_db_setup``. A test that
    commits (``transaction=True``, ``transactional_db``) must stand in another file: it would wait
    for this block to end.
    """
    around = transaction.atomic()
    around._from_testcase = (
        True  # as Django marks the transactions of its own test classes: `durable` asks
    )
    with blocker.unblock():
        around.__enter__()
        try:
            yield
        finally:
            transaction.set_rollback(True)
            around.__exit__(None, None, None)


def kept(make: Callable[[], Made]) -> Callable[..., Iterator[Made]]:
    """Return a fixture for all tests of a file that gives what ``make`` returned: once for all of
    them.

    Rows are the same for all, so let it return keys: an object that one test changes would be the
    next one's.
    """

    @pytest.fixture(scope="module")
    def rows(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[Made]:
        with kept_rows(django_db_blocker):
            yield make()

    return rows
