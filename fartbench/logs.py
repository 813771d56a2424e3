"""Logs that can be handed to somebody: no secret, no address of a person or a machine, no link that
opens a door.
"""

from __future__ import annotations

import json
import logging
import os
import re
from datetime import UTC, datetime
from functools import cache
from urllib.parse import urlsplit

from fartbench.secret_files import SECRET_NAMES

_SHORTEST_SECRET = 6  # shorter ones would blacken ordinary words
# Of an address of IPv6, which is written whole or with one “::”; a time of day has neither.
_GROUP = "[0-9a-f]{1,4}"
_GROUPS = f"{_GROUP}(:{_GROUP})*"
_REDACTIONS = (
    (re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+"), "[email]"),
    (re.compile(r"(?<=/i/)[^/\s\"']+"), "[invite]"),
    (re.compile(r"(?<![\w.])\d{1,3}(\.\d{1,3}){3}(?![\w.])"), "[address]"),
    (
        re.compile(
            rf"(?<![\w:])(({_GROUP}:){{7}}{_GROUP}|({_GROUPS})?::({_GROUPS})?)(?![\w:])",
            re.IGNORECASE,
        ),
        "[address]",
    ),
    (re.compile(r"(?<=://)[^/\s@]+@"), "[login]@"),
)


class LineFormatter(logging.Formatter):
    """A line for a person: time, level, logger, words."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} {message}", style="{")

    def format(self, record: logging.LogRecord) -> str:
        return scrubbed(super().format(record))


class JsonFormatter(logging.Formatter):
    """An object on one line for a collector of logs: time, level, logger, process, message, status,
    exception.
    """

    def format(self, record: logging.LogRecord) -> str:
        fields: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "process": record.process,
            "message": scrubbed(record.getMessage()),
        }
        if status := getattr(record, "status_code", None):
            fields["status"] = status
        if record.exc_info:
            fields["exception"] = scrubbed(self.formatException(record.exc_info))
        return json.dumps(fields, ensure_ascii=False)


def scrubbed(text: str) -> str:
    """Return ``text`` without secrets of this process, e-mail and network addresses, invite links
    and logins.
    """
    for secret in _secrets():
        text = text.replace(secret, "[secret]")
    for pattern, words in _REDACTIONS:
        text = pattern.sub(words, text)
    return text


def _secrets() -> tuple[str, ...]:
    from django.conf import settings  # noqa: PLC0415 - the settings name this module

    # While the settings are being read, something may be logged already.
    return _secrets_of(settings.SECRET_KEY if settings.configured else "")


@cache
def _secrets_of(secret_key: str) -> tuple[str, ...]:
    found = {value for name, value in os.environ.items() if SECRET_NAMES.search(name)}
    found |= {
        password
        for name, url in os.environ.items()
        if name.endswith("_URL") and (password := _password(url))
    }
    found.add(secret_key)
    return tuple(
        sorted(
            (secret for secret in found if len(secret) >= _SHORTEST_SECRET), key=len, reverse=True
        )
    )


def _password(url: str) -> str | None:
    try:
        return urlsplit(url).password
    except ValueError:
        return None
