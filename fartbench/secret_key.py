"""The secret key of an installation that nobody configured. No Django here."""

import os
import secrets
import tempfile
from contextlib import suppress
from pathlib import Path


def kept_secret_key(path: Path) -> str:
    """Return the key kept at ``path``, making one that only its owner can read when there is none
    yet.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile("w", dir=path.parent, prefix=".secret-") as file:
            file.write(secrets.token_urlsafe(50))
            file.flush()
            # A link appears whole or not at all, so that two processes that start together share
            # one key.
            with suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text(encoding="ascii").strip()
