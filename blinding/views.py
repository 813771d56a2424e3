"""Sends a blind copy, whole or in ranges, with the same headers for every clip."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse

from fartbench.storage import StorageAway, StorageFull

CHUNK = 256 * 1024
CONTENT_TYPE = "video/mp4"
_RANGE = re.compile(r"bytes=(\d{0,18})-(\d{0,18})")


class RangeNotSatisfiable(ValueError):
    """A range that lies outside the file."""


class StoredCopy(Protocol):
    """A blind file in the store: a stimulus, or a training clip; ``size`` in bytes."""

    @property
    def path(self) -> Path: ...

    @property
    def size(self) -> int: ...


def stream(request: HttpRequest, copy: StoredCopy, *, by_proxy: bool = True) -> HttpResponseBase:
    """Answer a GET or HEAD for a blind copy with 200, 206 or 416. Anyone who calls has checked the
    access.

    No ETag, date, name or path is sent: each would tell clips apart. Sizes are equal within a
    round. With X_ACCEL_PREFIX the proxy in front sends the bytes, and the ranges; where they lie
    stays between it and us; the proxy reaches blind copies alone, so whatever else is sent says
    ``by_proxy=False``. A bucket that is away is a 503.
    """
    try:
        span = requested_range(request.headers.get("Range", ""), copy.size)
    except RangeNotSatisfiable:
        response: HttpResponseBase = HttpResponse(status=416)
        response["Content-Range"] = f"bytes */{copy.size}"
        return _with_common_headers(response)
    if request.method == "HEAD":
        return _with_common_headers(_response(iter(()), span, copy.size))
    try:
        path = copy.path
    except (StorageAway, StorageFull):
        return _with_common_headers(
            HttpResponse("The clip cannot be fetched now; try again soon.", status=503)
        )
    if settings.X_ACCEL_PREFIX and by_proxy:
        return _with_common_headers(_left_to_proxy(path))
    first, last = span or (0, copy.size - 1)
    return _with_common_headers(_response(_pieces(path, first, last), span, copy.size))


def _response(body: Iterator[bytes], span: tuple[int, int] | None, size: int) -> HttpResponseBase:
    response = StreamingHttpResponse(body, status=206 if span else 200, content_type=CONTENT_TYPE)
    first, last = span or (0, size - 1)
    response["Content-Length"] = str(last - first + 1)
    if span:
        response["Content-Range"] = f"bytes {first}-{last}/{size}"
    return response


def _left_to_proxy(path: Path) -> HttpResponseBase:
    response = HttpResponse(content_type=CONTENT_TYPE)
    where = path.relative_to(settings.DATA_DIR).as_posix()
    response["X-Accel-Redirect"] = f"{settings.X_ACCEL_PREFIX}/{where}"
    return response


def requested_range(header: str, size: int) -> tuple[int, int] | None:
    """Return the first and last byte that a Range header asks for, or None for the whole file.

    A header that is malformed, or asks for several ranges, is ignored as RFC 9110 permits. Raises
    RangeNotSatisfiable when the one range lies outside the file.
    """
    match = _RANGE.fullmatch(header.replace(" ", ""))
    if match is None or not any(match.groups()):
        return None
    start, end = match.groups()
    if not start:
        if int(end) == 0:
            raise RangeNotSatisfiable(header)
        return max(0, size - int(end)), size - 1
    first, last = int(start), min(int(end) if end else size - 1, size - 1)
    if end and int(end) < first:
        return None
    if first >= size:
        raise RangeNotSatisfiable(header)
    return first, last


def _pieces(path: Path, first: int, last: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(first)
        left = last - first + 1
        while left > 0 and (piece := file.read(min(CHUNK, left))):
            left -= len(piece)
            yield piece


def _with_common_headers(response: HttpResponseBase) -> HttpResponseBase:
    response["Accept-Ranges"] = "bytes"
    response["Cache-Control"] = "private, no-store"
    response["Cross-Origin-Resource-Policy"] = "same-origin"
    return response
