"""The stores of this installation: folders of its disk, or parts of its bucket where the settings
name one.
"""

from __future__ import annotations

from pathlib import Path

from django.conf import settings

from fartbench.media.sandbox_policy import register_root
from fartbench.storage import ContentStore


def raw_clips() -> ContentStore:
    """The store of raw clips, as providers delivered them."""
    return _store("clips")


def blind_copies() -> ContentStore:
    """The store of blind copies."""
    return _store("blind")


def _store(kind: str) -> ContentStore:
    folder = Path(settings.DATA_DIR) / kind
    register_root(folder)
    if "bucket" not in settings.STORAGES:
        return ContentStore(folder)
    from fartbench.buckets import BucketStore  # noqa: PLC0415 - loads an SDK that most installations do without

    return BucketStore(folder, kind)
