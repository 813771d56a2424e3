"""Commands, and clips from elsewhere for a round of three configurations."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from django.core.management import CommandError, call_command

if TYPE_CHECKING:
    from tests.manifests import Lab

Run = Callable[..., str]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """Return a function that runs a command and returns what it printed."""

    def run(*words: object, **options: object) -> str:
        call_command(*(str(word) for word in words), **options)
        return capsys.readouterr().out

    return run


@pytest.fixture
def refused() -> Run:
    """Return a function that runs a command which must refuse with status 1, and returns why."""

    def refused(*words: object) -> str:
        with pytest.raises(CommandError) as caught:
            call_command(*(str(word) for word in words))
        assert caught.value.returncode == 1
        return str(caught.value)

    return refused


@pytest.fixture
def lab(tmp_path: Path) -> "Lab":
    """Return them in a folder of the test's own; the bytes are the same in each."""
    from tests.small_lab import small_lab  # noqa: PLC0415 - pytest reads this before Django is set up

    return small_lab(tmp_path)
