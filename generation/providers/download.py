"""Downloads of finished clips: streamed to disk, whole or not at all. No Django here."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urljoin, urlsplit

import httpx

from fartbench.outgoing import BoundedClient, NotPublic, TooLarge, retry_after_s
from generation.providers.access import Access
from generation.providers.port import Fetch, Fetched, Gone, NoAnswer, Report

MAX_BYTES = 2_000_000_000
SECONDS_IN_ALL = 900.0
MOST_HOPS = 5


def download(
    entry: Access, url: str, out: Path, report: Report, headers: Mapping[str, str] | None = None
) -> Fetch:
    """Write the body at ``url`` to ``out`` without holding it in memory; ``report`` takes progress
    from 0 to 1.

    A body shorter than announced is no file: it is NoAnswer, and fetched again. A link may lead on
    to another, and ``headers``, which hold a key, go along only to the provider's own address. None
    may lead into this network, unless the provider itself is on this machine.
    """
    try:
        for _ in range(MOST_HOPS + 1):
            outcome = _one(entry, url, out, report, headers)
            if not isinstance(outcome, str):
                return outcome
            url = outcome
            headers = headers if url.startswith(f"{entry.base_url}/") else None
        return Gone(f"The provider's link leads on more than {MOST_HOPS} times.")
    except (TooLarge, NotPublic) as error:
        return Gone(f"The clip is not downloaded: {error}.")
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        return NoAnswer(f"The download broke off: {type(error).__name__}")


def _one(
    entry: Access, url: str, out: Path, report: Report, headers: Mapping[str, str] | None
) -> Fetch | str:
    """Follow one link; return where it leads on to, if it does."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        return Gone(f"The provider's link is not a web address: {url[:80]!r}.")
    with (
        BoundedClient(
            url, seconds=SECONDS_IN_ALL, most_bytes=MAX_BYTES, public=not entry.is_stand_in
        ) as http,
        http.exchange(http.build_request("GET", url, headers=headers)) as (answer, pieces),
    ):
        if answer.has_redirect_location:
            return urljoin(url, answer.headers["location"])
        if answer.status_code in (403, 404, 410):
            return Gone(f"The link has expired (HTTP {answer.status_code}).")
        if not answer.is_success:
            return NoAnswer(f"HTTP {answer.status_code} on download", retry_after_s(answer.headers))
        return _write(answer, pieces, out, report)


def _write(answer: httpx.Response, pieces: Iterator[bytes], out: Path, report: Report) -> Fetch:
    announced = int(answer.headers.get("content-length") or 0)
    written = 0
    with out.open("wb") as file:
        for piece in pieces:
            written += len(piece)
            file.write(piece)
            if announced:
                report(min(1.0, written / announced))
    if announced and written < announced:
        return NoAnswer(f"The download broke off after {written} of {announced} bytes.")
    return Fetched()
