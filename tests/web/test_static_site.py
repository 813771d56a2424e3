"""Published rounds written as files."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.urls import reverse

from fartbench import writeonce
from scoring.models import Release
from tests.scoring.rows import make_open_round, make_published_round
from web.outside.static_page import StaticPage, file_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

LIFT = ["r01-lift"]


class Links(HTMLParser):
    """Collects what a page leads to."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value for name, value in attrs if name in {"href", "src"} and value]


def dead_links(folder: Path) -> list[str]:
    """Return each link of a page to a file that is not there."""
    dead = []
    for page in folder.rglob("*.html"):
        links = Links()
        links.feed(page.read_text(encoding="utf-8"))
        for link in links.found:
            parts = urlsplit(link)
            if parts.scheme or not parts.path:
                continue
            target = page.parent / unquote(parts.path)
            if not target.resolve().is_relative_to(folder.resolve()) or not target.is_file():
                dead.append(f"{page.relative_to(folder)}: {link}")
    return dead


def export(folder: Path, *options: str) -> None:
    call_command("export_site", str(folder), *options)


@pytest.fixture
def release() -> Release:
    return make_published_round(name="spring", scenes=LIFT)


def test_every_page_clip_and_file_of_a_round_is_there_and_no_link_is_dead(
    tmp_path: Path, release: Release, client: Any
) -> None:
    make_open_round(name="autumn-7", scenes=LIFT)
    export(tmp_path / "site")
    folder = tmp_path / "site" / "rounds" / "spring"
    for page in ("index", "scenes/index", "agreement/index", "releases/index"):
        assert (folder / f"{page}.html").is_file(), page
    assert not dead_links(tmp_path / "site")
    for path in release.manifest["files"]:
        assert (folder / "releases" / "1" / path).read_bytes() == (
            release.folder / path
        ).read_bytes()
    clips = {clip.stem: clip.read_bytes() for clip in (folder / "clips").iterdir()}
    assert len(clips) == release.round.stimuli.count()
    for stimulus, written in clips.items():
        sent = client.get(reverse("published-clip", args=["spring", stimulus]))
        assert written == b"".join(sent.streaming_content)
    board = (folder / "index.html").read_text(encoding="utf-8")
    assert "<form" not in board
    assert "Log in" not in board
    everything = b"".join(
        file.read_bytes() for file in (tmp_path / "site").rglob("*") if file.is_file()
    )
    assert b"autumn-7" not in everything


def test_one_round_alone_leads_to_no_other(tmp_path: Path, release: Release) -> None:
    make_published_round(name="summer", scenes=LIFT)
    export(tmp_path / "site", "--round", "spring")
    assert not (tmp_path / "site" / "rounds" / "summer").exists()
    assert not dead_links(tmp_path / "site")


def refused(folder: Path, *options: str) -> str:
    with pytest.raises(CommandError) as refusal:
        export(folder, *options)
    assert refusal.value.returncode == 1
    return str(refusal.value)


def test_what_cannot_be_written_is_refused_and_nothing_is_left(
    tmp_path: Path, release: Release
) -> None:
    make_open_round(name="autumn-7", scenes=LIFT)
    site = tmp_path / "site"
    assert "autumn-7" in refused(site, "--round", "autumn-7")
    (release.folder / "leaderboard.csv").write_text("changed", encoding="utf-8")
    words = refused(site)
    assert "/rounds/spring/releases/1/leaderboard.csv" in words
    assert "status 404" in words
    assert not list(tmp_path.iterdir())
    site.mkdir()
    (site / "mine.txt").write_text("mine", encoding="utf-8")
    assert "not empty" in refused(site)
    assert (site / "mine.txt").read_text(encoding="utf-8") == "mine"


def test_a_page_that_names_an_open_round_is_refused(tmp_path: Path, release: Release) -> None:
    make_open_round(name="autumn-7", scenes=LIFT)
    writeonce.uninstall()
    Release.objects.update(manifest=release.manifest | {"program": {"name": "of autumn-7"}})
    writeonce.install()
    words = refused(tmp_path / "site")
    assert "releases/index.html names “autumn-7”" in words
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("page", "expected"),
    [
        ('<a href="/rounds/r/?page=2#x">2</a>', '<a href="index-page-2.html#x">2</a>'),
        ('<a href="?page=3">3</a>', '<a href="index-page-3.html">3</a>'),
        ('<a href="/rounds/r/?sort=name">by name</a>', "<a>by name</a>"),
        ('<a href="/staff/">Staff</a>', "<a>Staff</a>"),
        ('<a href="https://a.example/">a</a>', '<a href="https://a.example/">a</a>'),
        ('<a href="#main">down</a>', '<a href="#main">down</a>'),
        ('<video src="/rounds/r/clips/V_1"></video>', '<video src="clips/V_1.mp4"></video>'),
        ('<img src="/static/a.svg" alt="a &amp; &quot;b&quot;">',
         '<img src="../../static/a.svg" alt="a &amp; &quot;b&quot;">'),
        ("<form><input><p>in</p></form><p>a &lt; b &#233;</p>", "<p>a &lt; b &#233;</p>"),
        ('<nav><a data-live href="/login/">Log <b>in</b></a></nav>', "<nav></nav>"),
        ('<link rel="alternate" href="/public/oembed?url=x">', ""),
    ],
)  # fmt: skip
def test_links_lead_to_the_files_beside_a_page(page: str, expected: str) -> None:
    def is_wanted(path: str) -> bool:
        return path.startswith(("/rounds/r/", "/static/", "/public/"))

    assert StaticPage("/rounds/r/", is_wanted).text_of(page) == expected


def test_no_address_becomes_a_file_outside_of_the_folder() -> None:
    for address in ("/rounds/r/../../../etc/passwd", "/%2e%2e/%2e%2e/x", "/static/..%2f..%2fx"):
        file = file_of(address)
        assert file is not None
        assert re.search(r"(^|/)\.\.(/|$)", file) is None or not is_inside(file)


def is_inside(file: str) -> bool:
    return (Path("/site") / file).resolve().is_relative_to("/site")
