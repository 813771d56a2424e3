"""A provider that streams over a WebSocket. No Django here.

The wire is ours, and the stand-in's: messages are JSON, a chunk's bytes follow its message in a
binary one. No public service was found that documents such a wire; an adapter of a real one is
another class of this kind.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from socket import create_connection
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed, WebSocketException
from websockets.sync.client import ClientConnection, connect

from generation.rollouts.geometry import Geometry
from generation.rollouts.port import (
    Broken,
    Chunk,
    Ended,
    Event,
    Opened,
    Prompted,
    Refused,
    Session,
    StreamOrder,
)

LARGEST_CHUNK, LARGEST_MESSAGE = 64 * 1024 * 1024, 256 * 1024
MOST_WAITING = 2  # frames that came and were not read: each may be as large as a chunk
OPEN_S, NEXT_S = 20.0, 120.0
WORDS_LIMIT, MOST_SECONDS = 1_000, 100_000


@dataclass(frozen=True)
class WebSocketProvider:
    """Streams from one address. ``next_s`` is how long it may be silent."""

    url: str
    next_s: float = NEXT_S
    key: str = "websocket"
    client: str = "websocket 1"

    @contextmanager
    def open(self, order: StreamOrder) -> Iterator[Session]:
        """Connect, send the order and yield the session; a connection that fails is a session that
        is broken.
        """
        session: Session
        with ExitStack() as stack:
            try:
                socket = stack.enter_context(self._connection())
                socket.send(json.dumps(_opening(order)))
                session = _Stream(socket, self.next_s)
            except (OSError, WebSocketException, ValueError) as error:
                session = _NoStream(f"there was no connection: {error}")
            yield session

    def _connection(self) -> ClientConnection:
        address = urlsplit(self.url)
        port = address.port or (443 if address.scheme == "wss" else 80)
        # A client that dials for itself also follows redirects, and those lead wherever the other
        # side likes.
        line = create_connection((address.hostname or "", port), timeout=OPEN_S)
        line.settimeout(None)
        return connect(
            self.url,
            sock=line,
            max_size=LARGEST_CHUNK,
            max_queue=MOST_WAITING,
            open_timeout=OPEN_S,
            close_timeout=2,
        )


class _Stream:
    def __init__(self, socket: ClientConnection, next_s: float) -> None:
        self._socket, self._next_s = socket, next_s

    def events(self) -> Iterator[Event]:
        try:
            while True:
                event = self._event(self._message())
                yield event
                if isinstance(event, Refused | Broken | Ended):
                    return
        except TimeoutError:
            yield Broken(f"nothing came for {self._next_s:g} s")
        except ConnectionClosed as closed:
            yield Broken(f"the connection was closed: {closed}")
        except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
            yield Broken(f"a message made no sense: {str(error)[:WORDS_LIMIT]}")

    def commit(self, index: int, history: str) -> None:
        self._send(type="commit", index=index, history=history)

    def prompt(self, step: str, text: str, history: str) -> None:
        self._send(type="prompt", step=step, text=text, history=history)

    def _send(self, **message: Any) -> None:
        try:
            self._socket.send(json.dumps(message))
        except ConnectionClosed:  # the next event says so
            return

    def _message(self) -> dict[str, Any]:
        text = self._socket.recv(self._next_s)
        if len(text) > LARGEST_MESSAGE:
            raise ValueError(f"it is longer than {LARGEST_MESSAGE} characters")
        message: dict[str, Any] = json.loads(text)
        return message

    def _event(self, message: dict[str, Any]) -> Event:
        match message["type"]:
            case "opened":
                geometry = message.get("geometry")
                return Opened(
                    str(message["id"])[:WORDS_LIMIT],
                    None if geometry is None else _geometry(**geometry),
                )
            case "chunk":
                return self._chunk(message)
            case "prompted":
                return Prompted(
                    str(message["step"]), _seconds(message["media_s"]), str(message["history"])
                )
            case "refused":
                return Refused(str(message["reason"])[:WORDS_LIMIT])
            case "error":
                return Broken(str(message["reason"])[:WORDS_LIMIT])
            case "end":
                return Ended()
        raise ValueError(f"type {message['type']!r}")

    def _chunk(self, message: dict[str, Any]) -> Event:
        data = self._socket.recv(self._next_s)
        if not isinstance(data, bytes) or hashlib.sha256(data).hexdigest() != message["sha256"]:
            return Broken(f"chunk {message['index']} is not what its hash says")
        return Chunk(
            _whole(message["index"]),
            _whole(message["frames"]),
            _seconds(message["starts_s"]),
            _seconds(message["ends_s"]),
            data,
        )


@dataclass(frozen=True)
class _NoStream:
    """A session that never came about."""

    reason: str

    def events(self) -> Iterator[Event]:
        yield Broken(self.reason)

    def commit(self, index: int, history: str) -> None:
        """There is nothing to commit."""

    def prompt(self, step: str, text: str, history: str) -> None:
        """There is nobody to prompt."""


def _geometry(first: int, next: int, frame_rate: int) -> Geometry:  # noqa: A002 - the wire's name
    return Geometry(_whole(first), _whole(next), _whole(frame_rate))


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{value!r} is not a whole number")
    return value


def _seconds(value: Any) -> float:
    seconds = float(value)
    if not 0 <= seconds < MOST_SECONDS:
        raise ValueError(f"{seconds:g} s is not a time of a stream")
    return seconds


def _opening(order: StreamOrder) -> dict[str, Any]:
    prompt = order.prompts[0].text
    return {
        "type": "open", "model": order.model_id, "seconds": order.seconds, "prompt": prompt,
        "seed": order.seed,
        "token": order.token,
    }  # fmt: skip
