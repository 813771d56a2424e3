"""Steps that journeys through the review share."""

from __future__ import annotations

from typing import Any

from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from fartbench.models import Round
from fartbench.sessionstore import SessionStore
from review.models import Reviewer
from review.selectors import next_assignment
from tests.browser import wait_for


def sign_in(page: Page, live_server: Any, reviewer: Reviewer) -> None:
    """Give the page a session of the reviewer."""
    client = Client()
    client.force_login(reviewer.user)
    cookie = {
        "name": "sessionid",
        "value": client.cookies["sessionid"].value,
        "url": live_server.url,
    }
    page.context.add_cookies([cookie])


def end_sessions() -> None:
    """Let every session expire."""
    Session.objects.all().delete()


def tones_of(page: Page) -> int:
    """Return how many tones the open start page plays."""
    key = next(
        cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "sessionid"
    )
    return int(SessionStore(key)["tones"])


def due(reviewer: Reviewer, round_: Round) -> str:
    """Return the id of the stimulus that is due."""
    assignment = next_assignment(reviewer, round_)
    assert assignment is not None
    return assignment.stimulus_id


def open_due(page: Page, live_server: Any, reviewer: Reviewer, round_: Round) -> str:
    """Sign in, open the clip that is due, and wait until it can play; return its id."""
    sign_in(page, live_server, reviewer)
    stimulus = due(reviewer, round_)
    page.goto(f"/review/{stimulus}/")
    wait_for_clip(page)
    return stimulus


def wait_for_clip(page: Page) -> None:
    """Wait until the clip can be played and keys reach the page."""
    expect(page.locator("[data-act=play]")).to_be_enabled()
    wait_for_paint(page)


def wait_for_paint(page: Page) -> None:
    """Wait until the page is drawn: Chromium drops the keys that are pressed before that."""
    wait_until(page, "performance.getEntriesByName('first-contentful-paint').length > 0")


def wait_until(page: Page, condition: str) -> None:
    """Wait until an expression holds.

    (Playwright's own waiting needs eval, which the site's policy forbids.)
    """
    wait_for(page, lambda: page.evaluate(condition))


def play_to_end(page: Page, clip: str = "[data-video]") -> None:
    """Press the play key and wait until the page has heard that the clip ended.

    Before that the next key would pause the clip, and what is measured at its end is not yet on its
    way to the server.
    """
    video = page.locator(clip)
    ends = int(video.get_attribute("data-ends") or 0)
    page.keyboard.press("Space")
    expect(video).to_have_attribute("data-ends", str(ends + 1))


def play_through(page: Page) -> None:
    """Play a clip to its end; the questions are open then."""
    play_to_end(page)
    expect(page.locator("[data-after-gate]")).to_be_visible()


def press(page: Page, keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def expect_saved(page: Page) -> None:
    """Wait for the word that only the server's echo brings."""
    expect(page.locator("[data-status]")).to_have_text("Saved")


def lock_by_keys(page: Page) -> None:
    """Press Enter, answer the question with y, and wait for the page that follows."""
    address = page.url
    page.keyboard.press("Enter")
    expect(page.locator("[data-confirm]")).to_be_visible()
    page.keyboard.press("y")
    page.wait_for_url(lambda url: url != address)
