"""The rating instrument of Core v0.1 in a real browser, by keyboard: two plays, first impression,
numbers and flags.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from fartbench.models import Round
from fartbench.protocol import Form, Response, form_for, load_protocol
from review.browser import browser_rules
from review.models import AnswerSheet, Reviewer
from tests.factories import CORE_V01, make_protocol, open_round, pilot_answers, reviewers_of
from tests.journeys.steps import (
    expect_saved,
    lock_by_keys,
    open_due,
    play_to_end,
    press,
    wait_for_clip,
)

NewPage = Callable[..., Page]
DESK = {"viewport": {"width": 1366, "height": 768}}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_round(configurations=1, scenes=["fb-c03"], protocol=make_protocol(CORE_V01))


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


def expect_stage(page: Page, number: int, *, is_open: bool) -> None:
    expect(page.locator(f"[data-stage='{number}']")).to_have_js_property("disabled", not is_open)


def play_twice(page: Page) -> None:
    play_to_end(page)
    expect_stage(page, 1, is_open=False)
    play_to_end(page)
    expect(page.locator("[data-gate]")).to_be_hidden()


def give_impression(page: Page) -> None:
    page.keyboard.press("3")
    expect(page.locator("[data-keep]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("[data-after-gate]")).to_be_visible()


def test_the_whole_sheet_by_keyboard(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    page = new_page(**DESK)
    stimulus = open_due(page, live_server, rae, round_)
    expect(page.locator("[data-missing]")).to_have_text(re.compile(r"^(\d+) of \1 still open$"))
    play_twice(page)
    # The tools wait for the first impression, and so does every other question.
    expect(page.locator("[data-after-gate]")).to_be_hidden()
    expect(page.locator("[data-before-tools]")).to_be_visible()
    press(page, ",[s")
    expect_stage(page, 2, is_open=False)
    give_impression(page)
    expect_stage(page, 1, is_open=False)
    assert AnswerSheet.objects.get(stimulus=stimulus).impression_at
    assert "tool_uses" not in AnswerSheet.objects.get(stimulus=stimulus).playback
    page.keyboard.press("y")  # event present
    expect(page.locator("[name=event_count]")).to_be_focused()
    page.keyboard.type("25")
    page.keyboard.press("Tab")
    expect(page.locator("[data-question=event_count] [data-fault]")).to_contain_text(
        "A number from 0 to 20"
    )
    page.locator("[name=event_count]").fill("1")
    page.keyboard.press("Enter")
    press(page, "yyynn")  # actor, source, condition, gas, defecation
    expect_stage(page, 3, is_open=True)
    press(page, "344433")  # six dimensions apply in this test
    page.keyboard.press("i")  # the seventh flag
    expect(page.locator("[name=f_av_desync][type=checkbox]")).to_be_checked()
    page.locator("[name=compliant_events]").fill("1")
    page.locator("[data-take-time]").click()
    page.keyboard.press("Enter")
    page.locator("[name=wetness][value='2']").check()
    page.locator("[name=cloth][value='1']").check()
    expect_saved(page)
    expect(page.locator("[data-missing]")).to_contain_text("cannot be changed")
    lock_by_keys(page)
    answers = {
        key: str(given)
        for key, given in AnswerSheet.objects.get(stimulus=stimulus).responses().items()
    }
    assert len(answers) == 36
    assert answers["social"] == answers["reaction_present"] == "na:not_applicable"
    assert (answers["event_count"], answers["f_av_desync"], answers["f_no_event"]) == (
        "1",
        "yes",
        "no",
    )
    assert 0 <= float(answers["first_fart_time"]) <= 2
    assert (answers["wetness"], answers["cloth"], answers["coherence"]) == ("2", "1", "3")


def test_a_reload_keeps_the_impression_and_what_it_opened(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    page = new_page(**DESK)
    open_due(page, live_server, rae, round_)
    play_twice(page)
    give_impression(page)
    page.keyboard.press("n")
    expect_saved(page)
    page.reload()
    wait_for_clip(page)
    expect_stage(page, 1, is_open=False)
    expect(page.locator("[name=impression]:checked")).to_have_value("3")
    expect(page.locator("[name=event_present]:checked")).to_have_value("no")
    expect(page.locator("[data-after-gate]")).to_be_visible()
    # With the event gone, N/A opens where the protocol permits it, and a typed number gives way to
    # it.
    expect(page.locator("[name=wetness][value='na:no_event']")).to_be_attached()


def test_it_fits_a_phone_and_axe_finds_nothing(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    page = new_page(**PHONE)
    open_due(page, live_server, rae, round_)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


def test_browser_and_server_agree_on_what_may_stand(page: Page, transactional_db: None) -> None:
    """Every single answer that could be sent, in scenes of each kind, in a full sheet with and
    without the event.
    """
    protocol = load_protocol(CORE_V01).protocol
    sheets, forms = [], []
    for scene in ("fb-c02", "fb-c03", "fb-c06"):
        form = form_for(protocol, scene)
        sheets += [(len(forms), sheet) for sheet in _variations(form)]
        forms.append(form)
    page.goto("/login/")
    verdicts = page.evaluate(
        """async ([rules, sheets]) => {
          const { isLockable, permitted } = await import("/static/js/review/rules.js");
          return sheets.map(([place, sheet]) => {
            return [isLockable(rules[place], sheet), Object.keys(permitted(rules[place], sheet)).length];
          });
        }""",
        [[browser_rules(form) for form in forms], sheets],
    )
    said = [
        (forms[place], {key: Response.parse(text) for key, text in sheet.items()})
        for place, sheet in sheets
    ]
    assert verdicts == [
        [not form.violations(sheet), len(form.permitted(sheet))] for form, sheet in said
    ]
    assert {verdict for verdict, _ in verdicts} == {True, False}


def _variations(form: Form) -> list[dict[str, str]]:
    found = []
    for event in ("yes", "no"):
        whole = {
            key: str(given)
            for key, given in pilot_answers(form.scene.key, event_present=event).items()
        }
        for key in form.keys:
            own = {str(answer.response) for answer in form.allowed if answer.question == key}
            others = ("na:no_event", "na:not_applicable", "na:no_reaction", "3.45", "21", "unclear")
            found += [whole | {key: text} for text in (*sorted(own)[:4], *others)]
    return found
