"""Published rounds as a folder of files that any web server can serve."""

from __future__ import annotations

import re
import shutil
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client

from fartbench.errors import Refusal
from fartbench.models import Round, RoundState
from web.outside.static_page import StaticPage, file_of, parts_of

FIRST = ("/", "/leaderboards/", "/public/rounds.json", "/public/feed.atom")
BEGINNINGS = ("/static/", "/method/")
OF_A_ROUND = ("/rounds/", "/public/rounds/", "/embed/rounds/")
READ_FOR_LINKS = ("text/css", "text/javascript", "application/javascript")
TEXTS = frozenset({".html", ".json", ".jsonl", ".csv", ".svg", ".md", ".yaml", ".atom", ".bib"})
MOST_NAMED = 10

OnFile = Callable[[], None]


class CannotExport(Refusal):
    """The site cannot be written as files; the message says why."""


@dataclass(frozen=True, slots=True)
class Written:
    """How many files a site has, and their size (bytes)."""

    files: int
    size: int


def export_site(folder: Path, names: Sequence[str], on_file: OnFile = lambda: None) -> Written:
    """Write the published rounds of these names, or all of them, to a new folder.

    Pages are fetched as a visitor without an account gets them. Raises CannotExport, and leaves no
    folder, when it is there already, a round is not published, a link leads nowhere, or a page
    names a round that is not published.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise CannotExport(f"{folder} is there already and not empty: name a new folder.")
    rounds = _published(names)
    unfinished = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(unfinished, ignore_errors=True)
    try:
        _Crawl(unfinished, rounds, on_file).run()
        _refuse_secrets(unfinished)
        written = [path.stat().st_size for path in unfinished.rglob("*") if path.is_file()]
        if folder.exists():
            folder.rmdir()
        unfinished.replace(folder)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)
    return Written(len(written), sum(written))


def _published(names: Sequence[str]) -> list[str]:
    published = Round.objects.filter(state=RoundState.PUBLISHED)
    known = set(published.values_list("name", flat=True))
    if missing := sorted(set(names) - known):
        raise CannotExport(f"These rounds are not published: {', '.join(missing)}.")
    if not known:
        raise CannotExport("No round is published yet.")
    return sorted(set(names) or known)


class _Crawl:
    """Follows every link from the first pages on, and writes what it finds."""

    def __init__(self, folder: Path, rounds: Sequence[str], on_file: OnFile) -> None:
        self.folder, self.on_file = folder, on_file
        self.beginnings = (
            *BEGINNINGS,
            *(f"{beginning}{name}/" for beginning in OF_A_ROUND for name in rounds),
        )
        self.fetch = _fetcher()
        self.due = deque([(address, "the first page") for address in FIRST])
        for name in rounds:
            self.due.append((f"/rounds/{name}/", "the list of rounds"))
        self.seen: set[str] = set()

    def run(self) -> None:
        """Write every page that can be reached. Raises CannotExport for links that lead nowhere."""
        dead = []
        while self.due:
            address, source = self.due.popleft()
            file = file_of(address)
            if file is None or file in self.seen:
                continue
            self.seen.add(file)
            response = self.fetch(address)
            if response.status_code != HTTPStatus.OK:
                dead.append(f"{address} (from {source}): status {response.status_code}")
                continue
            self._write(address, self.folder / file, response)
            self.on_file()
        if dead:
            raise CannotExport(f"Some links lead nowhere: {'; '.join(dead[:MOST_NAMED])}.")

    def _write(self, address: str, file: Path, response: Any) -> None:
        if not file.resolve().is_relative_to(self.folder.resolve()):
            raise CannotExport(f"{address} would be written outside of the folder.")
        file.parent.mkdir(parents=True, exist_ok=True)
        kind = response.headers["Content-Type"].partition(";")[0]
        if kind != "text/html" and kind not in READ_FOR_LINKS:
            with file.open("wb") as target:
                target.writelines(response)
            return
        text = b"".join(response).decode()
        if kind == "text/html":
            page = StaticPage(address, self._is_wanted)
            text = page.text_of(text)
            links = page.links
        else:
            links = parts_of(text, address)
        file.write_text(text, encoding="utf-8", newline="")
        self.due.extend((link, address) for link in links)

    def _is_wanted(self, path: str) -> bool:
        return path in FIRST or path.startswith(self.beginnings)


def _fetcher() -> Callable[[str], Any]:
    """Return what answers an address as the server would answer a visitor without an account."""
    site = urlsplit(settings.BASE_URL)
    visitor = Client(raise_request_exception=False, HTTP_HOST=site.netloc)
    return partial(visitor.get, secure=site.scheme == "https")


def _refuse_secrets(folder: Path) -> None:
    """Raise CannotExport when a file names a round that is not published.

    A name that is a common word is looked for in addresses alone.
    """
    hidden = Round.objects.exclude(state=RoundState.PUBLISHED).values_list("name", flat=True)
    if not hidden:
        return
    pattern = re.compile("|".join(_naming(name) for name in sorted(hidden)))
    for file in sorted(folder.rglob("*")):
        if file.suffix not in TEXTS:
            continue
        if found := pattern.search(file.read_text(encoding="utf-8", errors="replace")):
            where = file.relative_to(folder).as_posix()
            raise CannotExport(f"{where} names “{found.group()}”, a round that is not published.")


def _naming(name: str) -> str:
    """Return the pattern of a text that names a round."""
    before = "rounds/" if name.isalpha() else r"(?<![\w-])"
    return rf"{before}{re.escape(name)}(?![\w-])"
