"""Logs hold no secret, no address and no link that opens a door."""

import json
import logging
import sys
from typing import Any

import pytest
from django.conf import settings

from fartbench import logs

WORDS = {
    "Not Found: /i/abcDEF123-token/": "abcDEF123-token",
    "mail to rae@lab.example.org failed": "rae@lab.example.org",
    "refused for 203.0.113.77 twice": "203.0.113.77",
    "refused for 2001:db8::17": "2001:db8::17",
    "connection to postgres://user:pa55@db/x": "pa55",
}


def record(message: str, *args: object, **fields: Any) -> logging.LogRecord:
    made = logging.LogRecord("lab.part", logging.WARNING, __file__, 1, message, args, None)
    made.__dict__.update(fields)
    return made


@pytest.mark.parametrize(("message", "secret"), WORDS.items())
@pytest.mark.parametrize("formatter", [logs.LineFormatter(), logs.JsonFormatter()])
def test_what_identifies_somebody_or_opens_a_door_is_left_out(
    formatter: logging.Formatter, message: str, secret: str
) -> None:
    said = formatter.format(record("%s", message))
    assert secret not in said
    assert "[" in said


def test_values_of_secret_variables_and_passwords_in_urls_are_left_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FAL_KEY", "fal-key-0123456789")
    monkeypatch.setenv("DATABASE_URL", "postgres://lab:hunter2hunter2@db/lab")
    logs._secrets_of.cache_clear()
    try:
        said = logs.scrubbed(f"sent fal-key-0123456789 with hunter2hunter2, {settings.SECRET_KEY}")
    finally:
        monkeypatch.undo()
        logs._secrets_of.cache_clear()
    assert said == "sent [secret] with [secret], [secret]"


def test_the_name_that_a_bucket_knows_us_by_stays_in_the_lines(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("S3_ACCESS_KEY", "fartbench")  # as docs/operations.md has it
    logs._secrets_of.cache_clear()
    try:
        assert (
            logs.scrubbed("Task fartbench.tasks.sweep failed")
            == "Task fartbench.tasks.sweep failed"
        )
    finally:
        monkeypatch.undo()
        logs._secrets_of.cache_clear()


def test_a_line_of_json_has_what_a_collector_asks_for_and_the_exception_scrubbed() -> None:
    made = record("Internal Server Error: %s", "/review/", status_code=500)
    try:
        int("no answer from 203.0.113.9")
    except ValueError:
        made.exc_info = sys.exc_info()
    said = logs.JsonFormatter().format(made)
    assert "\n" not in said
    fields = json.loads(said)
    assert fields["message"] == "Internal Server Error: /review/"
    assert (fields["level"], fields["logger"], fields["status"]) == ("WARNING", "lab.part", 500)
    assert "no answer from [address]" in fields["exception"]


def test_times_and_versions_are_no_addresses() -> None:
    words = "2026-11-30 13:03:28 worker 1.2.3 took 0:01:08"
    assert logs.scrubbed(words) == words
