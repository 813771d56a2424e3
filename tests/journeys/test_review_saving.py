"""Nothing is lost on the way to the server, in a real browser: lost connections and replies, ended
sessions, tabs.
"""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, Route, expect

from fartbench.models import Round
from review.models import AnswerSheet, MistakeReport, Reviewer
from review.services import lock_sheet, save_draft
from tests.browser import Faults, wait_for
from tests.factories import (
    answers,
)
from tests.journeys.steps import (
    due,
    end_sessions,
    expect_saved,
    lock_by_keys,
    open_due,
    play_through,
    press,
    sign_in,
    wait_for_clip,
)
from tests.journeys.test_review import NewPage, answers_of, rae, round_

__all__ = ["rae", "round_"]  # fixtures


def test_offline_in_the_middle_nothing_is_lost(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "y")
    expect_saved(page)
    page.context.set_offline(True)
    press(page, "nu4")
    expect(page.locator("[data-status]")).to_contain_text("No connection")
    assert answers_of(stimulus) == {"event": "yes"}
    page.context.set_offline(False)
    expect_saved(page)
    assert answers_of(stimulus) == {
        "event": "yes",
        "cause": "no",
        "detail": "unclear",
        "sound": "4",
    }
    faults.expect("ERR_INTERNET_DISCONNECTED")


