"""An installation of real parts on this machine, in a folder of its own, whose every part can be
made to fail.
"""

from __future__ import annotations

import os
import random
import resource
import secrets
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from itertools import cycle
from pathlib import Path

import psutil

from tests.chaos.servers import Postgres, Redis, family_of, kill_all
from tests.servers import shared_port

BASE = Path(__file__).resolve().parents[2]
WEB = [sys.executable, "-m", "gunicorn", "tests.chaos.clocked_web:application", "--workers", "3",
       "--preload",
       "--timeout", "20", "--reuse-port", "--log-level", "critical"]  # fmt: skip
WORKER = [sys.executable, "-m", "celery", "-A", "tests.chaos.clocked_worker", "worker", "--pool",
          "prefork",
          "--concurrency", "1", "-l", "critical", "--without-gossip",
          "--without-mingle"]  # fmt: skip
BEAT = [sys.executable, "-m", "celery", "-A", "fartbench.celery", "beat", "-l", "critical"]
# What a process may still write into a file when the disk is as good as full.
NO_ROOM = 8_192
START_S = 600


class Installation:
    """PostgreSQL, Redis, gunicorn, Celery workers and a beat.

    What dies is started again by `keep_up`.
    """

    def __init__(self, folder: Path, *, queue_workers: int = 2) -> None:
        self.folder, self.data = folder, folder / "data"
        for part in ("pg", "redis", "data"):
            (folder / part).mkdir()
        self.clock = folder / "clock"
        self.clock.write_text("")
        self.postgres, self.redis = Postgres(folder / "pg", durable=True), Redis(folder / "redis")
        self._held = ExitStack()
        self.port = self._held.enter_context(shared_port())
        self._jumps = cycle((20 * 86_400, -3600, 40, 3600, -40))
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        self._queue = [f"worker {number}" for number in range(1, queue_workers + 1)]
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("DJANGO")},
            "DJANGO_SETTINGS_MODULE": "fartbench.settings",
            "DATA_DIR": str(self.data),
            "DATABASE_URL": self.postgres.url,
            "CELERY_BROKER_URL": self.redis.url,
            "SECRET_KEY": secrets.token_urlsafe(40),
            "BASE_URL": f"http://127.0.0.1:{self.port}",
            "ALLOWED_HOSTS": "127.0.0.1",
            "DEBUG": "false",
            "LOG_LEVEL": "CRITICAL",
            "CHAOS_CLOCK": str(self.clock),
        }

    def start(self) -> None:
        """Start the servers; `keep_up` starts the rest."""
        self.postgres.start()
        self.redis.start()

    def keep_up(self) -> None:
        """Start what is not running, as a supervisor does."""
        wanted = {
            "web": [*WEB, "--bind", f"127.0.0.1:{self.port}"],
            **{
                name: [*WORKER, "-n", f"{name[-1]}-{time.monotonic_ns()}@%h"]
                for name in self._queue
            },
            "beat": [*BEAT, "-s", str(self.folder / "beat")],
        }
        for name, command in wanted.items():
            running = self._processes.get(name)
            if running is None or running.poll() is not None:
                self._processes[name] = self._started(command)

    def _started(self, command: list[str]) -> subprocess.Popen[bytes]:
        with (self.folder / "log").open("ab") as log:
            return subprocess.Popen(
                command,
                env=self.environment,
                cwd=BASE,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait_for_web(self) -> None:
        """Return when the web server takes calls."""
        deadline = time.monotonic() + START_S
        while True:
            self.keep_up()
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert time.monotonic() < deadline, (self.folder / "log").read_text()[-3000:]
            time.sleep(0.2)

    def stop(self) -> None:
        """End everything."""
        for process in self._processes.values():
            kill_all(family_of(process.pid))
            process.wait()
        self.redis.stop()
        self.postgres.stop()
        self._held.close()

    # What goes wrong. Each does its harm, waits for as long as it lasts, and leaves the rest to
    # `keep_up`.

    def kill_web_worker(self, luck: random.Random) -> None:
        """Kill one of the web server's processes; its master starts another."""
        workers = family_of(self._processes["web"].pid)[1:]
        if workers:
            kill_all([luck.choice(workers)])

    def kill_web_server(self, _luck: random.Random) -> None:
        """Kill the whole web server."""
        self._kill("web")

    def kill_queue_worker(self, luck: random.Random) -> None:
        """Kill a queue worker with what it is at."""
        self._kill(luck.choice(self._queue))

    def _kill(self, name: str) -> None:
        kill_all(family_of(self._processes[name].pid))
        self._processes[name].wait()

    def restart_postgres(self, luck: random.Random) -> None:
        """Stop the database, cutting off every session, and start it again."""
        self.postgres.stop()
        time.sleep(luck.uniform(0.1, 1.5))
        self.postgres.start()

    def crash_postgres(self, luck: random.Random) -> None:
        """Kill the database with all its processes, as a loss of power would, and start it
        again.
        """
        self.postgres.crash()
        time.sleep(luck.uniform(0.1, 1.0))
        self.postgres.start()

    def restart_redis(self, luck: random.Random) -> None:
        """Stop Redis, which forgets everything, and start it again."""
        self.redis.stop()
        time.sleep(luck.uniform(0.1, 1.5))
        self.redis.start()

    def fill_database_disk(self, luck: random.Random) -> None:
        """Let the database write nothing beyond the first bytes of a file for a while, as on a full
        disk.
        """
        with _no_room_for(self.postgres.processes):
            time.sleep(luck.uniform(0.5, 2))
        if not self.postgres.is_alive():  # it stops itself when it cannot write its journal
            self.postgres.crash()
            self.postgres.start()

    def fill_worker_disk(self, luck: random.Random) -> None:
        """Let the queue workers store no file for a while."""
        running = [self._processes[name].pid for name in self._queue]
        with _no_room_for(lambda: [process for pid in running for process in family_of(pid)]):
            time.sleep(luck.uniform(0.5, 2))

    def jump_clock(self, luck: random.Random) -> None:
        """Set the clock of the web server wrong for a while: so far that sessions end, or a little
        either way.
        """
        self.clock.write_text(str(next(self._jumps)))
        if luck.random() < 0.5:
            self.kill_queue_worker(luck)  # the next one starts with the wrong clock
            self.keep_up()
        time.sleep(luck.uniform(0.5, 2))
        self.clock.write_text("")

    def lose_storage(self, luck: random.Random) -> None:
        """Take the folder of files away for a while."""
        away = self.folder / "away"
        away.mkdir(exist_ok=True)
        for name in ("blind", "clips"):
            if (self.data / name).exists():
                (self.data / name).rename(away / name)
        time.sleep(luck.uniform(0.5, 2))
        for name in ("blind", "clips"):
            if (away / name).exists():
                _merge(away / name, self.data / name)


def _merge(source: Path, target: Path) -> None:
    """Put a folder back, under what was written meanwhile where it had been."""
    for path in [path for path in source.rglob("*") if path.is_file()]:
        place = target / path.relative_to(source)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            path.rename(place)
    shutil.rmtree(source)


@contextmanager
def _no_room_for(family: Callable[[], list[psutil.Process]]) -> Iterator[None]:
    """Let these processes write hardly anything into any file, as if the disk were full, until the
    block ends.
    """
    # The child that reads hostile files has a limit of its own.
    for process in family():
        if _file_limit(process) == resource.RLIM_INFINITY:
            _set_file_limit(process, str(NO_ROOM))
    yield
    for process in family():
        if _file_limit(process) == NO_ROOM:
            _set_file_limit(process, "unlimited")


def _file_limit(process: psutil.Process) -> int:
    with suppress(FileNotFoundError, ProcessLookupError):
        limits = Path(f"/proc/{process.pid}/limits").read_text()
        found = next(
            line.split()[3] for line in limits.splitlines() if line.startswith("Max file size")
        )
        return resource.RLIM_INFINITY if found == "unlimited" else int(found)
    return 0


def _set_file_limit(process: psutil.Process, size: str) -> None:
    with suppress(psutil.NoSuchProcess):
        # Root itself may not do it to another user's process where it lacks that capability, as in
        # containers.
        user, group = process.uids().real, process.gids().real
        as_owner = ["setpriv", f"--reuid={user}", f"--regid={group}", "--clear-groups", "--"]
        subprocess.run(
            [
                *(as_owner if user != os.getuid() else []),
                "prlimit",
                f"--pid={process.pid}",
                f"--fsize={size}:",
            ],
            check=False,
            capture_output=True,
        )
