"""Staff finds an entry of the audit trail by keyboard alone, and takes what was found away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from tests.factories import make_staff
from tests.journeys.test_reviewers_page import SHAPES
from tests.scoring.rows import make_open_round
from tests.web.test_staff import LIFT

NewPage = Callable[..., Page]


@pytest.mark.parametrize("shape", SHAPES)
def test_an_entry_is_found_and_taken_away(
    new_page: NewPage, transactional_db: None, live_server: Any, shape: str
) -> None:
    make_open_round(name="spring", scenes=LIFT)
    client = Client()
    client.force_login(make_staff("stan"))
    page = new_page(**SHAPES[shape])
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([{**session, "url": live_server.url}])
    page.goto("/staff/audit/")
    page.get_by_label("Kind").select_option("round opened")
    page.get_by_label("Person").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("status")).to_have_text("1 entry found")
    assert _is_whole(page)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download as CSV").click()
    lines = Path(download.value.path()).read_text(encoding="utf-8").splitlines()
    assert len(lines) == 2
    page.goto("/staff/audit/?since=2026-02-01&until=2026-01-01")
    expect(page.get_by_text("This day is before the first one")).to_be_visible()
    assert _is_whole(page)
    page.get_by_role("link", name="Show all").click()
    expect(page.get_by_role("status")).to_contain_text("entries")


def _is_whole(page: Page) -> bool:
    """Say whether axe finds no fault and the page is no wider than its window."""
    assert Axe().run(page).response["violations"] == []
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth"))
