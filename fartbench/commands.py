"""What the commands share: refusals with status 1, the round argument, progress bars."""

from __future__ import annotations

import getpass
import os
import sys
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from fartbench.errors import Refusal
from fartbench.models import Round
from fartbench.rounds import find_round
from fartbench.wording import printable

REFUSED = 1
WRONG_USE = 2


class OlderDatabase(Refusal):
    """The database lacks migrations that this version of the program needs."""


class Command(BaseCommand):
    """A command that ends with 0 when it did what was asked, 1 when it refused, 2 when it was
    called wrongly.
    """

    needs_database = True

    def handle(self, *_args: Any, **options: Any) -> None:
        try:
            if self.needs_database:
                refuse_older_database()
            self.run(**options)
            sys.stdout.flush()
        except Refusal as refusal:
            raise CommandError(printable(str(refusal)), returncode=REFUSED) from refusal
        except BrokenPipeError as error:
            # Who reads the output has seen enough, as “head” has. The rest is dropped.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise SystemExit(REFUSED) from error
        except OperationalError as error:
            raise CommandError(
                f"The database did not do its part: {error}".strip()
                + "\nNothing of this step was kept; "
                "fix that and run the same command again.",
                returncode=REFUSED,
            ) from error

    def run(self, **options: Any) -> None:
        """Do the work. Raises Refusal when it is not to be done."""
        raise NotImplementedError

    def say(self, text: str) -> None:
        """Print a line for the person who runs the command."""
        self.stdout.write(printable(text))


class RoundCommand(Command):
    """A command about one round, which may stand alone or after ``--round``."""

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("round_name", nargs="?", metavar="ROUND", help="the round")
        parser.add_argument(
            "--round",
            dest="round_option",
            metavar="ROUND",
            help="the round (the same, spelled out)",
        )

    def add_round_and_file(self, parser: ArgumentParser, metavar: str, words: str) -> None:
        """Take a round (before the file, or after ``--round``) and a file, in place of
        ``add_arguments``.
        """
        parser.add_argument(
            "names",
            nargs="+",
            metavar=f"[ROUND] {metavar}",
            help=f"the round, unless --round, and {words}",
        )
        parser.add_argument("--round", dest="round_option", metavar="ROUND", help="the round")

    def round_and_file(self, options: dict[str, Any]) -> tuple[Round, Path]:
        """Return what ``add_round_and_file`` took. Raises CommandError (status 2) or
        UnknownRound.
        """
        *before, file = options["names"]
        named = {"round_name": " ".join(before), "round_option": options["round_option"]}
        return self.round(named), Path(file)

    def round(self, options: dict[str, Any]) -> Round:
        """Return the round that was named. Raises UnknownRound when the name is unknown."""
        return find_round(self.round_name(options))

    def round_name(self, options: dict[str, Any]) -> str:
        """Return the name that was given. Raises CommandError (status 2) when none was, or two."""
        names = {name for name in (options["round_name"], options["round_option"]) if name}
        if len(names) != 1:
            if not names:
                wrong = "Name a round"
            else:
                wrong = f"Name one round, not {' and '.join(sorted(names))}"
            raise CommandError(
                f"{wrong}: “{self._name()} ROUND” or “--round ROUND”.", returncode=WRONG_USE
            )
        return str(names.pop())

    def _name(self) -> str:
        return type(self).__module__.rpartition(".")[2]


def actor() -> str:
    """Return who runs this command, for the audit trail."""
    try:
        return f"command line ({getpass.getuser()})"
    except (KeyError, OSError):  # a user id without a name, as in some containers
        return "command line"


def moment(at: datetime) -> str:
    """Return a time as commands print it, in UTC."""
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M UTC")


def refuse_older_database() -> None:
    """Raise OlderDatabase when migrations are waiting, before anything runs against tables that are
    not there.
    """
    try:
        executor = MigrationExecutor(connection)
        waiting = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError as error:
        raise OlderDatabase(f"The database cannot be read: {error}".strip()) from error
    if waiting:
        raise OlderDatabase(
            f"The database is of an older version: {len(waiting)} migrations are waiting. "
            "Run “manage.py migrate” first."
        )


@contextmanager
def progress(words: str, total: int | None) -> Iterator[Any]:
    """Show a bar on standard error and yield a function that moves it on, by one unless it is given
    how far.
    """
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, disable=total == 0) as bar:
        task = bar.add_task(words, total=total)
        yield lambda by=1.0: bar.advance(task, by)


def steps(advance: Callable[[float], None]) -> tuple[Callable[[float], None], Callable[[], None]]:
    """Return two functions that move a bar on: to a share of the step it is at, and to that step's
    end.
    """
    done = 0.0

    def to(share: float) -> None:
        nonlocal done
        advance(share - done)
        done = share

    def end() -> None:
        nonlocal done
        advance(1 - done)
        done = 0.0

    return to, end
