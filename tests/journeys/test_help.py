"""Help in a browser: a reviewer is one key press away from it on a sheet, and every page of it is
whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from tests.factories import open_round, reviewers_of
from tests.journeys.steps import open_due
from tests.web.test_staff import make_admin
from web.pages.help import FOR_ADMINS, FOR_EVERYONE, FOR_STAFF

NewPage = Callable[..., Page]
SHAPES = {
    "desk": {"viewport": {"width": 1366, "height": 768}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "has_touch": True,
        "is_mobile": True,
        "color_scheme": "dark",
    },
}


def test_a_sheet_leads_to_help_by_keyboard_and_stays_open(
    new_page: NewPage, transactional_db: None, live_server: Any
) -> None:
    round_ = open_round(configurations=1, scenes=["r01-lift"])
    page = new_page(**SHAPES["desk"])
    open_due(page, live_server, reviewers_of(round_)[0], round_)
    page.get_by_role("link", name="Help").focus()
    with page.context.expect_page() as opened:
        page.keyboard.press("Enter")
    expect(opened.value.get_by_role("heading", level=1)).to_have_text("For reviewers")
    expect(page.locator("[data-play], [data-act=play]").first).to_be_enabled()


@pytest.mark.parametrize("shape", SHAPES)
def test_every_page_of_it_fits_and_has_no_faults(
    new_page: NewPage, transactional_db: None, live_server: Any, shape: str
) -> None:
    client = Client()
    client.force_login(make_admin())
    page = new_page(**SHAPES[shape])
    cookie = client.cookies["sessionid"].value
    page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
    for slug in ("", *(f"{one}/" for one in (*FOR_EVERYONE, *FOR_STAFF, *FOR_ADMINS))):
        page.goto(f"/help/{slug}")
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, slug
        assert Axe().run(page, "main").response["violations"] == [], slug
