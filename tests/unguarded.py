"""Rows as they can only come about past the guards of the database."""

from collections.abc import Iterator
from contextlib import contextmanager

from fartbench import writeonce
from fartbench.models import Round, RoundState


@contextmanager
def unguarded() -> Iterator[None]:
    """Lift the guards of the database for a block."""
    writeonce.uninstall()
    try:
        yield
    finally:
        writeonce.install()


def set_state(round_: Round, state: RoundState) -> None:
    """Put a round into a state, past the guard that lets it go one way only."""
    with unguarded():
        Round.objects.filter(pk=round_.pk).update(state=state)
