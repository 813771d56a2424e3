"""The page that says which configurations of a round differ, and what each scene tells."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from fartbench import writeonce
from scoring.models import Release
from tests.factories import CORE_R01
from tests.scoring.record_factory import SCENES, make_record
from tests.web.published_records import publish_record

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

NAMES = ("a", "b", "c", "d", "e", "f")
NO = {"event": ["no"] * 4}


def published(votes: dict[tuple[str, str], dict[str, list[str]]]) -> Release:
    return publish_record(make_record(configurations=NAMES, votes=votes), CORE_R01, name="r")


def text_of(name: str, *args: str) -> str:
    response = Client().get(reverse(name, args=args))
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def test_one_that_fails_everywhere_is_told_apart_from_the_others() -> None:
    published({("f", scene): NO for scene in SCENES} | {("e", SCENES[0]): NO})
    page = text_of("differences", "r")
    assert "5 of the 15 pairs do" in page
    groups = page[page.index("<h2>Groups</h2>") : page.index("How surely")]
    assert groups.count('<th class="number" scope="row">') == 2
    assert "<b>> 0.99</b>" in page.replace("&gt;", ">")
    assert "What each configuration came to" not in page  # these rows have no files


def test_where_nothing_differs_the_pages_lead_with_that_once() -> None:
    published({("e", SCENES[0]): NO, ("d", SCENES[1]): NO, ("c", SCENES[2]): NO})
    words = "No two of these 6 configurations can be told apart"
    for name, args in (("leaderboard", ["r"]), ("differences", ["r"]), ("home", [])):
        page = text_of(name, *args)
        assert page.count(words) == 1, name
    board = text_of("leaderboard", "r")
    assert board.index(words) < board.index("<table")
    assert "p = 1" in text_of("differences", "r")


def test_a_scene_says_how_hard_it_is_and_whether_it_tells_configurations_apart() -> None:
    published({("e", SCENES[0]): NO, ("f", SCENES[0]): NO, ("f", SCENES[1]): NO})
    page = text_of("differences", "r")
    scenes = page[page.index('aria-label="What each scene tells"') :]
    assert "<b>33%</b>" in scenes and "n = 6" in scenes
    assert "undefined: all configurations have the same points there" in scenes


def test_a_release_of_an_older_format_says_what_it_knows() -> None:
    release = published({("e", SCENES[0]): NO})
    ranking = release.documents.get(name="overall_ranking").content
    older = {key: found for key, found in ranking.items() if key not in {"tiers", "scenes"}}
    older["ahead"] = {key: ranking["ahead"][key] for key in ("configurations", "chance")}
    writeonce.uninstall()
    try:
        release.documents.filter(name="overall_ranking").update(content=older)
    finally:
        writeonce.install()
    page = text_of("differences", "r")
    assert "can be told apart" in page
    assert "<table" not in page
