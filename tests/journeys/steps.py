"""Steps that journeys through the review share."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.test import Client
from playwright.sync_api import Page, expect

from fartbench.models import Round
from review.models import Reviewer
from review.selectors import next_assignment

PATIENCE_S = 15
expect.set_options(timeout=PATIENCE_S * 1000)


def sign_in(page: Page, live_server: Any, reviewer: Reviewer) -> None:
    """Give the page a session of the reviewer."""
    client = Client()
    client.force_login(reviewer.user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
    page.context.add_cookies([cookie])


def end_sessions() -> None:
    """Let every session expire."""
    Session.objects.all().delete()


def tones_of(page: Page) -> int:
    """Return how many tones the open start page plays."""
    key = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "sessionid")
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
    """Wait until the clip can be played."""
    expect(page.locator("[data-act=play]")).to_be_enabled()


def wait_until(page: Page, condition: str) -> None:
    """Wait until an expression holds. (Playwright's own waiting needs eval, which the site's policy forbids.)"""
    deadline = time.monotonic() + PATIENCE_S
    while not page.evaluate(condition):
        assert time.monotonic() < deadline, f"still not: {condition}"
        page.wait_for_timeout(30)


def play_through(page: Page) -> None:
    """Press the play key and wait until the questions open."""
    page.keyboard.press("Space")
    expect(page.locator("[data-after-gate]")).to_be_visible()


def press(page: Page, keys: str) -> None:
    """Press keys one after the other."""
    for key in keys:
        page.keyboard.press(key)


def expect_saved(page: Page) -> None:
    """Wait for the word that only the server's echo brings."""
    expect(page.locator("[data-status]")).to_have_text("Saved")


def lock_by_keys(page: Page) -> None:
    """Press Enter, confirm with Enter, and wait for the page that follows."""
    address = page.url
    page.keyboard.press("Enter")
    expect(page.locator("[data-confirm]")).to_be_visible()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: url != address)


def expect_faults(faults: list[str], *kinds: str) -> None:
    """Check that a journey's pages had no other faults than those that it provoked, and forget these."""
    others = [fault for fault in faults if not any(kind in fault for kind in kinds)]
    assert not others, others
    faults.clear()
