"""A reviewer's work in a real browser: by keyboard, on a phone, without a script, and when things
go wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from fartbench.models import Round
from review.models import AnswerSheet, Reviewer
from review.services.cohort import invite
from tests.browser import Faults
from tests.factories import (
    make_locked_sheet,
    make_training_clips,
    open_round,
    padded,
    reviewers_of,
    tiny_clip,
)
from tests.journeys.steps import (
    due,
    expect_saved,
    lock_by_keys,
    open_due,
    play_through,
    play_to_end,
    press,
    sign_in,
    tones_of,
    wait_for_clip,
    wait_until,
)

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1366, "height": 768}}
NewPage = Callable[..., Page]


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_round(configurations=2, scenes=["r01-lift", "r01-chair"])


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


def answers_of(stimulus: str) -> dict[str, str]:
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    return {question: str(response) for question, response in sheet.responses().items()}


def test_from_the_invite_to_the_last_lock_by_keyboard_alone(
    page: Page, round_: Round, live_server: Any
) -> None:
    """Also a whole session: way back, instructions, sound check, consent, training, every clip, the
    page at the end.
    """
    round_.members.update(consented_at=None, sound_checked_at=None)
    make_training_clips(round_.protocol)
    member = round_.members.select_related("reviewer").get(place=0)
    link = invite(member).url.removeprefix("http://127.0.0.1:8000")
    page.goto(link)
    page.get_by_role("button", name="Come in").press("Enter")
    page.get_by_role("button", name="Show me a code").press("Enter")
    expect(page.locator(".return-code")).to_have_text(re.compile(r"^(\w{5}-){3}\w{5}$"))
    page.get_by_role("link", name="I have it, continue").press("Enter")
    page.get_by_role("link", name="Read the instructions").press("Enter")
    page.get_by_label("How many tones").fill("2")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("not the number of tones")
    page.get_by_label("How many tones").fill(str(tones_of(page)))
    page.keyboard.press("Enter")
    expect(page.get_by_text("You may repeat it")).to_be_visible()
    page.get_by_label("I have read this").press("Space")
    page.get_by_role("button", name="Agree").press("Enter")
    for number, keys in ((1, "yyy444"), (2, "naya14")):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"Training {number} of 2")
        wait_for_clip(page)
        play_through(page)
        press(page, keys)
        page.keyboard.press("Enter")
        expect(page.locator(".badge--good")).to_have_count(6)
        page.locator(".page-header .button").press("Enter")
    seen = set()
    for number in range(1, 5):
        expect(page.get_by_role("heading", level=1)).to_contain_text(f"Clip {number} of 4")
        wait_for_clip(page)
        seen.add(page.url)
        play_through(page)
        press(page, "yyy424")
        expect_saved(page)
        lock_by_keys(page)
    expect(page.get_by_role("heading", level=1)).to_have_text("That was the last clip")
    sheets = AnswerSheet.objects.filter(reviewer=member.reviewer)
    assert len(seen) == 4 == sheets.count() == sheets.filter(locked_at__isnull=False).count()
    assert all(sheet.playback["covered"] and sheet.playback["viewport"] for sheet in sheets)
    page.goto(link)
    expect(page.get_by_role("heading", level=1)).to_have_text("My reviews")


def test_all_questions_and_the_clip_fit_a_laptop_without_scrolling(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    page = new_page(**DESK)
    open_due(page, live_server, rae, round_)
    for part in (
        page.locator("[data-video]"),
        *page.locator("[data-question]").all(),
        page.locator("[data-lock]"),
    ):
        box = part.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= 768
    assert page.evaluate("document.documentElement.scrollHeight <= innerHeight")


def test_on_a_phone_one_column_large_targets_and_no_sideways_scroll(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    page = new_page(**PHONE)
    stimulus = open_due(page, live_server, rae, round_)
    page.locator("[data-video]").tap()
    expect(page.locator("[data-after-gate]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = page.evaluate(
        """() => [...document.querySelectorAll("main .option:not(.is-closed), main button, main summary")]
        .map((part) => [part.textContent, part.getBoundingClientRect()])
        .filter(([, box]) => box.height && (box.height < 44 || box.width < 44)).map(([text]) => text)"""
    )
    assert small == []
    for question in ("event", "cause", "detail"):
        page.locator(f"[data-question={question}] .option", has_text="Yes").tap()
    for question in ("sound", "timing", "people"):
        page.locator(f"[data-question={question}] input[value='3']").tap()
    expect_saved(page)
    page.locator("[data-lock]").tap()
    page.locator("[data-confirm-lock]").tap()
    page.wait_for_url(lambda url: stimulus not in url)
    assert answers_of(stimulus) == {
        "event": "yes", "cause": "yes", "detail": "yes", "sound": "3", "timing": "3", "people": "3",
    }  # fmt: skip


def test_nothing_opens_before_a_full_play_and_a_seek_is_no_play(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    open_due(page, live_server, rae, round_)
    page.evaluate("document.querySelector('[data-video]').currentTime = 0.9")
    play_to_end(page)
    press(page, "y")
    expect(page.locator("[data-stage='1'][disabled]")).to_be_visible()
    expect(page.locator("[data-after-gate]")).to_be_hidden()
    play_through(page)
    expect(page.locator("[data-stage='1']:not([disabled])")).to_be_visible()
    expect(page.locator("[data-stage='2'][disabled]")).to_be_visible()


def test_na_is_offered_where_the_map_allows_it_and_goes_when_it_no_longer_does(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    cause_na = page.locator("[data-question=cause] .option--na input")
    expect(cause_na).to_be_disabled()
    press(page, "na")
    expect(cause_na).to_be_checked()
    expect_saved(page)
    page.locator("[data-question=event] .option", has_text="Unclear").click()
    expect(page.locator("[data-question=event] [data-fault]")).to_contain_text("Cleared answer 2")
    expect(cause_na).to_be_disabled()
    expect_saved(page)
    assert answers_of(stimulus) == {"event": "unclear"}


def test_after_the_gate_frames_step_by_their_own_times(
    page: Page, transactional_db: None, live_server: Any
) -> None:
    round_ = open_round(configurations=1, scenes=["r01-lift"], clips=[tiny_clip(fps=16)])
    open_due(page, live_server, reviewers_of(round_)[0], round_)
    press(page, "..")
    assert page.evaluate("document.querySelector('[data-video]').currentTime") == 0
    play_through(page)
    page.evaluate("document.querySelector('[data-video]').currentTime = 0")
    times = []
    for key in "...,":
        page.keyboard.press(key)
        wait_until(page, "!document.querySelector('[data-video]').seeking")
        times.append(page.evaluate("document.querySelector('[data-video]').currentTime"))
    assert [round(each * 16 - 0.3) for each in times] == [1, 2, 3, 2]


def test_a_clip_without_sound_is_reviewable(
    page: Page, transactional_db: None, live_server: Any
) -> None:
    round_ = open_round(configurations=1, scenes=["r01-lift"], clips=[tiny_clip(sound=False)])
    rae = reviewers_of(round_)[0]
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "naaaaa")
    expect_saved(page)
    lock_by_keys(page)
    assert answers_of(stimulus)["people"] == "na:no_people_visible"


def test_a_clip_that_does_not_play_can_be_reported(
    page: Page, transactional_db: None, live_server: Any, faults: Faults
) -> None:
    broken = padded(tiny_clip()[:2000], 20_000)
    round_ = open_round(configurations=2, scenes=["r01-lift"], clips=[broken, tiny_clip()])
    rae = reviewers_of(round_)[0]
    sign_in(page, live_server, rae)
    bad = next(
        stimulus.pk
        for stimulus in round_.stimuli.all()
        if b"mdat" not in stimulus.path.read_bytes()
    )
    if due(rae, round_) != bad:
        make_locked_sheet(rae, round_.stimuli.get(pk=due(rae, round_)))
    page.goto(f"/review/{bad}/")
    expect(page.locator("[data-notice]")).to_contain_text("does not play")
    page.get_by_label("What happens?").fill("nothing moves")
    page.get_by_role("button", name="Report it and go").click()
    page.wait_for_url(lambda url: bad not in url)
    sheet = AnswerSheet.objects.get(stimulus=bad)
    assert sheet.unplayable_reason == "nothing moves"
    assert sheet.playback["errors"]


def test_a_clip_set_aside_comes_back_at_the_end(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    page.get_by_role("button", name="Later").click()
    page.wait_for_url(lambda url: stimulus not in url)
    page.goto("/review/")
    page.get_by_role("link", name="clip 1").click()
    expect(page).to_have_url(re.compile(stimulus))


def test_keys_can_be_changed_and_turned_off(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    open_due(page, live_server, rae, round_)
    play_through(page)
    page.keyboard.press("?")
    page.get_by_role("button", name="Change: Yes", exact=True).press("Enter")
    page.keyboard.press("j")
    page.get_by_role("button", name="Close Esc").click()
    press(page, "j")
    expect(page.locator("[data-question=event] input[value=yes]")).to_be_checked()
    page.reload()
    wait_for_clip(page)
    page.keyboard.press("?")
    expect(
        page.locator("[data-change='answer:y']").locator("xpath=preceding-sibling::kbd")
    ).to_have_text("j")
    page.get_by_label("Use single keys").uncheck()
    page.get_by_role("button", name="Close Esc").click()
    expect(page.locator("[data-after-gate]")).to_be_visible()
    press(page, "n")
    expect(page.locator("[data-question=cause] input:checked")).to_have_count(0)


def test_the_padding_is_not_fetched_and_the_next_clip_is(
    page: Page, transactional_db: None, live_server: Any
) -> None:
    clip = tiny_clip()
    round_ = open_round(configurations=2, scenes=["r01-lift"], clips=[padded(clip, 900_000)])
    rae = reviewers_of(round_)[0]
    fetched: list[tuple[str, str]] = []

    def note(request: Any) -> None:
        if "/media/" in request.url:
            fetched.append((request.url.rsplit("/", 1)[1], request.headers.get("range", "")))

    page.on("request", note)
    stimulus = open_due(page, live_server, rae, round_)
    ends = [int(span.split("-")[1] or 900_000) for name, span in fetched if name == stimulus]
    assert ends and max(ends) <= max(len(clip), 65_536)
    play_through(page)
    wait_until(
        page,
        "caches.open('fartbench-clips').then((store) => store.keys()).then((kept) => kept.length "
        "=== 1)",
    )
    press(page, "yyy444")
    expect_saved(page)
    before = len(fetched)
    lock_by_keys(page)
    wait_for_clip(page)
    after = [name for name, span in fetched[before:] if span]
    assert after == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(  # noqa: PLR0917 - fixtures
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any, faults: Faults, scheme: str
) -> None:
    page = new_page(color_scheme=scheme, reduced_motion="reduce", **DESK)
    stimulus = open_due(page, live_server, rae, round_)
    axe = Axe()

    def check(what: str) -> None:
        found = axe.run(page)
        assert found.violations_count == 0, f"{what}: {found.generate_report()}"

    check("a closed form")
    play_through(page)
    press(page, "na")
    expect_saved(page)
    check("an open form")
    page.keyboard.press("?")
    check("the keys")
    make_locked_sheet(rae, round_.stimuli.exclude(pk=stimulus).first())
    other = AnswerSheet.objects.get(locked_at__isnull=False).stimulus_id
    make_training_clips(round_.protocol)
    training = f"/review/rounds/{round_.name}/training/1/"
    page.goto(training)
    wait_for_clip(page)
    play_through(page)
    check("an open training clip")
    press(page, "nnn111")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Look again").first).to_be_visible()
    check("an explained training clip")
    round_page = f"/review/rounds/{round_.name}/"
    pages = [
        training,
        round_page,
        f"{round_page}done/",
        "/review/",
        "/review/way-back/",
        f"/review/{other}/",
    ]
    for address in [*pages, "/login/", "/return/", "/i/nothing/", "/review/nothing/"]:
        page.goto(address)
        check(address)
    faults.expect("404", "410")
