"""What a stream's other side may make of us: no connection elsewhere, no memory or disk without
end.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from itertools import count, islice
from threading import Thread

import pytest
from websockets.datastructures import Headers
from websockets.http11 import Request, Response
from websockets.sync.server import Server, ServerConnection, serve

from generation.rollouts import streaming, websocket
from generation.rollouts.port import Broken, Event
from generation.rollouts.streaming import take_stream
from generation.rollouts.websocket import WebSocketProvider
from tests.streamav.test_streams import ORDER, Scripted, piece


@contextmanager
def running(server: Server) -> Iterator[str]:
    """Serve until the block ends; yields the address."""
    with server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield f"ws://127.0.0.1:{server.socket.getsockname()[1]}"
        server.shutdown()
        thread.join()


def first_event(url: str) -> Event:
    with WebSocketProvider(url, next_s=10).open(ORDER) as session:
        return next(iter(session.events()))


def test_a_redirect_is_not_followed() -> None:
    reached = []

    def elsewhere(connection: ServerConnection) -> None:
        reached.append(connection.recv())

    with running(serve(elsewhere, "127.0.0.1", 0)) as other:

        def redirect(_connection: ServerConnection, _request: Request) -> Response:
            return Response(HTTPStatus.FOUND, "Found", Headers(Location=other))

        with running(serve(elsewhere, "127.0.0.1", 0, process_request=redirect)) as url:
            event = first_event(url)
    assert isinstance(event, Broken)
    assert event.reason.startswith("there was no connection")
    assert not reached


@pytest.mark.parametrize(
    "url", ["ws://127.0.0.1:99999", "ws://", "http://127.0.0.1:1/", "ws://127.0.0.1:1"]
)
def test_an_address_that_cannot_be_reached_breaks_a_stream(url: str) -> None:
    event = first_event(url)
    assert isinstance(event, Broken)
    assert event.reason.startswith("there was no connection")


def test_a_message_has_a_length(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(websocket, "LARGEST_MESSAGE", 100)

    def speak(connection: ServerConnection) -> None:
        connection.recv()
        connection.send('{"type": "opened", "id": "' + "1" * 100 + '"}')

    with running(serve(speak, "127.0.0.1", 0)) as url:
        assert first_event(url) == Broken(
            "a message made no sense: it is longer than 100 characters"
        )


def test_a_disk_that_is_full_is_said_as_it_is(tmp_path) -> None:
    def speak(connection: ServerConnection) -> None:
        connection.recv()

    with (
        running(serve(speak, "127.0.0.1", 0)) as url,
        pytest.raises(OSError, match="No space left"),
        WebSocketProvider(url).open(ORDER),
    ):
        raise OSError(28, "No space left on device")


def test_a_stream_comes_in_so_many_chunks_and_no_more(
    tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "MOST_CHUNKS", 3)
    tiny = (piece(number, number / 1e6, (number + 1) / 1e6, 1) for number in count())
    log = take_stream(Scripted(*islice(tiny, 5)), ORDER, tmp_path / "s")
    assert (log.outcome, len(log.chunks)) == ("broken", 3)
    assert "more than 3 chunks" in log.reason
