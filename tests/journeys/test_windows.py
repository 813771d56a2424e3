"""A window of a rollout in a real browser: what it is about, times by keyboard, contradictions that
keep it open.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.db import transaction
from django.utils import timezone
from playwright.sync_api import Page, expect

from fartbench.models import Round, RoundState
from fartbench.protocol import Response, form_for, load_protocol
from review.browser import browser_rules
from review.models import AnswerSheet
from review.services import plan_orders, write_forms
from tests.factories import make_cohort, make_protocol, make_round, make_stimulus, reviewers_of
from tests.journeys.steps import expect_saved, lock_by_keys, open_due, play_through
from tests.journeys.test_review_rules import COMPARE
from tests.streamav.small import FOLDER

NewPage = Callable[..., Page]
DESK = {"viewport": {"width": 1366, "height": 768}}
TARGET = "A single lamb breaks away and jumps over the stone wall."


@pytest.fixture
def round_(transactional_db: None) -> Round:
    made = make_round(protocol=make_protocol(FOLDER), scenes=["sheepdog-hill-i"])
    stimulus = make_stimulus(made, scene="sheepdog-hill-i")
    stimulus.form, stimulus.unit, stimulus.place = "update-video", "update", "P1"
    stimulus.context = {
        "shown": "video",
        "target": TARGET,
        "windows": [{"role": "shown", "begin_s": 0, "end_s": 2}],
    }
    stimulus.save()
    make_cohort(made)
    with transaction.atomic():
        write_forms(made.protocol, made.scenes)
        plan_orders(round=made, factors={stimulus.pk: "factor"}, effort=0.1)
        made.state, made.opened_at = RoundState.REVIEWING, timezone.now()
        made.save()
        made.members.update(consented_at=timezone.now(), sound_checked_at=timezone.now())
    return made


def test_an_update_is_judged_by_keyboard(
    new_page: NewPage, round_: Round, live_server: Any
) -> None:
    page, reviewer = new_page(**DESK), reviewers_of(round_)[0]
    stimulus = open_due(page, live_server, reviewer, round_)
    expect(page.locator(".window")).to_contain_text(TARGET)
    expect(page.locator(".window")).to_contain_text("Picture alone")
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    play_through(page)
    page.keyboard.press("n")  # nothing has begun: there is no time to give
    expect(page.locator("[name=video_onset_latency][type=number]")).to_be_disabled()
    expect(page.locator("[name=video_onset_latency][value='na:not_started']")).to_be_enabled()
    page.locator("[name=video_started][value=yes]").check()
    onset, reached = (
        page.locator(f"[name=video_{name}_latency][type=number]") for name in ("onset", "target")
    )
    expect(onset).to_be_enabled()
    onset.fill("1")
    page.keyboard.press("Enter")
    expect(reached).to_be_focused()
    page.keyboard.type("0.5")
    page.keyboard.press("Enter")
    page.keyboard.press("4")  # fulfilled, nearly
    fault = page.locator("[data-question=video_target_latency] [data-fault]")
    expect(fault).to_have_text("Does not fit: it cannot be reached before it begins.")
    expect(page.locator("[data-lock]")).to_be_disabled()
    expect(page.locator("[data-missing]")).to_contain_text("contradict each other")
    reached.fill("1.5")
    page.keyboard.press("Enter")
    expect(fault).to_be_empty()
    expect(page.locator("[data-lock]")).to_be_enabled()
    expect_saved(page)
    lock_by_keys(page)
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    assert {key: str(given) for key, given in sheet.responses().items()} == {
        "video_started": "yes", "video_onset_latency": "1", "video_target_latency": "1.5",
        "video_fulfilment": "4",
    }  # fmt: skip


def test_browser_and_server_agree_on_contradictions(page: Page) -> None:
    form = form_for(load_protocol(FOLDER).protocol, "update-both")
    times = ["0", "0.5", "29.5"]
    universe = {
        "audio_started": ["yes", "no"],
        "audio_onset_latency": [*times, "na:not_started"],
        "audio_target_latency": [*times, "na:not_reached"],
        "audio_fulfilment": list("12345"),
    }
    page.goto("/login/")
    lockable, _ = page.evaluate(COMPARE, {"rules": browser_rules(form), "universe": universe})
    sheets = [
        dict(zip(universe, map(Response.parse, texts), strict=True))
        for texts in product(*universe.values())
    ]
    assert lockable == "".join("0" if form.violations(sheet) else "1" for sheet in sheets)
    assert {"0", "1"} == set(lockable)
