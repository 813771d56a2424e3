"""Serving the demonstration: the web server and one local worker, side by side until Ctrl-C."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from types import FrameType
from urllib.parse import urlsplit

from django.conf import settings

from fartbench.errors import Refusal

WEB_WORKERS = 3


class PortTaken(Refusal):
    """Something else listens on the port already."""


class ServerStopped(Refusal):
    """The web server or the worker ended by itself."""


def address() -> tuple[str, int]:
    """Return the host and port of BASE_URL."""
    parts = urlsplit(settings.BASE_URL)
    return parts.hostname or "127.0.0.1", parts.port or 80


def refuse_taken_port() -> None:
    """Raise PortTaken when the port of BASE_URL cannot be listened on."""
    host, port = address()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise PortTaken(
                f"Port {port} on {host} cannot be used ({error.strerror}). Stop what runs there, "
                f"or take another one: “make demo PORT={port + 1}”."
            ) from error


def serve() -> None:
    """Run the web server and a worker until one of them ends or this process is asked to stop."""
    host, port = address()
    web = [
        "gunicorn",
        "fartbench.wsgi",
        "--bind",
        f"{host}:{port}",
        "--workers",
        str(WEB_WORKERS),
        "--log-level",
        "warning",
    ]
    work = [str(settings.BASE_DIR / "manage.py"), "work"]
    processes = [
        subprocess.Popen([sys.executable, "-m", *web], cwd=settings.BASE_DIR),
        subprocess.Popen([sys.executable, *work], cwd=settings.BASE_DIR),
    ]
    stopping = False

    def stop(_signal: int, _frame: FrameType | None) -> None:
        nonlocal stopping
        stopping = True

    for name in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(name, stop)
    print("\nServing. Stop with Ctrl-C.", flush=True)  # noqa: T201 - for the person at the console
    try:
        while not stopping and all(process.poll() is None for process in processes):
            time.sleep(0.2)
    finally:
        for process in processes:
            process.terminate()
        for process in processes:
            process.wait()
    if not stopping:
        raise ServerStopped(
            "The web server or the worker ended by itself; its last lines are above."
        )
