"""Run all tests, on SQLite and on PostgreSQL, by several pytests at once that keep every core busy
to the end.

What failed beside the others is run once more, alone, when all of them have ended. A test that
fails again fails the run; one that passes then is named in the last lines, and the run passes. For
here a browser plays clips in real time, servers are killed and workers race, on a machine that five
pytests share: what one such moment does to one test says nothing about the change that is tested,
and must not refuse it. What is broken, or races by itself, fails alone too. That is no licence to
leave it: a test that is named there has a fault, or the product has.

Never run again: a file that cannot be read, a pytest that crashes, and more failures than
``MOST_AGAIN``.
"""

import json
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO

# Even a kill of this process ends the tests.
PYTEST = ["setpriv", "--pdeathsig=TERM", "--", sys.executable, "-m", "pytest"]
SQLITE = ("--engine=sqlite", "-m", "not browser")
BROWSER = ("--engine=sqlite", "-m", "browser")
POSTGRES = ("--engine=postgres",)
PARTS = (SQLITE, SQLITE, BROWSER, POSTGRES, POSTGRES)  # equal ones share their files
MOST_AGAIN = 5
PASSED, TESTS_FAILED = (
    0,
    1,
)  # what pytest ends with; anything else says that it did not get to its end


@dataclass
class Part:
    """A run of pytest with ``options``; ``folder`` keeps what failed."""

    options: Sequence[str]
    folder: Path
    status: int = PASSED

    def start(self, *more: str, output: IO[bytes] | None = None) -> "subprocess.Popen[bytes]":
        """Start it."""
        command = [*PYTEST, "-o", f"cache_dir={self.folder}", *self.options, *more]
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)

    def ran_to_its_end(self) -> bool:
        """Say whether every test of it passed or failed."""
        return self.status == PASSED or (self.status == TESTS_FAILED and bool(self.failed()))

    def failed(self) -> set[str]:
        """Return the tests that failed when they last ran."""
        kept = self.folder / "v" / "cache" / "lastfailed"
        return set(json.loads(kept.read_text())) if kept.exists() else set()


def main(parts: Sequence[Sequence[str]] = PARTS) -> int:
    """Return 0 when every test passed, be it alone."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryDirectory(prefix="fartbench-parts-") as folder:
        made = [Part(options, Path(folder) / str(number)) for number, options in enumerate(parts)]
        _run_beside_each_other(made, Path(folder))
        before = [(part, test) for part in made for test in sorted(part.failed())]
        if len(before) <= MOST_AGAIN and all(part.ran_to_its_end() for part in made):
            _run_again([part for part in made if part.status])
        alone = [
            f"{test} ({' '.join(part.options)})"
            for part, test in before
            if test not in part.failed()
        ]
    failed = [" ".join(part.options) for part in made if part.status]
    _say("".join(f"Passed only when run again alone: {test}\n" for test in alone))
    _say(f"Failed: {'; '.join(failed)}\n" if failed else "All tests passed.\n")
    return 1 if failed else 0


def _run_beside_each_other(parts: list[Part], folder: Path) -> None:
    """Run all parts at once. The first is seen as it runs; what the others print follows it."""
    with ExitStack() as files:
        outputs = [None, *(files.enter_context(tempfile.TemporaryFile()) for _ in parts[1:])]
        runs = []
        try:
            for part, output in zip(parts, outputs, strict=True):
                turns = folder / f"turns of {' '.join(part.options)}"
                turns.mkdir(exist_ok=True)
                runs.append(part.start(f"--turns={turns}", output=output))
            for part, run in zip(parts, runs, strict=True):
                part.status = run.wait()
        finally:  # when we are stopped, they stop, and what they started stops before we do
            for run in runs:
                run.terminate()
            for run in runs:
                run.wait()
        for output in filter(None, outputs):
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout.buffer)
    sys.stdout.flush()


def _run_again(parts: list[Part]) -> None:
    """Run what failed in each part, one part after the other."""
    for part in parts:
        _say(f"\nOnce more, alone: what failed with {' '.join(part.options)}\n")
        run = part.start("--last-failed", "--last-failed-no-failures=none")
        try:
            part.status = run.wait()
        finally:
            run.terminate()
            run.wait()


def _say(words: str) -> None:
    sys.stdout.write(words)
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
