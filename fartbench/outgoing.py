"""HTTP to services that nobody vouches for: no redirect, no body beyond a size, no answer beyond a time.

No Django here. httpx bounds each wait and not their sum: a service that sends a byte now and then is never late, and
one that sends without end fills the memory. Here a watch breaks the line off when the whole time is up.
"""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import cache
from typing import Any, Self
from urllib.parse import urlsplit

import httpx

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SECONDS_TO_CONNECT = 10.0


class TooLarge(httpx.TransportError):
    """A body larger than anybody reads."""


class BoundedClient(httpx.Client):
    """An HTTP client for one question to the service at ``base_url``; an address on this machine needs no proxy.

    The whole exchange may take ``seconds``, else httpx.ReadTimeout; the body, unpacked, may have ``most_bytes``, else
    TooLarge. ``answer`` is the last one that came whole.
    """

    def __init__(self, base_url: str, *, seconds: float, most_bytes: int) -> None:
        super().__init__(
            timeout=httpx.Timeout(seconds, connect=SECONDS_TO_CONNECT),
            trust_env=urlsplit(base_url).hostname not in LOOPBACK,
            verify=trust(),
            follow_redirects=False,
        )
        self._seconds, self._most_bytes = seconds, most_bytes
        self.answer: httpx.Response | None = None

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request, and return its answer with the whole body."""
        options.pop("stream", None)
        options["follow_redirects"] = False
        with _Watch(self._seconds) as watch:
            request.extensions = {**request.extensions, "trace": watch.note}
            answer = super().send(request, stream=True, **options)
            try:
                body = b"".join(self._pieces(answer))
            finally:
                answer.close()
        # The body is unpacked by now.
        packed = ("content-encoding", "content-length", "transfer-encoding")
        headers = [(name, value) for name, value in answer.headers.multi_items() if name not in packed]
        self.answer = httpx.Response(answer.status_code, headers=headers, content=body, request=request)
        return self.answer

    def _pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        size = 0
        for piece in answer.iter_bytes(1 << 16):
            size += len(piece)
            if size > self._most_bytes:
                raise TooLarge(f"the answer is larger than {self._most_bytes} bytes")
            yield piece


class _Watch:
    """Breaks a connection off when its time is up, and raises httpx.ReadTimeout for whatever comes of that.

    ``note`` is told of the connection by httpcore's trace of the exchange.
    """

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._timer = threading.Timer(seconds, self._break_off)
        self._timer.daemon = True
        self._socket: socket.socket | None = None
        self._is_over = False

    def __enter__(self) -> Self:
        self._timer.start()
        return self

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        self._timer.cancel()
        # A body whose end is that of the connection looks whole.
        if self._is_over and (error is None or isinstance(error, httpx.HTTPError | OSError | ValueError)):
            raise httpx.ReadTimeout(f"no whole answer within {self._seconds:g} s") from error

    def note(self, _event: str, details: Mapping[str, Any]) -> None:
        """Take the socket of a connection that was just made or secured."""
        stream: Any = details.get("return_value")
        if hasattr(stream, "get_extra_info"):
            self._socket = stream.get_extra_info("socket")
            if self._is_over:
                self._break_off()

    def _break_off(self) -> None:
        self._is_over = True
        if self._socket is not None:
            with suppress(OSError):  # it may be closed already
                # Not the method of an SSL socket, which would take the session from under the thread that reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@cache
def trust() -> ssl.SSLContext:
    """Return the certificates that are trusted; each client would read them again, a tenth of a second of work."""
    return httpx.create_ssl_context()
