"""Run the tests on SQLite and PostgreSQL at the same time: two cores then take little longer than for SQLite alone."""

import shutil
import signal
import subprocess
import sys
import tempfile
from typing import IO

# Even a kill of this process ends the tests.
PYTEST = ["setpriv", "--pdeathsig=TERM", "--", sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]


def main() -> int:
    """Return 0 when the tests passed on both engines; what PostgreSQL's said is printed after SQLite's."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with tempfile.TemporaryFile() as kept, _start("postgres", kept) as postgres, _start("sqlite", None) as sqlite:
        try:
            statuses = [sqlite.wait(), postgres.wait()]
        finally:  # when we are stopped, both stop, and what they started stops before we do
            sqlite.terminate()
            postgres.terminate()
            sqlite.wait()
            postgres.wait()
        kept.seek(0)
        shutil.copyfileobj(kept, sys.stdout.buffer)
    return 1 if any(statuses) else 0


def _start(engine: str, output: IO[bytes] | None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*PYTEST, f"--engine={engine}"], stdin=subprocess.DEVNULL, stdout=output, stderr=output)


if __name__ == "__main__":
    sys.exit(main())
