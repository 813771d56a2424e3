"""Pages of visitors and staff in a real browser: they sort, play, act, fit a phone, and can be used
by everyone.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.contrib.auth.models import User
from django.test import Client
from playwright.sync_api import Page, expect

from blinding.models import Stimulus
from fartbench.models import Round, RoundState
from tests.factories import make_locked_sheet, reviewers_of
from tests.scoring.rows import answer_all, make_locked_round, make_open_round, make_published_round

pytestmark = pytest.mark.django_db(transaction=True)

NewPage = Callable[..., Page]
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
LIFT = ["r01-lift"]
NO_EVENT = {
    "event": "no",
    "cause": "na:no_event",
    "detail": "no",
    "sound": "na:no_sound",
    "timing": "na:no_event",
}
SPLIT = {"cause": "unclear"}
PLAYS = """clip => new Promise(done => {
    clip.addEventListener("timeupdate", () => clip.currentTime > 0 && done());
    clip.muted = true;
    clip.play();
})"""


@pytest.fixture
def published(transactional_db: None) -> Round:
    changes = {
        ("alpha", "r01-squat"): NO_EVENT,
        ("beta", "r01-lift"): SPLIT,
        ("beta", "r01-squat"): NO_EVENT,
    }
    refused = {("gamma", "r01-toast"): "The maker's policy rules it out."}
    return make_published_round(
        changes, name="spring", configurations=("alpha", "beta", "gamma"), refused=refused
    ).round


def sign_in_admin(page: Page, live_server: Any) -> None:
    User.objects.create_superuser("ada")
    client = Client()
    client.force_login(User.objects.get(username="ada"))
    cookie = {
        "name": "sessionid",
        "value": client.cookies["sessionid"].value,
        "url": live_server.url,
    }
    page.context.add_cookies([cookie])


def configurations(page: Page) -> list[str]:
    return page.locator("tbody .board__name a").all_inner_texts()


def test_a_visitor_finds_the_leaderboard_sorts_it_and_plays_a_clip(
    page: Page, published: Round
) -> None:
    page.goto("/")
    page.get_by_role("link", name="See who leads").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round spring")
    by_rank = configurations(page)
    assert by_rank == ["alpha", "gamma", "beta"]
    page.get_by_role("button", name="Configuration").click()
    assert configurations(page) == ["alpha", "beta", "gamma"]
    page.get_by_role("button", name="Configuration").click()
    assert configurations(page) == ["gamma", "beta", "alpha"]
    expect(page.locator("th[data-sort=text]")).to_have_attribute("aria-sort", "descending")
    page.get_by_role("button", name="Rank").click()
    assert configurations(page) == by_rank
    page.get_by_role("link", name="gamma").click()
    page.locator("video").first.evaluate(PLAYS)


def test_a_leaderboard_without_a_script_stands_in_the_order_of_ranks(
    new_page: NewPage, published: Round
) -> None:
    page = new_page(java_script_enabled=False)
    page.goto("/rounds/spring/")
    assert configurations(page) == ["alpha", "gamma", "beta"]
    expect(page.get_by_role("button", name="Rank")).to_have_count(0)


def test_plots_are_drawn_under_the_content_policy_and_files_download(
    page: Page, published: Round
) -> None:
    for part in ("", "scenes/", "ratings/", "agreement/"):
        page.goto(f"/rounds/spring/{part}")
        page.locator(".plot img").scroll_into_view_if_needed()
        # Not `wait_for_function`: it evaluates its text in the page, which the policy forbids once
        # it has to wait.
        expect(page.locator(".plot img")).to_have_js_property("naturalWidth", 800)
    page.get_by_role("link", name="Files").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="answers.csv").click()
    assert download.value.suggested_filename == "answers.csv"


def test_staff_reads_diagnostics_and_whose_clip_is_whose(
    new_page: NewPage, live_server: Any, transactional_db: None
) -> None:
    make_locked_round(name="closed", scenes=LIFT, configurations=("alpha", "beta"))
    page = new_page(**PHONE)
    sign_in_admin(page, live_server)
    for part in ("diagnostics", "unblind"):
        page.goto(f"/staff/rounds/closed/{part}/")
        page.get_by_label("Why do you look?").fill("a complaint")
        page.get_by_role("button", name="Show it").click()
        expect(page.get_by_role("table").first).to_be_visible()
        assert (
            page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            == 0
        )
        assert Axe().run(page).violations_count == 0


def test_an_admin_watches_closes_previews_and_publishes(
    page: Page, live_server: Any, transactional_db: None
) -> None:
    round_ = make_open_round(name="autumn", scenes=LIFT, configurations=("alpha",))
    sign_in_admin(page, live_server)
    page.goto("/staff/")
    page.get_by_role("link", name="autumn").click()
    sheets = page.locator("[data-bar=sheets]")
    expect(sheets).to_contain_text("0 of 4")
    make_locked_sheet(reviewers_of(round_)[0], Stimulus.objects.get(round=round_))
    expect(sheets).to_contain_text("1 of 4")
    for reviewer in reviewers_of(round_)[1:]:
        make_locked_sheet(reviewer, Stimulus.objects.get(round=round_))
    page.reload()
    expect(page.get_by_text("every answer is there")).to_be_visible()
    page.locator("summary", has_text="Close the round").click()
    page.get_by_role("button", name="Close the round").click()
    expect(page.get_by_text("Round autumn is closed")).to_be_visible()
    page.get_by_role("link", name="Preview the scores").click()
    page.get_by_label("Why do you look?").fill("last look")
    page.get_by_role("button", name="Show the preview").click()
    expect(page.get_by_text("Preview, not published")).to_be_visible()
    expect(page.get_by_role("rowheader", name="alpha").first).to_be_visible()
    page.get_by_role("link", name="autumn").click()
    page.locator("summary", has_text="Publish the round").click()
    page.get_by_role("button", name="Publish the round").click()
    expect(page.get_by_text("is published as release 1")).to_be_visible()
    page.get_by_role("link", name="The leaderboard").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Round autumn")
    round_.refresh_from_db()
    assert round_.state == RoundState.PUBLISHED


def test_a_page_says_when_another_step_has_become_due(
    page: Page, live_server: Any, transactional_db: None
) -> None:
    round_ = make_open_round(name="autumn", scenes=LIFT, configurations=("alpha",))
    sign_in_admin(page, live_server)
    page.goto("/staff/rounds/autumn/")
    outdated = page.get_by_text("Something has changed")
    expect(outdated).to_be_hidden()
    answer_all(round_)
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    expect(outdated).to_be_visible()


def addresses(published: Round) -> list[str]:
    make_locked_round(name="closed", scenes=LIFT, configurations=("delta",))
    make_open_round(name="open", scenes=LIFT, configurations=("epsilon",))
    return [
        "/",
        "/leaderboards/",
        "/rounds/spring/",
        "/rounds/spring/configurations/gamma/",
        "/rounds/spring/scenes/",
        "/rounds/spring/scenes/r01-toast/",
        "/rounds/spring/ratings/",
        "/rounds/spring/agreement/",
        "/rounds/spring/human-ai/",
        "/rounds/spring/coverage/",
        "/rounds/spring/releases/",
        "/method/",
        "/staff/",
        "/staff/rounds/open/",
        "/staff/rounds/closed/",
        "/staff/rounds/closed/preview/",
        "/staff/rounds/open/blinding/",
        "/staff/rounds/open/fingerprint/",
        "/staff/audit/",
    ]


def check_with_axe(page: Page, address: str) -> None:
    page.goto(address)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    found = Axe().run(page)
    assert found.violations_count == 0, f"{address}: {found.generate_report()}"


def test_axe_finds_nothing(page: Page, live_server: Any, published: Round) -> None:
    sign_in_admin(page, live_server)
    for address in addresses(published):
        check_with_axe(page, address)


def test_axe_finds_nothing_in_the_dark(
    new_page: NewPage, live_server: Any, published: Round
) -> None:
    page = new_page(color_scheme="dark")
    sign_in_admin(page, live_server)
    for address in ("/", "/rounds/spring/", "/rounds/spring/agreement/", "/method/", "/staff/"):
        check_with_axe(page, address)


def test_nothing_is_wider_than_a_phone(
    new_page: NewPage, live_server: Any, published: Round
) -> None:
    page = new_page(**PHONE)
    sign_in_admin(page, live_server)
    for address in addresses(published):
        page.goto(address)
        wider = page.evaluate(
            "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        )
        assert wider == 0, address


def test_records_open_under_the_content_policy(
    page: Page, live_server: Any, published: Round
) -> None:
    sign_in_admin(page, live_server)
    for address in ("/admin/", "/admin/fartbench/round/", "/admin/generation/sample/"):
        page.goto(address)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
