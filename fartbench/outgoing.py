"""HTTP to services that nobody vouches for: no redirect, no body beyond a size, no answer beyond a
time.

No Django here. httpx bounds each wait and not their sum: a service that sends a byte now and then
is never late, and one that sends without end fills the memory. Here a watch breaks the line off
when the whole time is up.
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from typing import Any, Self
from urllib.parse import urlsplit
from urllib.request import getproxies

import httpx

LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
SECONDS_TO_CONNECT = 10.0
LONGEST_PAUSE_S = 3600.0
"""A service that asks to be left alone for longer is asked again after an hour all the same."""
# Packed once by one of these, a piece of what came is at most a thousand times larger; twice, a
# million times.
_PACKINGS = frozenset({"gzip", "deflate", "identity"})
# RFC 6052: a network without IPv4 reaches such addresses by these. All of the public internet with
# IPv6 lies within the second.
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")
_UNICAST = ipaddress.IPv6Network("2000::/3")
_PROXIED = frozenset({"http", "https", "all"})


class TooLarge(httpx.TransportError):
    """A body larger than anybody reads."""


class NotPublic(httpx.TransportError):
    """An address inside this network, named by somebody outside."""


class BoundedClient(httpx.Client):
    """An HTTP client for one question to the service at ``base_url``; an address on this machine
    needs no proxy.

    The whole exchange may take ``seconds``, else httpx.ReadTimeout; the body, unpacked, may have
    ``most_bytes``, else TooLarge. With ``public`` an address that is not on the public internet is
    NotPublic, and nothing is sent there; a proxy sees to that itself for names. ``answer`` is the
    last one that came whole.
    """

    def __init__(
        self, base_url: str, *, seconds: float, most_bytes: int, public: bool = False
    ) -> None:
        is_here = urlsplit(base_url).hostname in LOOPBACK
        super().__init__(
            timeout=httpx.Timeout(seconds, connect=SECONDS_TO_CONNECT),
            trust_env=not is_here,
            verify=trust(),
            follow_redirects=False,
            headers={"Accept-Encoding": "gzip, deflate"},
        )
        self._seconds, self._most_bytes, self._public = seconds, most_bytes, public
        self._looks_at_peers = public and (is_here or not _PROXIED & getproxies().keys())
        self.answer: httpx.Response | None = None

    def send(self, request: httpx.Request, **options: Any) -> httpx.Response:
        """Send a request, and return its answer with the whole body."""
        with self.exchange(request, **options) as (answer, pieces):
            body = b"".join(pieces)
        # The body is unpacked by now.
        packed = ("content-encoding", "content-length", "transfer-encoding")
        headers = [
            (name, value) for name, value in answer.headers.multi_items() if name not in packed
        ]
        self.answer = httpx.Response(
            answer.status_code, headers=headers, content=body, request=request
        )
        return self.answer

    @contextmanager
    def exchange(
        self, request: httpx.Request, **options: Any
    ) -> Iterator[tuple[httpx.Response, Iterator[bytes]]]:
        """Send a request, and yield its answer with the pieces of the body as they come; all within
        the time.
        """
        if self._public and _is_named_inside(request.url.host):
            raise NotPublic(f"{request.url.host} is not a public address")
        options |= {"stream": True, "follow_redirects": False}
        with _Watch(self._seconds, looks_at_peers=self._looks_at_peers) as watch:
            request.extensions = {**request.extensions, "trace": watch.note}
            answer = super().send(request, **options)
            try:
                yield answer, self._pieces(answer)
            finally:
                answer.close()

    def _pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        packings = answer.headers.get_list("content-encoding", split_commas=True)
        if len(packings) > 1 or not _PACKINGS.issuperset(name.strip().lower() for name in packings):
            raise TooLarge("the answer is compressed in a way that was not requested")
        size = 0
        for piece in answer.iter_bytes(1 << 16):
            size += len(piece)
            if size > self._most_bytes:
                raise TooLarge(f"the answer is larger than {self._most_bytes} bytes")
            yield piece


class _Watch:
    """Breaks a connection off when its time is up, and raises httpx.ReadTimeout for whatever comes
    of that.

    ``note`` receives httpcore's trace of the connection, of the exchange; one to a machine inside
    this network is NotPublic where peers are looked at, whatever name led there.
    """

    def __init__(self, seconds: float, *, looks_at_peers: bool) -> None:
        self._seconds, self._looks_at_peers = seconds, looks_at_peers
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
        if self._is_over and (
            error is None or isinstance(error, httpx.HTTPError | OSError | ValueError)
        ):
            raise httpx.ReadTimeout(f"no whole answer within {self._seconds:g} s") from error

    def note(self, _event: str, details: Mapping[str, Any]) -> None:
        """Take the socket of a connection that was just made or secured."""
        stream: Any = details.get("return_value")
        if hasattr(stream, "get_extra_info"):
            self._socket = stream.get_extra_info("socket")
            if self._is_over:
                self._break_off()
            elif self._looks_at_peers and self._socket is not None:
                _refuse_inside(self._socket)

    def _break_off(self) -> None:
        self._is_over = True
        if self._socket is not None:
            with suppress(OSError):  # it may be closed already
                # Not the method of an SSL socket, which would take the session from under the
                # thread that reads.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)


@cache
def trust() -> ssl.SSLContext:
    """Return the certificates that are trusted; each client would read them again, a tenth of a
    second of work.
    """
    return httpx.create_ssl_context()


def _refuse_inside(connection: socket.socket) -> None:
    peer = connection.getpeername()[0]
    if _is_inside(peer):
        connection.close()
        raise NotPublic(f"{peer} is not a public address")


def _is_inside(address: str) -> bool:
    """Say whether an IP address is not one of the public internet."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = _led_to(found)
        if inner is None:
            return found not in _UNICAST or not found.is_global
        found = inner
    return not found.is_global or found.is_multicast


def _led_to(address: ipaddress.IPv6Address) -> ipaddress.IPv4Address | None:
    """Return the IPv4 address that an IPv6 address leads to by its form, or None."""
    if address in _NAT64:
        return ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF)
    return address.ipv4_mapped or address.sixtofour


def _is_named_inside(host: str) -> bool:
    try:
        return _is_inside(host)
    except ValueError:  # a name; where that leads is seen when it is reached
        return host.rstrip(".").rpartition(".")[2].lower() == "localhost"


def host_led_to(answer: httpx.Response) -> str:
    """Return the host that a redirect leads to, in few words."""
    with suppress(ValueError):
        return (urlsplit(answer.headers.get("location", "")).hostname or "another page")[:100]
    return "nowhere"


def text_of(answer: httpx.Response) -> str:
    """Return a body as text. JSON is UTF-8, whatever a header says of it."""
    return answer.content.decode("utf-8", "replace")


def json_of(answer: httpx.Response) -> Any:
    """Return a body as JSON, or None when it is none."""
    try:
        return json.loads(text_of(answer))
    except (ValueError, RecursionError):
        return None


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a Retry-After header, an hour at most, or None. A date is passed over:
    clocks differ.
    """
    value = headers.get("retry-after", "")
    if re.fullmatch(r"\d+(\.\d+)?", value):
        return min(float(value), LONGEST_PAUSE_S)
    return None
