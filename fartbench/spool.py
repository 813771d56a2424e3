"""Answers on local disk, written before the database hears of them.

Between an answer from outside and its row lies a moment in which a worker can be killed or the
database be away. What is spooled then is not lost: anyone who takes the job up again finds it here.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.conf import settings


def _path(token: str) -> Path:
    return Path(settings.DATA_DIR) / "spool" / f"{token}.json"


def put(token: str, content: Mapping[str, Any]) -> None:
    """Store what came of a try, as plain JSON, and wait until the disk has it."""
    path = _path(token)
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".part")
    with scratch.open("w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    scratch.replace(path)


def get(token: str) -> dict[str, Any] | None:
    """Return what came of a try, if this machine has it."""
    try:
        found: dict[str, Any] = json.loads(_path(token).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    return found


def drop(token: str) -> None:
    """Forget it: the database has it."""
    _path(token).unlink(missing_ok=True)
