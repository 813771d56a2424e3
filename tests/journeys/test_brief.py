"""What was asked for, beside the clip of a pilot's round: seen at once on a desk, a tap away on a
phone, and without faults for a reader of the screen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from fartbench.models import Round
from review.models import Source
from review.pairs.selectors import next_pair
from review.selectors import next_assignment
from review.services import enter_sheet
from rounds.pairs import plan_pairs
from tests.factories import CORE_V01, make_protocol, open_round, pilot_answers, reviewers_of
from tests.journeys.steps import open_due, sign_in
from tests.scoring.rows import make_open_round

NewPage = Callable[..., Page]
DESK = {"viewport": {"width": 1366, "height": 768}}
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
CAMERA = "one continuous shot without cuts"


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_round(configurations=1, scenes=["fb-c06"], protocol=make_protocol(CORE_V01))


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_brief_is_beside_the_clip(
    new_page: NewPage, round_: Round, live_server: Any, scheme: str
) -> None:
    page = new_page(**DESK, color_scheme=scheme)
    open_due(page, live_server, reviewers_of(round_)[0], round_)
    brief = page.locator("[data-brief]")
    expect(brief.get_by_text("Target", exact=True)).to_be_in_viewport()
    expect(brief).to_contain_text(CAMERA)
    assert Axe().run(page, ".clip").response["violations"] == []
    # Its end is reached without leaving the clip: the brief scrolls by itself.
    brief.get_by_text(CAMERA).scroll_into_view_if_needed()
    expect(brief.get_by_text(CAMERA)).to_be_in_viewport()
    expect(page.locator("[data-act=play]")).to_be_in_viewport()


def test_on_a_phone_it_opens_on_a_tap(new_page: NewPage, round_: Round, live_server: Any) -> None:
    page = new_page(**PHONE)
    open_due(page, live_server, reviewers_of(round_)[0], round_)
    expect(page.get_by_text(CAMERA)).to_be_hidden()
    page.locator("[data-brief] summary").tap()
    expect(page.get_by_text(CAMERA)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_on_a_pair_the_brief_leaves_the_question_in_view(
    new_page: NewPage, transactional_db: None, live_server: Any, scheme: str
) -> None:
    round_ = make_open_round(
        configurations=("alpha", "beta"), scenes=["fb-c06"], protocol=make_protocol(CORE_V01)
    )
    round_.members.update(consented_at=timezone.now(), sound_checked_at=timezone.now())
    rae = reviewers_of(round_)[0]
    while assignment := next_assignment(rae, round_):
        enter_sheet(
            reviewer=rae,
            stimulus=assignment.stimulus,
            responses=pilot_answers("fb-c06"),
            source=Source.SIMULATED,
        )
    plan_pairs(round_=round_, actor="test")
    page = new_page(**DESK, color_scheme=scheme)
    sign_in(page, live_server, rae)
    page.goto(f"/review/pairs/{next_pair(rae, round_)}/")
    expect(page.locator("[data-brief]")).to_contain_text(CAMERA)
    expect(page.locator("[data-brief] summary")).to_be_in_viewport()
    expect(page.locator(".question legend")).to_be_in_viewport()
    assert Axe().run(page, ".pair__below").response["violations"] == []