def test_a_reload_while_offline_answers_are_unsent_keeps_them(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    page.route("**/draft", lambda route: route.abort())
    press(page, "yn")
    expect(page.locator("[data-status]")).to_contain_text("No connection")
    page.reload()
    expect(page.locator("[data-status]")).to_contain_text("No connection")
    page.unroute("**/draft")
    expect_saved(page)
    assert answers_of(stimulus) == {"event": "yes", "cause": "no"}
    expect(page.locator("[data-question=cause] input[value=no]")).to_be_checked()
    faults.expect("ERR_FAILED")


def test_a_reply_that_got_lost_is_no_conflict(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    expect_saved(page)
    lost: list[str] = []

    def lose_the_reply(route: Route) -> None:
        if not lost:
            lost.append(route.request.method)
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/draft", lose_the_reply)
    press(page, "y")
    expect(page.locator("[data-status]")).to_contain_text("No connection")
    press(page, "n")
    expect_saved(page)
    expect(page.locator("[data-alert]")).to_be_hidden()
    assert answers_of(stimulus) == {"event": "yes", "cause": "no"}
    faults.expect("ERR_FAILED", "409")


def test_an_expired_login_keeps_the_form_and_sends_it_after_the_next(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    rae.user.set_password("a-long-password")
    rae.user.save()
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "yyy44")
    expect_saved(page)
    end_sessions()
    press(page, "4")
    link = page.get_by_role("link", name="Log in again")
    link.click()
    page.get_by_label("E-mail address or user name").fill(rae.email)
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("button", name="Log in").click()
    page.wait_for_url(f"**/{stimulus}/")
    expect_saved(page)
    wait_for_clip(page)
    expect(page.locator("[data-lock]")).to_be_enabled()
    page.locator("[data-lock]").focus()
    lock_by_keys(page)
    assert AnswerSheet.objects.get(stimulus=stimulus).locked_at is not None
    faults.expect("401")


def test_two_tabs_the_older_one_is_told_and_overwrites_nothing(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    expect_saved(page)
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    save_draft(
        reviewer=rae,
        stimulus_id=stimulus,
        revision=sheet.revision,
        responses={"event": answers()["event"]},
    )
    press(page, "n")
    expect(page.locator("[data-alert]")).to_contain_text("changed in another window")
    expect(page.locator("[data-question=event] input[value=yes]")).to_be_checked()
    assert answers_of(stimulus) == {"event": "yes"}
    faults.expect("409")


def test_a_double_click_and_a_lost_reply_lock_once(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "yyy444")
    expect_saved(page)
    calls: list[str] = []

    def lose_the_first(route: Route) -> None:
        calls.append(route.request.method)
        if len(calls) == 1:
            route.fetch()
            route.abort()
        else:
            route.continue_()

    page.route("**/lock", lose_the_first)
    page.locator("[data-lock]").click()
    page.locator("[data-confirm-lock]").dblclick()
    page.wait_for_url(lambda url: stimulus not in url)
    assert len(calls) == 2
    assert AnswerSheet.objects.filter(stimulus=stimulus, locked_at__isnull=False).count() == 1
    faults.expect("ERR_FAILED")


def test_a_lock_that_another_window_was_before_with_other_answers_is_said_to_be_lost(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "yyy444")
    expect_saved(page)
    lock_sheet(
        reviewer=rae, stimulus_id=stimulus, responses={"people": answers(people="1")["people"]}
    )
    page.locator("[data-lock]").click()
    page.locator("[data-confirm-lock]").click()
    expect(page.get_by_text("with other answers to: people")).to_be_visible()
    expect(page.get_by_text("What you sent now was not kept")).to_be_visible()
    assert answers_of(stimulus)["people"] == "1"
    assert page.evaluate("localStorage.length") == 0
    faults.expect("409")


def test_nothing_is_sent_beside_a_lock_and_the_next_clip_comes(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "yyy444")
    expect_saved(page)
    held: list[Route] = []
    drafts: list[str] = []
    released = False

    def hold(route: Route) -> None:
        if released:
            route.continue_()
        else:
            held.append(route)

    page.route("**/lock", hold)
    page.on(
        "request",
        lambda request: drafts.append(request.url) if request.url.endswith("/draft") else None,
    )
    page.clock.install()
    page.keyboard.press("Enter")
    page.keyboard.press("y")
    wait_for(page, lambda: held)
    video = page.locator("[data-video]")
    video.evaluate("video => video.play()")  # its end is measured, and kept after a pause
    expect(video).to_have_attribute("data-ends", "2")
    page.clock.fast_forward(60_000)
    released = True
    held[-1].continue_()
    page.wait_for_url(lambda url: stimulus not in url)
    assert drafts == []


def test_back_to_a_locked_sheet_shows_it_and_takes_only_a_note(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "yyy444")
    expect_saved(page)
    lock_by_keys(page)
    page.go_back()
    expect(page.get_by_text("These answers can no longer change")).to_be_visible()
    expect(page.locator("input[type=radio]")).to_have_count(0)
    page.get_by_text("Did you make a mistake").click()
    page.get_by_label("Say in one line").fill("the timing was a 2")
    page.get_by_role("button", name="Save this note").click()
    expect(page.get_by_text("the timing was a 2")).to_be_visible()
    assert MistakeReport.objects.get().sheet.stimulus_id == stimulus


def test_without_a_script_a_sheet_is_answered_and_says_so(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    page = new_page(java_script_enabled=False)
    sign_in(page, live_server, rae)
    stimulus = due(rae, round_)
    page.goto(f"/review/{stimulus}/")
    for question, value in (("event", "yes"), ("cause", "na:no_event"), ("detail", "no")):
        page.locator(f"[data-question={question}] input[value='{value}']").check()
    page.get_by_role("button", name="Lock answers").click()
    expect(page.locator("[data-question=cause] [data-fault]")).to_contain_text("allowed only when")
    expect(page.locator("[data-question=people] [data-fault]")).to_contain_text("missing")
    expect(page.locator("[data-question=detail] input[value=no]")).to_be_checked()
    page.locator("[data-question=cause] input[value=unclear]").check()
    for question in ("sound", "timing", "people"):
        page.locator(f"[data-question={question}] input[value='2']").check()
    page.get_by_role("button", name="Lock answers").click()
    page.wait_for_url(lambda url: stimulus not in url)
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    assert sheet.locked_at is not None and not sheet.playback_measured
    faults.expect("422")


def test_after_its_end_a_draft_keeps_nothing_in_the_browser(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    open_due(page, live_server, rae, round_)
    page.route("**/lock", lambda route: route.fulfill(json={"next": "/review/"}))
    kept = page.evaluate(
        """async () => {
            const { Draft } = await import("/static/js/review/drafts.js");
            const draft = new Draft({
                reviewer: "r", stimulus: "s", revision: 1, answers: {}, playback: {}, hasImpression: false,
                rules: { questions: [{ key: "event" }] }, urls: { draft: "/none/draft", lock: "/none/lock" },
            });
            await draft.lock();
            draft.change({ answers: { event: "yes" } });
            return localStorage.getItem("fartbench.draft.r.s");
        }"""
    )
    assert kept is None
