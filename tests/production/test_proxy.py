"""What nginx does by itself: it finds a web process that moved, and says so while there is none."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

from tests.production.servers import nginx, wait_for
from tests.servers import free_ports


class Names:
    """A server of names that answers every question with one address, which can change."""

    def __init__(self, address: str) -> None:
        self.address = address
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            question, asker = self._socket.recvfrom(512)
            if question == b"end":
                self._socket.close()
                return
            name_and_kind = question[12 : question.index(b"\0", 12) + 5]
            header = question[:2] + struct.pack(">HHHHH", 0x8180, 1, 1, 0, 0)
            record = struct.pack(">HHHIH", 0xC00C, 1, 1, 1, 4) + socket.inet_aton(self.address)
            self._socket.sendto(header + name_and_kind + record, asker)

    def close(self) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as one:
            one.sendto(b"end", ("127.0.0.1", self.port))


class Web(BaseHTTPRequestHandler):
    """Answers with its own address."""

    def do_GET(self) -> None:
        body = str(self.server.server_address[0]).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Write nothing."""


@contextmanager
def web_at(address: str, port: int) -> Iterator[None]:
    server = ThreadingHTTPServer((address, port), Web)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()


def test_a_web_process_that_was_made_anew_elsewhere_is_found_again(tmp_path: Path) -> None:
    port, web = free_ports(2)
    names = Names("127.0.0.2")
    place = {"WEB": f"web:{web}", "RESOLVER": f"127.0.0.1:{names.port}"}
    with (
        nginx(tmp_path, port=port, web=web, **place) as site,
        httpx.Client(base_url=site, trust_env=False) as client,
    ):
        with web_at("127.0.0.2", web):
            assert client.get("/").text == "127.0.0.2"
        away = client.get("/")
        assert (away.status_code, away.headers["Retry-After"]) == (503, "5")
        assert "again in a moment" in away.text
        assert away.headers["Cache-Control"] == "no-store"
        names.address = "127.0.0.3"
        with web_at("127.0.0.3", web):
            wait_for(lambda: client.get("/").text == "127.0.0.3")
    names.close()
