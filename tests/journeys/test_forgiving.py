"""Mistakes of a reviewer change nothing for good: repeated keys, double clicks, a lost connection,
a wrong answer.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from fartbench.models import Round
from review.models import AnswerSheet, MistakeReport, Reviewer
from tests.browser import Faults
from tests.factories import make_locked_sheet, open_round, reviewers_of, tiny_clip
from tests.journeys.steps import (
    expect_saved,
    lock_by_keys,
    open_due,
    play_through,
    play_to_end,
    press,
    sign_in,
    wait_for_clip,
    wait_until,
)

DESK = {"viewport": {"width": 1366, "height": 768}}
NewPage = Callable[..., Page]


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_round(configurations=2, scenes=["r01-lift", "r01-chair"])


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


def answer_all(page: Page) -> None:
    """Play the clip and answer every question; the form is complete then."""
    play_through(page)
    press(page, "yyy444")
    expect_saved(page)


def contrast(one: str, other: str) -> float:
    """Return the contrast of two opaque CSS colours (WCAG 2.2, "contrast ratio" and "relative
    luminance").
    """
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour: str) -> float:
    parts = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def is_locked(stimulus: str) -> bool:
    return AnswerSheet.objects.filter(stimulus=stimulus, locked_at__isnull=False).exists()


@pytest.mark.parametrize("key", ["Space", "Enter"])
def test_a_repeated_key_never_locks(
    page: Page, rae: Reviewer, round_: Round, live_server: Any, key: str
) -> None:
    calls: list[str] = []
    page.on(
        "request",
        lambda request: calls.append(request.url) if request.url.endswith("/lock") else None,
    )
    open_due(page, live_server, rae, round_)
    answer_all(page)
    for _ in range(8):
        page.keyboard.press(key)
    page.keyboard.down(key)  # and held: the browser repeats it
    page.keyboard.down(key)
    page.keyboard.up(key)
    page.reload()
    wait_for_clip(page)
    assert calls == []


def test_space_plays_when_all_is_answered(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    open_due(page, live_server, rae, round_)
    answer_all(page)
    play_to_end(page)
    expect(page.locator("[data-confirm]")).to_be_hidden()
    page.keyboard.press("Enter")
    expect(page.locator("[data-confirm]")).to_be_visible()
    play_to_end(page)  # while the page asks, too
    expect(page.locator("[data-confirm]")).to_be_visible()


def test_a_double_click_on_lock_only_asks(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    calls: list[str] = []
    page.on(
        "request",
        lambda request: calls.append(request.url) if request.url.endswith("/lock") else None,
    )
    stimulus = open_due(page, live_server, rae, round_)
    answer_all(page)
    page.locator("[data-lock]").dblclick()
    expect(page.locator("[data-confirm-lock]")).to_be_enabled()
    assert calls == []
    page.locator("[data-confirm-lock]").click()
    page.wait_for_url(lambda url: stimulus not in url)
    assert is_locked(stimulus)


def test_a_lock_that_waits_for_the_connection_is_called_off_by_an_edit(
    page: Page, rae: Reviewer, round_: Round, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    answer_all(page)
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    expect(page.locator("[data-lock-waits]")).to_be_visible()
    page.locator("[data-question=people] input[value='2']").check()
    expect(page.locator("[data-confirm]")).to_be_hidden()
    page.context.set_offline(False)
    expect_saved(page)
    assert not is_locked(stimulus)
    assert str(AnswerSheet.objects.get(stimulus=stimulus).responses()["people"]) == "2"
    lock_by_keys(page)
    assert is_locked(stimulus)
    faults.expect("ERR_INTERNET_DISCONNECTED")


def test_a_lock_that_is_not_called_off_goes_through_when_the_connection_is_back(
    page: Page, rae: Reviewer, round_: Round, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    answer_all(page)
    page.context.set_offline(True)
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    expect(page.locator("[data-lock-waits]")).to_be_visible()
    page.context.set_offline(False)
    page.wait_for_url(lambda url: stimulus not in url)
    assert is_locked(stimulus)
    faults.expect("ERR_INTERNET_DISCONNECTED")


def test_undo_takes_back_one_answer_after_the_other(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "na")
    page.locator(
        "[data-question=event] .option", has_text="Unclear"
    ).click()  # N/A cannot be beside that
    expect(page.locator("[data-question=event] [data-fault]")).to_contain_text("Cleared answer 2")
    cause = page.locator("[data-question=cause] input:checked")
    expect(cause).to_have_count(0)
    page.keyboard.press("Control+z")
    expect(cause).to_have_count(1)
    expect(page.locator("[data-question=event] input[value=no]")).to_be_checked()
    page.keyboard.press("Control+z")
    expect(cause).to_have_count(0)
    expect_saved(page)
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    assert {key: str(given) for key, given in sheet.responses().items()} == {"event": "no"}


def test_the_help_key_opens_and_closes_and_changes_no_key(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    open_due(page, live_server, rae, round_)
    dialog = page.get_by_role("dialog")
    for _ in range(2):
        page.keyboard.press("?")
        expect(dialog).to_be_visible()
        press(page, "xq7")
        page.keyboard.press("?")
        expect(dialog).to_be_hidden()
    assert page.evaluate("localStorage.getItem('fartbench.keys')") is None
    page.keyboard.press("?")
    page.get_by_role("button", name="Change: Play or pause").click()
    page.keyboard.press("y")  # an answer has it
    expect(page.locator("[data-keys-words]")).to_contain_text("is taken: Yes")
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    page.get_by_role("button", name="Change: Play or pause").click()
    page.keyboard.press("p")
    expect(page.locator("[data-keys-words]")).to_have_text("Changed.")
    page.get_by_role("button", name="Reset all keys").click()
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    play_through(page)


def test_a_key_before_its_time_a_skipped_part_and_a_muted_play_are_said(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    open_due(page, live_server, rae, round_)
    press(page, "y")
    expect(page.locator("[data-status]")).to_have_text("Play the clip first")
    page.evaluate("document.querySelector('[data-video]').currentTime = 0.5")
    play_to_end(page)
    expect(page.locator("[data-left-to-play]")).to_have_text("Not played yet: 0.0 to 0.5 s.")
    page.keyboard.press("m")
    play_through(page)
    expect(page.locator("[data-left-to-play]")).to_contain_text("with the sound off")


def test_a_clip_without_sound_says_so(page: Page, transactional_db: None, live_server: Any) -> None:
    round_ = open_round(
        configurations=2, scenes=["r01-lift"], clips=[tiny_clip(sound=False), tiny_clip()]
    )
    rae = reviewers_of(round_)[0]
    shown = set()
    for _ in range(2):
        stimulus = open_due(page, live_server, rae, round_)
        play_through(page)
        shown.add(page.locator("[data-silent]").is_visible())
        make_locked_sheet(rae, round_.stimuli.get(pk=stimulus))
    assert shown == {True, False}


def test_finished_sheets_are_listed_with_their_clip_and_take_a_note(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    answer_all(page)
    lock_by_keys(page)
    page.goto("/review/")
    page.get_by_text("Clips you have finished (1)").click()
    page.get_by_role("link", name="clip 1").click()
    page.wait_for_url(f"**/{stimulus}/")
    wait_until(page, "document.querySelector('video').readyState >= 1")
    page.get_by_text("Did you make a mistake").click()
    page.get_by_label("Say in one line").fill("the timing was a 2")
    page.get_by_role("button", name="Save this note").click()
    expect(page.get_by_text("the timing was a 2")).to_be_visible()
    assert MistakeReport.objects.get().sheet.stimulus_id == stimulus


def test_agreeing_before_the_sound_check_leads_to_it_and_keeps_the_tick(
    page: Page, rae: Reviewer, round_: Round, live_server: Any
) -> None:
    round_.members.update(consented_at=None, sound_checked_at=None)
    sign_in(page, live_server, rae)
    page.goto(f"/review/rounds/{round_.name}/")
    page.get_by_label("I have read this").check()
    page.get_by_role("button", name="Agree").click()
    expect(page.locator("#sound").get_by_role("alert")).to_contain_text(
        "Pass this sound check first"
    )
    expect(page.get_by_label("How many tones")).to_be_focused()
    expect(page.get_by_label("I have read this")).to_be_checked()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_of_every_option_can_be_read(
    new_page: NewPage, rae: Reviewer, round_: Round, live_server: Any, scheme: str
) -> None:
    """A contrast of 4.5 (WCAG 2.2, 1.4.3), for closed stages too, of which axe says nothing."""
    page = new_page(color_scheme=scheme, **DESK)
    open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "yyy4")
    expect_saved(page)
    for disabled in (False, True):
        page.evaluate(
            "on => document.querySelectorAll('[data-stage]').forEach((part) => (part.disabled = "
            "on))",
            disabled,
        )
        colours = page.evaluate(
            """() => [...document.querySelectorAll(".option:not(.is-closed) .option__face")].flatMap((face) =>
                [face, face.querySelector("kbd")].filter(Boolean).map((part) =>
                    [part.textContent, getComputedStyle(part).color, getComputedStyle(face).backgroundColor]))"""
        )
        assert len(colours) > 20
        faint = [row for row in colours if contrast(row[1], row[2]) < 4.5]
        assert faint == [], f"{scheme}, disabled: {disabled}"


@pytest.mark.parametrize(
    "small",
    [{"width": 683, "height": 384}, {"width": 844, "height": 390}],
    ids=["desk at 200 %", "phone on its side"],
)
def test_a_short_window_does_not_make_the_picture_smaller(
    new_page: NewPage, rae: Reviewer, round_: Round, live_server: Any, small: dict[str, int]
) -> None:
    """At 200 % a page has half the pixels each way, of twice the size; a phone on its side has its
    other shape.
    """
    upright = DESK["viewport"] if small["width"] == 683 else {"width": 390, "height": 844}
    zoom = 2 if small["width"] == 683 else 1
    heights = []
    for viewport in (upright, small):
        page = new_page(viewport=viewport)
        open_due(page, live_server, rae, round_)
        box = page.locator(".clip__stage").bounding_box()
        assert box
        heights.append(min(box["height"], box["width"] * 9 / 16))
    assert heights[1] * zoom >= heights[0]
