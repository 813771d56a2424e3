"""Downloads of finished clips: streamed to disk, whole or not at all. No Django here."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from generation.providers.access import LOOPBACK
from generation.providers.answers import retry_after_s
from generation.providers.port import Fetch, Fetched, Gone, NoAnswer, Report

MAX_BYTES = 2_000_000_000
TIMEOUT = httpx.Timeout(60, connect=10)


def client(url: str, timeout: httpx.Timeout = TIMEOUT) -> httpx.Client:
    """Return an HTTP client for an address; one on this machine is never asked for through a proxy."""
    return httpx.Client(timeout=timeout, trust_env=urlsplit(url).hostname not in LOOPBACK)


def download(url: str, out: Path, report: Report, headers: Mapping[str, str] | None = None) -> Fetch:
    """Write the body at ``url`` to ``out`` without holding it in memory; ``report`` takes progress from 0 to 1.

    A body shorter than announced is no file: it is NoAnswer, and fetched again.
    """
    if urlsplit(url).scheme not in ("http", "https"):
        return Gone(f"The provider's link is no web address: {url[:80]!r}.")
    try:
        with client(url) as http, http.stream("GET", url, headers=headers, follow_redirects=not headers) as answer:
            if answer.status_code in (403, 404, 410):
                return Gone(f"The link has expired (HTTP {answer.status_code}).")
            if not answer.is_success:
                return NoAnswer(f"HTTP {answer.status_code} on download", retry_after_s(answer.headers))
            return _write(answer, out, report)
    except httpx.HTTPError as error:
        return NoAnswer(f"The download broke off: {type(error).__name__}")


def _write(answer: httpx.Response, out: Path, report: Report) -> Fetch:
    announced = int(answer.headers.get("content-length") or 0)
    written = 0
    with out.open("wb") as file:
        for piece in answer.iter_bytes(1 << 16):
            written += len(piece)
            if written > MAX_BYTES:
                return Gone(f"The file is larger than {MAX_BYTES} bytes.")
            file.write(piece)
            if announced:
                report(min(1.0, written / announced))
    if announced and written < announced:
        return NoAnswer(f"The download broke off after {written} of {announced} bytes.")
    return Fetched()
