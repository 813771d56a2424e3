"""Secrets from files: ``NAME_FILE`` names a file whose text is the value of ``NAME``.

So a secret is neither in the environment that a container was started with, nor in “docker
inspect”. No Django here.
"""

from __future__ import annotations

import re
from collections.abc import MutableMapping
from pathlib import Path

# The name that a bucket knows us by is no secret, and may be a word of every line, such as ours.
SECRET_NAMES = re.compile(r"^(?!S3_ACCESS_KEY$).*(KEY|SECRET|TOKEN|PASSWORD|FALLBACKS)$")
_SUFFIX = "_FILE"


class SecretFileUnreadable(Exception):
    """A file that a setting names cannot be read."""


def read_secret_files(environment: MutableMapping[str, str]) -> None:
    """Set each secret of which ``environment`` names a file. The file wins over the variable.

    Raises SecretFileUnreadable, naming the variable and the file.
    """
    for variable, path in [*environment.items()]:
        name = variable.removesuffix(_SUFFIX)
        if name == variable or not path or not is_secret(name):
            continue
        try:
            environment[name] = Path(path).read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as fault:
            reason = getattr(fault, "strerror", None) or "it is not valid UTF-8"
            raise SecretFileUnreadable(
                f"{variable} names {path}, which cannot be read: {reason}."
            ) from fault


def is_secret(name: str) -> bool:
    """Say whether a variable of this name holds a secret, or an address with a password in it."""
    return bool(SECRET_NAMES.search(name)) or name in {
        "CELERY_BROKER_URL",
        "DATABASE_OWNER_URL",
        "DATABASE_URL",
        "S3_ACCESS_KEY",
    }
