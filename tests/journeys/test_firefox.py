"""The player in Firefox: ``make test-firefox``.

What these journeys prove in Chromium stands in test_review.py.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from fartbench.models import Round
from review.models import AnswerSheet, Reviewer
from review.selectors import next_assignment
from tests.factories import make_training_clips, open_round, reviewers_of, tiny_clip
from tests.firefox import FirefoxPage

VIDEO = "document.querySelector('[data-video]')"
GATE_IS_OPEN = "!document.querySelector('[data-after-gate]').hidden"
SAVED = "document.querySelector('[data-status]').textContent === 'Saved'"


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_round(configurations=2, scenes=["r01-lift"], clips=[tiny_clip(fps=16)])


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def tab(firefox: FirefoxPage, live_server: Any, rae: Reviewer) -> Iterator[FirefoxPage]:
    """A tab that is signed in as the reviewer and must stay without faults."""
    client = Client()
    client.force_login(rae.user)
    firefox.set_cookie(
        live_server.url.split("//")[1].split(":")[0], "sessionid", client.cookies["sessionid"].value
    )
    firefox.faults.clear()
    yield firefox
    firefox.goto("about:blank")
    assert firefox.faults == []


@pytest.fixture
def stimulus(tab: FirefoxPage, live_server: Any, round_: Round, rae: Reviewer) -> str:
    """Open the clip that is due, wait until it can play, and return its id."""
    assignment = next_assignment(rae, round_)
    assert assignment is not None
    tab.goto(f"{live_server.url}/review/{assignment.stimulus_id}/")
    tab.wait_until("document.querySelector('[data-act=play]').disabled === false")
    return assignment.stimulus_id


def test_it_plays_to_the_end_opens_the_gate_and_shows_the_sound(
    tab: FirefoxPage, stimulus: str
) -> None:
    assert tab.evaluate(f"{VIDEO}.paused && {VIDEO}.currentTime === 0")
    assert not tab.evaluate(GATE_IS_OPEN)
    tab.press("Space")
    tab.wait_until(f"{VIDEO}.ended")
    tab.wait_until(GATE_IS_OPEN)
    canvas = "document.querySelector('[data-wave]')"
    pixels = f"{canvas}.getContext('2d').getImageData(0, 0, {canvas}.width, {canvas}.height).data"
    tab.wait_until(f"{pixels}.some((part) => part > 0)")
    tab.wait_until(SAVED)
    playback = AnswerSheet.objects.get(stimulus=stimulus).playback
    assert playback["plays"] == 1
    assert playback["covered"][0][-1][1] > 1.1


def test_a_seek_is_no_play(tab: FirefoxPage, stimulus: str) -> None:
    tab.evaluate(f"{VIDEO}.currentTime = 0.9")
    tab.wait_until(f"!{VIDEO}.seeking")
    assert abs(tab.evaluate(f"{VIDEO}.currentTime") - 0.9) < 0.02
    tab.press("Space")
    tab.wait_until(f"{VIDEO}.ended")
    tab.wait_until(SAVED)
    assert not tab.evaluate(GATE_IS_OPEN)
    tab.press("y")
    assert tab.evaluate("document.querySelectorAll('[data-form] input:checked').length") == 0


def test_frames_step_by_their_own_times(tab: FirefoxPage, stimulus: str) -> None:
    tab.press("Space")
    tab.wait_until(GATE_IS_OPEN)
    tab.wait_until(f"{VIDEO}.ended")
    tab.evaluate(f"{VIDEO}.currentTime = 0")
    tab.wait_until(f"!{VIDEO}.seeking")
    times = []
    for key in "...,":
        tab.press(key)
        tab.wait_until(f"!{VIDEO}.seeking")
        times.append(tab.evaluate(f"{VIDEO}.currentTime"))
    assert [round(each * 16 - 0.3) for each in times] == [1, 2, 3, 2]


def test_a_sheet_is_answered_by_keys_and_locked_and_the_next_comes(
    tab: FirefoxPage, stimulus: str
) -> None:
    tab.click("[data-act=play]")
    tab.wait_until(GATE_IS_OPEN)
    tab.press(*"yyn424")
    tab.wait_until("document.querySelector('[data-lock]').disabled === false")
    tab.wait_until(SAVED)
    tab.click("[data-lock]")
    tab.wait_until("document.querySelector('[data-confirm-lock]').disabled === false")
    tab.click("[data-confirm-lock]")
    tab.wait_until(f"!location.href.includes('{stimulus}') && document.readyState === 'complete'")
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    assert sheet.locked_at is not None
    assert str(sheet.responses()["detail"]) == "no"
    assert sheet.playback["covered"]


def test_a_training_clip_plays_and_is_explained(
    tab: FirefoxPage, live_server: Any, round_: Round, stimulus: str
) -> None:
    make_training_clips(round_.protocol)
    tab.goto(f"{live_server.url}/review/{stimulus}/")
    tab.wait_until("location.pathname.endsWith('/training/1/')")
    tab.wait_until("document.querySelector('[data-act=play]').disabled === false")
    tab.press("Space")
    tab.wait_until(GATE_IS_OPEN)
    tab.press(*"yyy444")
    tab.wait_until("document.querySelector('[data-lock]').disabled === false")
    tab.click("[data-lock]")
    tab.wait_until("document.querySelectorAll('.badge--good').length === 6")
