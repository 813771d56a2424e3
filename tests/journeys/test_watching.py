"""A raw clip and its blind copy play together."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from generation.models import Sample
from tests.browser import wait_for
from tests.journeys.test_adding_clips import assert_usable, sign_in_admin
from tests.manifests import Lab
from tests.small_lab import make_ready

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sample(transactional_db: None, settings: Any, tmp_path: Path) -> Sample:
    settings.DATA_DIR = tmp_path / "data"
    folder = tmp_path / "lab"
    folder.mkdir()
    make_ready(Lab(folder, configurations=("alpha",)))
    return Sample.objects.order_by("pk")[0]


def test_what_one_player_does_the_other_does_without_sound(
    page: Page, live_server: Any, sample: Sample
) -> None:
    sign_in_admin(page, live_server)
    page.goto("/staff/rounds/r1/")
    page.get_by_role("link", name="Delivered alpha").first.click()
    page.get_by_role("link", name="Watch it beside its blind copy").click()
    page.get_by_role("button", name="Record it and show the clip").click()
    raw, blind = page.locator("video").nth(0), page.locator("video").nth(1)
    expect(blind).to_be_visible()
    assert_usable(page)
    wait_for(page, lambda: raw.evaluate("video => video.readyState >= 2"))
    wait_for(page, lambda: blind.evaluate("video => video.readyState >= 2"))
    raw.evaluate("video => video.play()")
    wait_for(page, lambda: blind.evaluate("video => video.played.length > 0"))
    assert blind.evaluate("video => video.muted")
    assert not raw.evaluate("video => video.muted")
    wait_for(page, lambda: raw.evaluate("video => video.ended"))
    wait_for(page, lambda: blind.evaluate("video => video.ended"))
