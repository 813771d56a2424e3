"""Reading media in a child process that may be killed at any time. No Django here.

One child per process reads file after file; it has limits on memory, time, output and open files,
knows none of the parent's secrets, and is replaced when it dies, hangs, or has read many files. It
is started afresh, never forked, so web and queue workers that fork each get their own.
"""

import atexit
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from fartbench.media.errors import MediaRefusal, MediaTimeout, MediaToolDied, NotAVideo
from fartbench.media.sandbox_policy import Policy, needed, standing
from fartbench.media.sandbox_walls import keep_environment_to_oneself, landlock_version

JOBS_PER_CHILD = 500
REPLY_BYTES = 64 * 1024 * 1024
KEEPING_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(4 << 20), "MALLOC_TRIM_THRESHOLD_": str(32 << 20)}
"""Bytes up to which the C library keeps freed memory in the child. A decoder frees as much after
each file, and getting it back from the kernel, cleared, took a tenth of the time of a copy.
"""
_START = "from fartbench.media.sandbox_child import main; main()"


class Sandbox:
    """A child process that runs one function after another on hostile files."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None
        self._jobs = 0
        self._policy = Policy()
        self._scratch: Path | None = None

    def call(
        self, function: Callable[..., Any], path: Path, *arguments: Any, seconds: float
    ) -> Any:
        """Return what ``function(path, *arguments)`` returns in the child; arguments and result are
        JSON.

        Raises the MediaRefusal that the function raised, MediaTimeout after ``seconds``,
        MediaToolDied when the child died, or OSError when the disk that it wrote to is full.
        """
        name = f"{function.__module__}:{function.__qualname__}"
        order = {
            "function": name,
            "path": str(path),
            "arguments": arguments,
            "seconds": seconds,
        }
        with self._lock:
            child = self._ready(needed(name, path, arguments))
            try:
                reply = self._exchange(child, json.dumps(order).encode() + b"\n", seconds)
            except (TimeoutError, BrokenPipeError, EOFError) as fault:
                self._stop(kill=True)
                raise _failure(fault, child, path, seconds) from fault
            except BaseException:
                self._stop(kill=True)
                raise
            if self._jobs >= JOBS_PER_CHILD or reply.get("stop"):
                self._stop()
            elif self._scratch is not None:
                _empty(self._scratch)
        return _outcome(reply, path)

    @property
    def pid(self) -> int | None:
        """The child's process id, None when none runs."""
        return self._child.pid if self._child else None

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._stop()

    def forget(self) -> None:
        """Let go of a child that belongs to the process this one was forked from."""
        self._lock = threading.Lock()
        child, self._child = self._child, None
        self._scratch = None  # it is the parent's to remove
        if child is not None and child.stdin and child.stdout:
            child.returncode = 0
            os.close(child.stdin.fileno())
            os.close(child.stdout.fileno())
            child.stdin = child.stdout = None

    def _ready(self, needs: Policy) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None or not self._policy.covers(needs):
            self._stop()
            self._policy = standing() | needs
            self._scratch = Path(tempfile.mkdtemp(prefix="fartbench-reader-"))
            self._child = _start(self._policy, self._scratch)
            self._jobs = 0
        self._jobs += 1
        return self._child

    def _exchange(
        self, child: subprocess.Popen[bytes], order: bytes, seconds: float
    ) -> dict[str, Any]:
        if child.stdin is None or child.stdout is None:
            raise EOFError
        child.stdin.write(order)
        child.stdin.flush()
        deadline = time.monotonic() + seconds
        reply = bytearray()
        while not reply.endswith(b"\n"):
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([child.stdout], [], [], left)[0]:
                raise TimeoutError
            piece = os.read(child.stdout.fileno(), 1 << 20)
            if not piece or len(reply) > REPLY_BYTES:
                raise EOFError
            reply += piece
        answer: dict[str, Any] = json.loads(reply)
        return answer

    def _stop(self, *, kill: bool = False) -> None:
        child, self._child = self._child, None
        scratch, self._scratch = self._scratch, None
        if child is None:
            return
        if kill:
            _kill_group(child)
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:
                    continue
        try:
            child.wait(timeout=5)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
        if scratch is not None:
            shutil.rmtree(scratch, ignore_errors=True)


def _empty(folder: Path) -> None:
    """Remove what an order left in the child's own folder: the next one does not find it."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink()


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    """Kill the child and whatever it started; it leads a session of its own."""
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except ProcessLookupError:
        child.kill()


def _start(policy: Policy, scratch: Path) -> subprocess.Popen[bytes]:
    if not landlock_version():
        keep_environment_to_oneself()  # no wall keeps the child from reading it
    # Only folders of the stores are made: a target's folder that is missing is the caller's fault.
    for folder in policy.writes & standing().writes:
        with suppress(OSError):  # what cannot be made is not written to either
            folder.mkdir(parents=True, exist_ok=True)  # what is not there yet cannot be allowed
    whole = policy | Policy(writes=frozenset({scratch}))
    environment = {
        "PYTHONPATH": os.pathsep.join(filter(None, [str(Path.cwd()), *sys.path])),
        "PATH": os.environ.get("PATH", ""),
        "TMPDIR": str(scratch),  # the one place outside its targets that it may write to
        # On several threads small products of matrices are slower: the threads wait by using up
        # processor time.
        "OPENBLAS_NUM_THREADS": "1",
        **KEEPING_MEMORY,
    }
    return subprocess.Popen(
        [sys.executable, "-c", _START, json.dumps(whole.as_json())],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )


def _failure(
    fault: BaseException, child: subprocess.Popen[bytes], path: Path, seconds: float
) -> MediaToolDied:
    if isinstance(fault, TimeoutError):
        return MediaTimeout(path, f"could not be read within {seconds:g} s.")
    return MediaToolDied(
        path, f"made the reader of media stop (status {child.returncode}); nothing was kept."
    )


def _outcome(reply: dict[str, Any], path: Path) -> Any:
    if "result" in reply:
        return reply["result"]
    if "refusal" in reply:
        kinds = {kind.__name__: kind for kind in _refusals(MediaRefusal)}
        raise kinds.get(reply["refusal"], NotAVideo)(path, str(reply["reason"]))
    if "disk" in reply:
        raise OSError(reply["disk"], os.strerror(reply["disk"]))
    raise MediaToolDied(path, f"could not be read: {reply.get('error', 'no reason given')}.")


def _refusals(kind: type[MediaRefusal]) -> list[type[MediaRefusal]]:
    return [kind, *(deeper for below in kind.__subclasses__() for deeper in _refusals(below))]


_SANDBOX = Sandbox()
os.register_at_fork(after_in_child=_SANDBOX.forget)
atexit.register(_SANDBOX.close)


def call_apart(
    function: Callable[..., Any], path: Path, *arguments: Any, seconds: float = 60.0
) -> Any:
    """Run ``function(path, *arguments)`` in this process's child; see Sandbox.call."""
    return _SANDBOX.call(function, path.absolute(), *arguments, seconds=seconds)


def child_pid() -> int | None:
    """Return the process id of this process's child, None when none runs; for measurements."""
    return _SANDBOX.pid
