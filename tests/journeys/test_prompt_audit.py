"""An admin audits the prompts of a round one after another, by keyboard alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from fartbench.models import Round
from generation.cells import lay_out
from generation.configuring import load_configurations
from generation.models import Configuration, PromptAudit
from generation.prompting import current_prompts, render_prompts
from tests.factories import make_round
from tests.generation.buying import FOLDER
from tests.journeys.test_reviewers_page import SHAPES
from tests.web.test_staff import make_admin

NewPage = Callable[..., Page]
NAMES = ("seedance-2.5", "kling-4.0")


def round_with_prompts() -> Round:
    """Return a round of two configurations and two scenes, its prompts rendered."""
    for name in NAMES:
        load_configurations(folder=FOLDER / f"{name}.yaml", actor="test")
    configurations = list(Configuration.objects.exclude(digest=""))
    round_ = make_round(name="spring", scenes=["r01-lift", "r01-chair"])
    for configuration in configurations:
        lay_out(round_, configuration)
    render_prompts(
        protocol=round_.protocol, configurations=configurations, scenes=round_.scenes, actor="test"
    )
    return round_


@pytest.mark.parametrize("shape", SHAPES)
def test_prompts_are_audited_one_after_another(
    new_page: NewPage, transactional_db: None, live_server: Any, shape: str
) -> None:
    round_ = round_with_prompts()
    configurations = Configuration.objects.exclude(digest="")
    prompts = current_prompts(round_.protocol, configurations).values()
    different = len({prompt.sha256 for prompt in prompts})
    client = Client()
    client.force_login(make_admin())
    page = new_page(**SHAPES[shape])
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([{**session, "url": live_server.url}])
    page.goto("/staff/generation/rounds/spring/prompts/")
    page.get_by_role("link", name="Audit one after another").press("Enter")
    expect(page.get_by_text(f"1 of {len(prompts)}")).to_be_visible()
    page.wait_for_load_state()
    assert Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.keyboard.press("x")
    page.keyboard.press("Backspace")
    for number in range(1, different + 1):
        for _ in range(9):
            page.keyboard.press("y")
        expect(page.locator(".audit-question input[value=yes]:checked")).to_have_count(9)
        with page.expect_navigation():
            page.keyboard.press("Enter")
        assert PromptAudit.objects.count() == number
    expect(page.get_by_role("button", name=f"Freeze the {len(prompts)} with")).to_be_enabled()
    assert not [one for one in PromptAudit.objects.all() if False in one.answers.values()]


def test_enter_stores_nothing_before_all_nine_are_answered(
    new_page: NewPage, transactional_db: None, live_server: Any
) -> None:
    round_with_prompts()
    client = Client()
    client.force_login(make_admin())
    page = new_page()
    session = {"name": "sessionid", "value": client.cookies["sessionid"].value}
    page.context.add_cookies([{**session, "url": live_server.url}])
    page.goto("/staff/generation/rounds/spring/prompts/")
    page.get_by_role("link", name="Audit one after another").click()
    page.wait_for_load_state()
    for _ in range(8):
        page.keyboard.press("y")
    page.keyboard.press("Enter")
    page.keyboard.press("n")
    expect(page.get_by_text("2 of 4")).to_be_visible()
    assert PromptAudit.objects.count() == 0
