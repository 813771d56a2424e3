"""Blind pairs in a real browser: by keyboard, on a phone, and when things go wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from fartbench.models import Round
from measuring.models import SoundCheck
from review.models import PairTask, Reviewer, Vote
from review.pairs.selectors import tasks_of
from review.pairs.voting import save_vote
from rounds.opening import close_round, publish
from tests.browser import Faults, wait_for
from tests.factories import reviewers_of
from tests.journeys.steps import (
    end_sessions,
    expect_saved,
    lock_by_keys,
    play_to_end,
    sign_in,
    wait_until,
)
from tests.pairs import open_pair_round
from tests.scoring.test_pair_results import vote_all

PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
DESK = {"viewport": {"width": 1366, "height": 768}}
NewPage = Callable[..., Page]


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_pair_round(configurations=("alpha", "beta", "gamma"), scenes=("r01-lift",))


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def task(rae: Reviewer, round_: Round) -> PairTask:
    found = tasks_of(rae, round_).first()
    assert found is not None
    return found


def open_pair(page: Page, live_server: Any, task: PairTask) -> None:
    """Sign in, open a pair, and wait until both clips can play."""
    sign_in(page, live_server, task.member.reviewer)
    page.goto(f"/review/pairs/{task.pair_id}/")
    wait_for_clips(page)


def wait_for_clips(page: Page) -> None:
    """Wait until both clips can play."""
    for side in ("a", "b"):
        expect(page.locator(f"[data-side={side}] [data-act=play]")).to_be_enabled()


def play_both(page: Page) -> None:
    """Play one clip by key, go over to the other, and play that."""
    for side in ("a", "b"):
        if side == "b":
            page.keyboard.press("o")
        play_to_end(page, f"[data-side={side}] [data-video]")
        expect(page.locator(f"[data-side={side}] [data-played]")).to_be_visible()


def vote_of(task: PairTask) -> Vote:
    return Vote.objects.get(task=task)


def test_every_pair_by_keyboard_alone(
    new_page: NewPage, round_: Round, rae: Reviewer, task: PairTask, live_server: Any
) -> None:
    page = new_page(**DESK)
    open_pair(page, live_server, task)
    expect(page.locator("[data-stage]:disabled")).to_have_count(1)
    page.keyboard.press("a")
    assert not Vote.objects.filter(task=task).exclude(answer="").exists()
    expect(page.locator("[data-missing]")).to_have_text("Play both clips in full, then choose.")
    play_both(page)
    expect(page.locator("[data-missing]")).to_have_text("Choose an answer.")
    expect(page.locator("[data-stage]:disabled")).to_have_count(0)
    assert Axe().run(page).violations_count == 0
    page.keyboard.press("x")
    expect_saved(page)
    page.keyboard.press("t")
    expect(page.get_by_role("radio", name="Tie")).to_be_checked()
    expect_saved(page)
    lock_by_keys(page)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Pair 2 of")
    vote = vote_of(task)
    assert (vote.answer, vote.source) == ("tie", "browser") and vote.locked_at is not None
    assert {side: report["plays"] >= 1 for side, report in vote.playback.items()} == {
        "a": True,
        "b": True,
    }
    for key in "ab"[: tasks_of(rae, round_).count() - 1]:
        wait_for_clips(page)
        play_both(page)
        page.keyboard.press(key)
        expect_saved(page)
        lock_by_keys(page)
    expect(page.get_by_role("heading", name="That was the last pair")).to_be_visible()
    assert not tasks_of(rae, round_).exclude(vote__locked_at__isnull=False).exists()


def test_one_clip_plays_at_a_time_at_one_volume(
    page: Page, task: PairTask, live_server: Any
) -> None:
    open_pair(page, live_server, task)
    page.evaluate(
        "for (const video of document.querySelectorAll('[data-video]')) video.loop = true"
    )  # none ends here
    is_paused = "document.querySelector('[data-side={}] [data-video]').paused"
    page.locator("[data-side=b] [data-act=play]").click()
    wait_until(page, f"!{is_paused.format('b')}")
    page.locator("[data-side=a] [data-act=play]").click()
    wait_until(page, f"!{is_paused.format('a')} && {is_paused.format('b')}")
    page.keyboard.press("o")
    wait_until(page, f"{is_paused.format('a')} && !{is_paused.format('b')}")
    page.keyboard.press("m")
    wait_until(page, "[...document.querySelectorAll('[data-video]')].every((video) => video.muted)")
    expect(page.locator("[data-side=b]")).to_have_class(re.compile("is-active"))


def test_the_keys_can_be_shown_and_name_the_answers(
    page: Page, task: PairTask, live_server: Any
) -> None:
    open_pair(page, live_server, task)
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog")
    for words in ("The other clip", "Clip A", "Clip B", "Tie", "Both bad"):
        expect(dialog.get_by_text(words, exact=True)).to_be_visible()
    assert Axe().run(page).violations_count == 0


def test_a_phone_shows_one_clip_under_the_other_and_nothing_sticks_out(
    new_page: NewPage, task: PairTask, live_server: Any
) -> None:
    page = new_page(**PHONE)
    open_pair(page, live_server, task)
    boxes = [page.locator(f"[data-side={side}]").bounding_box() for side in ("a", "b")]
    assert boxes[0] and boxes[1] and boxes[1]["y"] >= boxes[0]["y"] + boxes[0]["height"]
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    for side in ("a", "b"):
        page.locator(f"[data-side={side}] [data-act=play]").tap()
        expect(page.locator(f"[data-side={side}] [data-played]")).to_be_visible()
    page.locator(".option", has_text="Clip B").tap()
    expect_saved(page)
    for option in page.locator(".option__face").all():
        box = option.bounding_box()
        assert box and box["height"] >= 44
    assert Axe().run(page).violations_count == 0
    page.locator("[data-lock]").tap()
    page.locator("[data-confirm-lock]").tap()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Pair 2 of")
    assert vote_of(task).answer == "b"


def test_a_double_click_and_a_lost_reply_lock_once_and_the_way_back_shows_it_locked(
    page: Page, task: PairTask, live_server: Any, faults: Faults
) -> None:
    open_pair(page, live_server, task)
    play_both(page)
    page.keyboard.press("a")
    expect_saved(page)
    sent = []

    def lose_the_first_reply(route: Route) -> None:
        sent.append(route.fetch())
        route.abort() if len(sent) == 1 else route.continue_()

    page.route("**/lock", lose_the_first_reply)
    page.locator("[data-lock]").dblclick()
    page.locator("[data-confirm-lock]").dblclick()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Pair 2 of")
    assert len(sent) == 2
    assert Vote.objects.filter(task=task, answer="a", locked_at__isnull=False).count() == 1
    page.go_back()
    expect(page.get_by_text("This answer can no longer change")).to_be_visible()
    faults.expect("ERR_FAILED")


def test_a_draft_survives_a_reload_and_an_ended_session(
    page: Page, task: PairTask, live_server: Any, faults: Faults
) -> None:
    open_pair(page, live_server, task)
    play_both(page)
    page.keyboard.press("b")
    expect_saved(page)
    page.reload()
    expect(page.get_by_role("radio", name="Clip B")).to_be_checked()
    expect(page.locator("[data-stage]:disabled")).to_have_count(0)  # both were played before
    end_sessions()
    page.keyboard.press("t")
    expect(page.get_by_role("alert")).to_contain_text("Your session has ended")
    sign_in(page, live_server, task.member.reviewer)
    page.reload()
    expect(page.get_by_role("radio", name="Tie")).to_be_checked()
    wait_for(page, lambda: vote_of(task).answer == "tie")
    faults.expect("401")


def test_pages_of_results_have_nothing_for_axe_to_find(
    page: Page, live_server: Any, round_: Round
) -> None:
    vote_all(round_)
    close_round(round_=round_, actor="test")
    publish(round_=round_, actor="test")
    found = {
        "has_sound": True,
        "loudness_lufs": None,
        "silence": {"longest_s": 0.2, "is_total": False},
    }
    heard = [
        {"onset_s": 1.25, "end_s": 1.75, "rise_db": 12.0},
        {"onset_s": 3.0, "end_s": 3.5, "rise_db": 9.0},
    ]
    for stimulus in round_.stimuli.all():
        SoundCheck.objects.create(
            stimulus=stimulus, version="1", found=found | {"candidates": heard}
        )
    sign_in(page, live_server, reviewers_of(round_)[0])
    for address in (f"/rounds/{round_.name}/pairs/", f"/rounds/{round_.name}/sounds/"):
        page.goto(address)
        assert Axe().run(page).violations_count == 0
    page.get_by_role("button", name="It is one").first.click()
    expect(page.get_by_text("1 yes, 0 no")).to_be_visible()


def test_what_is_newer_elsewhere_is_shown_and_never_overwritten(
    page: Page, task: PairTask, live_server: Any, faults: Faults
) -> None:
    open_pair(page, live_server, task)
    play_both(page)
    page.keyboard.press("a")
    expect_saved(page)
    revision = vote_of(task).revision
    save_vote(
        reviewer=task.member.reviewer, pair_id=task.pair_id, revision=revision, answer="both_bad"
    )
    page.keyboard.press("t")
    expect(page.get_by_role("alert")).to_contain_text("changed in another window")
    expect(page.get_by_role("radio", name="Both bad")).to_be_checked()
    assert vote_of(task).answer == "both_bad"
    faults.expect("409")
