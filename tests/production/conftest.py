"""A bucket for the tests of storage and of the whole shape."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.production.servers import Bucket, s3_bucket


@pytest.fixture(scope="session")
def _server() -> Iterator[Bucket]:
    with s3_bucket() as bucket:
        yield bucket


@pytest.fixture
def bucket(_server: Bucket, settings: Any, tmp_path: Path) -> Bucket:
    """Return an empty bucket that the settings name, on a machine that has fetched nothing of it
    yet.
    """
    for name in _server.names():
        _server.client().delete_object(Bucket="fartbench", Key=name)
    settings.DATA_DIR = tmp_path / "data"
    settings.STORAGES = {
        **settings.STORAGES,
        "bucket": {"BACKEND": "fartbench.buckets.Bucket", "OPTIONS": _server.options},
    }
    return _server
