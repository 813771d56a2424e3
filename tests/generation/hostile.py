"""A server that answers as it likes, byte for byte, in place of every provider."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from fartbench.loopback import JsonHandler, LoopbackServer

KEY = "a-very-secret-key"
ADDRESSES = (
    "GEMINI",
    "VERTEX",
    "FAL",
    "RUNWAY",
    "ARK",
    "DASHSCOPE",
    "MINIMAX",
    "XAI",
    "KLING",
    "OPENAI",
)
KEYS = (
    "GEMINI_API_KEY", "VERTEX_ACCESS_TOKEN", "FAL_KEY", "RUNWAYML_API_SECRET", "ARK_API_KEY",
    "DASHSCOPE_API_KEY",
    "MINIMAX_API_KEY", "XAI_API_KEY", "KLING_ACCESS_KEY", "KLING_SECRET_KEY", "OPENAI_API_KEY",
)  # fmt: skip
Act = Callable[["Handler"], None]


class Hostile(LoopbackServer):
    """Answers every request by ``act``; ``asked`` holds method and path, ``headers`` what came
    along.
    """

    def __init__(self, act: Act) -> None:
        self.act = act
        self.asked: list[str] = []
        self.headers: list[str] = []
        super().__init__(Handler, 0)

    @property
    def posts(self) -> int:
        return sum(one.startswith("POST") for one in self.asked)


class Handler(JsonHandler):
    stand_in: Hostile

    def do_GET(self) -> None:  # noqa: N802 - the base class's name
        self._answer()

    def do_POST(self) -> None:  # noqa: N802 - the base class's name
        self._answer()

    def _answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.stand_in.asked.append(f"{self.command} {self.path}")
        self.stand_in.headers.append(str(self.headers))
        self.close_connection = True  # who broke the line off is not waited for
        with suppress(BrokenPipeError, ConnectionResetError):
            self.stand_in.act(self)

    def say(self, body: Any, status: int = 200, **headers: str) -> None:
        self._send(status, body, {name.replace("_", "-"): value for name, value in headers.items()})

    def raw(self, data: bytes, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content_Length": str(len(data)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def without_end(self, opening: bytes, piece: bytes) -> None:
        self.wfile.write(opening)
        while True:
            self.wfile.write(piece)


def dripping(handler: Handler) -> None:
    handler.without_end(b"HTTP/1.1 200 OK\r\n\r\n", b" ")


def hinting(handler: Handler) -> None:
    handler.without_end(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n")


@contextmanager
def hostile(
    monkeypatch: pytest.MonkeyPatch, act: Act = lambda handler: handler.say({})
) -> Iterator[Hostile]:
    """Run a hostile server, and send every provider there with ``KEY`` as its key."""
    monkeypatch.delenv("STAND_IN_URL", raising=False)
    monkeypatch.setenv("VERTEX_PROJECT", "project")
    for name in KEYS:
        monkeypatch.setenv(name, KEY)
    with Hostile(act) as running:
        for name in ADDRESSES:
            monkeypatch.setenv(f"{name}_BASE_URL", f"{running.url}/{name.lower()}")
        yield running


def accepted(provider_id: Any, more: Any = None) -> dict[str, Any]:
    """Return what every provider but Vertex takes for an acceptance with this id."""
    return {
        "id": provider_id, "request_id": provider_id, "task_id": provider_id, "code": 0,
        "status": "queued",
        "output": {"task_id": provider_id}, "data": {"task_id": provider_id}, "name": provider_id,
        "more": more,
    }  # fmt: skip


def text(body: Any) -> bytes:
    return json.dumps(body).encode()
