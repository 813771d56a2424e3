"""Pages of a published round of rollouts: the table sorts and filters in a browser, and a rollout's
pieces play.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from playwright.sync_api import Page, expect

from fartbench import writeonce
from fartbench.models import Round
from fartbench.protocol.rollouts.schema import Scenario
from measuring.measurement import Measurement
from rounds import opening as rounds
from scoring.records import MeasuredRecord, RoundRecord
from scoring.records.judges import JudgeRecord, JudgeRunRecord
from scoring.rollouts.document import reports_document
from scoring.rollouts.results import rollout_results
from tests.factories import tiny_clip
from tests.streamav.rollout_record import make_round, signals, streamav
from tests.streamav.rollout_rows import store
from tests.streamav.scripts import drawn
from web.pages.rollout_pieces import Piece, piece_to_play

PROGRESSIVE, INTERACTIVE = "sheepdog-hill-p", "sheepdog-hill-i"
SPEED = {"alpha": 12.0, "beta": 9.0, "gamma": None}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def measured(place: int, name: str, scenario: Scenario) -> list[MeasuredRecord]:
    """Return signals of which one system has no times."""
    found, speed = signals(place, scenario, score=80.0), SPEED[name]
    if speed is not None:
        return [
            one
            if one.found.metric != "FPS"
            else _fps(place, Measurement("FPS", speed, "fps", "log", "1"))
            for one in found
        ]
    nothing = Measurement.without(
        "FPS", "unavailable", "no times were logged", unit="fps", tool="log", version="1"
    )
    return [one if one.found.metric != "FPS" else _fps(place, nothing) for one in found]


def _fps(place: int, found: Measurement) -> MeasuredRecord:
    return MeasuredRecord(place, "full", "", found)


def rollouts_record() -> RoundRecord:
    return make_round(
        drawn,
        configurations=list(SPEED),
        scenarios=[PROGRESSIVE, INTERACTIVE],
        reviewers=2,
        measured=measured,
    )


def publish() -> Round:
    round_ = store(rollouts_record())
    plan = {
        "horizons": [60.0, 120.0, 180.0],
        "kinds": [one.kind for one in streamav().protocol.rollouts.units.kinds],
        "looks": 0,
    }
    writeonce.uninstall()  # the rows came in bulk, without the plan that made them
    try:
        Round.objects.filter(pk=round_.pk).update(unit_plan=plan)
    finally:
        writeonce.install()
    round_.refresh_from_db()
    rounds.publish(round_=round_, actor="test")
    return round_


def systems(page: Page) -> list[str]:
    return page.locator("tbody th.metric-table__name a").all_inner_texts()


@pytest.mark.django_db(transaction=True)
def test_the_table_sorts_by_any_column_and_shows_what_is_asked_for(
    new_page: Callable[..., Page],
) -> None:
    publish()
    page = new_page()
    page.goto("/rounds/rollouts/")
    expect(page.locator(".metric-table th[data-sort=number]")).to_have_count(32)
    assert systems(page) == ["alpha", "beta", "gamma"]
    speed = page.locator("th[data-sort]").filter(has_text="Frames per second").get_by_role("button")
    speed.click()
    assert systems(page) == ["beta", "alpha", "gamma"]
    speed.press("Enter")  # the keyboard sorts too; what has no value stays last
    assert systems(page) == ["alpha", "beta", "gamma"]
    page.get_by_label("Columns", exact=True).select_option("streaming")
    page.get_by_label("Scenarios", exact=True).select_option("interactive")
    page.get_by_label("Best first in").select_option("FPS")
    page.get_by_role("button", name="Show").click()
    expect(page.locator(".metric-table abbr")).to_have_text(["NBC", "FPS", "TTFC"])
    assert systems(page) == ["alpha", "beta", "gamma"]
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()


@pytest.mark.django_db(transaction=True)
def test_a_rollout_and_what_lies_about_it_fit_a_phone(new_page: Callable[..., Page]) -> None:
    publish()
    page, clip = new_page(**PHONE), tiny_clip()
    page.route(
        "**/clips/*", lambda route: route.fulfill(body=clip, content_type="video/mp4")
    )  # these rows have no files
    for part in (
        "",
        "configurations/alpha/",
        f"rollouts/alpha/{INTERACTIVE}/1/",
        "alignment/",
        "coverage/",
    ):
        page.goto(f"/rounds/rollouts/{part}")
        assert (
            page.evaluate(
                "document.documentElement.scrollWidth - document.documentElement.clientWidth"
            )
            == 0
        ), part
        found = Axe().run(page)
        assert found.violations_count == 0, (part, found.generate_report())


@pytest.mark.django_db
def test_the_first_page_leads_to_results_without_a_rank(client: Client) -> None:
    publish()
    page = client.get("/").content.decode()
    assert "No round has been published yet" not in page
    assert (
        "others, long-range:"
        in client.get("/rounds/rollouts/configurations/alpha/").content.decode()
    )
    assert re.search(r'href="/rounds/rollouts/">See the newest results', page)


@pytest.mark.django_db
def test_the_player_opens_the_piece_that_shows_a_moment(client: Client) -> None:
    publish()
    address = f"/rounds/rollouts/rollouts/alpha/{INTERACTIVE}/1/"

    def playing(query: str) -> tuple[str, str]:
        page = client.get(address + query).content.decode()
        found = re.search(r'<video[^>]* src="/rounds/rollouts/clips/([^"]+)"[^>]*: ([^"]+)">', page)
        return found.groups() if found else ("", page)

    source, label = playing("?at=47")
    assert label == "30 to 60 s, picture and sound" and source.endswith("#t=15.0")
    assert playing("")[1] == "0 to 30 s, picture and sound"
    stimulus = source.partition("#")[0]
    assert playing(f"?piece={stimulus}") == (stimulus, label)
    assert playing("?at=nan")[1] == playing("?at=soon")[1] == playing("")[1]
    assert "No reviewer saw 200 s of this rollout" in playing("?at=200")[1]
    page = client.get(f"/rounds/rollouts/rollouts/alpha/{PROGRESSIVE}/1/?at=100").content.decode()
    assert "0 to 180 s, picture and sound" in page and "#t=98.0" in page


def test_sound_and_picture_come_before_a_longer_piece_without() -> None:
    mute, both = Piece("a", 0, 180, "video"), Piece("b", 30, 60, "both")
    assert piece_to_play([mute, both], 40) == both
    assert piece_to_play([mute, both], 90) == mute
    assert piece_to_play([], 1) is None


@pytest.mark.django_db
def test_coverage_counts_by_form_what_people_and_judges_answered(client: Client) -> None:
    record = rollouts_record()
    windows = range(len(record.windows))
    said = [
        JudgeRunRecord(record.windows[n].cell, "answered" if n % 3 else "blocked", window=n)
        for n in windows
    ]
    judge = JudgeRecord("judy", "frozen", "a" * 64, "2026-01-02T00:00:00Z", {}, tuple(said))
    found = reports_document(rollout_results(replace(record, judges=(judge,))))["reports"][
        "coverage"
    ]
    assert found["judges"] == ["judy"]
    for form, one in found["forms"].items():
        of = [n for n in windows if record.windows[n].form.partition(".")[0] == form]
        assert (one["shown"], one["sheets"]) == (len(of), 2 * len(of))
        assert one["judges"] == [{"asked": len(of), "answered": sum(n % 3 > 0 for n in of)}], form
    publish()
    page = client.get("/rounds/rollouts/coverage/").content.decode()
    assert "Who answered which form" in page and "interval-video" in page
