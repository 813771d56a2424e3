"""Run all tests in three parts at the same time, so that two cores are busy while a browser plays a clip."""

import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from typing import IO

# Even a kill of this process ends the tests.
PYTEST = ["setpriv", "--pdeathsig=TERM", "--", sys.executable, "-m", "pytest", "-p", "no:cacheprovider"]
PARTS = [["--engine=sqlite", "-m", "not browser"], ["--engine=sqlite", "-m", "browser"], ["--engine=postgres"]]


def main() -> int:
    """Return 0 when every part passed. The first part is seen as it runs; what the others print follows it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with ExitStack() as files:
        outputs = [None, *(files.enter_context(tempfile.TemporaryFile()) for _ in PARTS[1:])]
        runs = [_start(part, output) for part, output in zip(PARTS, outputs, strict=True)]
        try:
            statuses = [run.wait() for run in runs]
        finally:  # when we are stopped, they stop, and what they started stops before we do
            for run in runs:
                run.terminate()
            for run in runs:
                run.wait()
        for output in filter(None, outputs):
            output.seek(0)
            shutil.copyfileobj(output, sys.stdout.buffer)
    sys.stdout.flush()
    failed = [" ".join(part) for part, status in zip(PARTS, statuses, strict=True) if status]
    sys.stdout.write(f"Failed: {'; '.join(failed)}\n" if failed else "All tests passed.\n")
    return 1 if failed else 0


def _start(part: list[str], output: IO[bytes] | None) -> "subprocess.Popen[bytes]":
    return subprocess.Popen([*PYTEST, *part], stdin=subprocess.DEVNULL, stdout=output, stderr=output)


if __name__ == "__main__":
    sys.exit(main())
