"""Fixtures for what runs beside a test: another process on the test's database, and a real
Redis.
"""

import os
from collections.abc import Iterator

import pytest
import redis
from django.db import connection

from tests.servers import redis_server


@pytest.fixture
def process_environment(transactional_db: None) -> dict[str, str]:
    """Return the environment in which another process (a command, a Celery worker) works on the
    test database.
    """
    name = connection.settings_dict["NAME"]
    if connection.vendor == "sqlite":
        return {**os.environ, "DATABASE_URL": f"sqlite:///{name}"}
    return {
        **os.environ,
        "DATABASE_URL": os.environ["DATABASE_URL"].replace("/postgres?", f"/{name}?"),
    }


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
