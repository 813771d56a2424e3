"""What servers that stand in for a service share: a port on loopback, JSON replies, broken lines.

No Django here.
"""

from __future__ import annotations

import json
import socket
import struct
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

from fartbench.errors import Refusal


class PortUnusable(Refusal):
    """A port that cannot be listened on."""


class LoopbackServer:
    """Requests on a port of 127.0.0.1 (0: any free one). Use as a context manager; ``url`` is its
    address.

    Each request is answered by ``handler``, whose ``stand_in`` is this object. Raises PortUnusable.
    """

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int) -> None:
        bound = type("Handler", (handler,), {"stand_in": self})
        try:
            self._server = ThreadingHTTPServer(("127.0.0.1", port), bound)
        except (OSError, OverflowError) as error:
            raise PortUnusable(
                f"Port {port} cannot be used: {error}. Name another with --port."
            ) from error
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Self:
        threading.Thread(
            target=self._server.serve_forever, args=(0.05,), name="stand-in", daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def serve_forever(self) -> None:
        """Serve in this thread until it is interrupted."""
        self._server.serve_forever()


class JsonHandler(BaseHTTPRequestHandler):
    """A quiet handler that replies in JSON."""

    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Stay quiet."""

    def _send(self, status: int, body: Any, headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        every = {
            "Content-Type": "application/json",
            "Content-Length": str(len(data)),
            **(headers or {}),
        }
        for name, value in every.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def _reset(self) -> None:
        """Break the connection off without an answer, as a crashed proxy does."""
        self.wfile.flush()
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.close_connection = True
        self.connection.close()
