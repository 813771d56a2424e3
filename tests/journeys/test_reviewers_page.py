"""An admin looks after the reviewers of a round: copies a link, and finds the page whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from review.models import Invite
from tests.scoring.rows import make_open_round
from tests.web.test_staff import LIFT, make_admin

NewPage = Callable[..., Page]
SHAPES = {
    "desk": {"viewport": {"width": 1366, "height": 768}},
    "dark": {"viewport": {"width": 1366, "height": 768}, "color_scheme": "dark"},
    "phone": {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True},
}


@pytest.mark.parametrize("shape", SHAPES)
def test_links_are_copied_and_nothing_is_made_by_looking(
    new_page: NewPage, transactional_db: None, live_server: Any, shape: str
) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    client = Client()
    client.force_login(make_admin())
    page = new_page(**SHAPES[shape], permissions=["clipboard-read", "clipboard-write"])
    page.context.add_cookies(
        [
            {
                "name": "sessionid",
                "value": client.cookies["sessionid"].value,
                "url": live_server.url,
            }
        ]
    )
    address = f"/staff/rounds/{round_.name}/reviewers/"
    made = Invite.objects.count()
    page.goto(address)
    page.goto(address)
    assert Invite.objects.count() == made
    page.get_by_role("button", name="Copy the link").first.click()
    expect(page.locator("[data-copy-words]")).to_have_text("Copied.")
    shown = page.locator(".invite-link").first.inner_text()
    assert page.evaluate("navigator.clipboard.readText()") == shown
    for summary in page.locator("details summary").all():
        summary.click()
    assert Axe().run(page).response["violations"] == []
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    assert width <= 0
