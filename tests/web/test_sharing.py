"""What a link to a page shows in a chat, and what a search engine reads of it."""

from __future__ import annotations

import json
import re
from html import unescape
from types import SimpleNamespace
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests.scoring.rows import make_published_round
from web.pages.sharing import of_board

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

LIFT = ["r01-lift"]


def page_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200
    return str(response.content.decode())


def meta(page: str, name: str) -> str:
    (content,) = re.findall(rf'<meta (?:name|property)="{name}" content="([^"]*)">', page)
    return unescape(content)


def test_the_home_page_says_what_it_is(client: Client) -> None:
    page = page_of(client, "/")
    assert meta(page, "description") == meta(page, "og:description") != ""
    assert meta(page, "og:url") == "http://127.0.0.1:8000/"
    assert "application/ld+json" not in page


def test_a_board_says_what_it_rests_on_and_is_one_page_however_it_is_sorted(
    client: Client,
) -> None:
    make_published_round(name="spring", scenes=LIFT)
    address = reverse("leaderboard", args=["spring"])
    page = page_of(client, f"{address}?sort=name")
    assert '<link rel="canonical" href="http://127.0.0.1:8000/rounds/spring/">' in page
    words = meta(page, "og:description")
    assert "1 scene" in words
    assert "4 reviewers who did not know" in words
    (text,) = re.findall(r'<script type="application/ld\+json">(.*?)</script>', page, re.DOTALL)
    described = json.loads(text)
    assert described["@type"] == "Dataset"
    assert described["description"] == words


def test_a_page_that_is_not_for_everyone_says_nothing_of_itself(client: Client) -> None:
    assert "og:title" not in page_of(client, reverse("login"))


def board(*rows: Any) -> Any:
    return SimpleNamespace(rows=rows, scenes=(1,))


def row(name: str, low: int, high: int) -> Any:
    return SimpleNamespace(configuration=name, rank_set={"low": low, "high": high, "n": 2})


@pytest.fixture
def release() -> Any:
    return make_published_round(name="spring", scenes=LIFT)


SUMMARY = {"configurations": 2, "reviewers": 4}


def test_only_a_rank_that_is_certain_is_named(release: Any) -> None:
    release.demonstration = False
    leads = of_board(release, board(row("alpha", 1, 1), row("beta", 2, 2)), SUMMARY, "/")
    assert leads.words.endswith("alpha leads.")
    tied = of_board(release, board(row("alpha", 1, 2), row("beta", 1, 2)), SUMMARY, "/")
    assert "leads" not in tied.words


def test_a_demonstration_says_so_first_and_names_no_leader(release: Any) -> None:
    release.demonstration = True
    shared = of_board(release, board(row("alpha", 1, 1)), SUMMARY, "/")
    assert shared.words.startswith("A demonstration, not a result.")
    assert "leads" not in shared.words


def test_no_name_ends_the_script_that_it_is_in(release: Any) -> None:
    release.demonstration = False
    shared = of_board(release, board(row("</script><b>", 1, 1)), SUMMARY, "/")
    assert shared.json_ld is not None
    assert "<" not in shared.json_ld
    assert json.loads(shared.json_ld)["description"].endswith("</script><b> leads.")
