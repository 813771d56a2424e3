"""What goes wrong around a sheet, in a real browser: the server dies, two tabs, odd clips, large
letters.
"""

from __future__ import annotations

import json
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from subprocess import run
from tempfile import TemporaryDirectory
from typing import Any

import psutil
import pytest
from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, expect

from fartbench.media.ffmpeg import ffmpeg_binary
from fartbench.models import Round
from fartbench.protocol import Response
from review.models import AnswerSheet, Reviewer
from review.services import save_draft
from tests.browser import Faults
from tests.factories import open_round, reviewers_of
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
    wait_until,
)
from tests.servers import START_SECONDS, shared_port

NewPage = Callable[..., Page]
# A laptop of 1366 x 768 at 200 %: the page has half as many CSS pixels, each drawn by four.
ZOOMED = {"viewport": {"width": 683, "height": 384}, "device_scale_factor": 2}


@pytest.fixture
def round_(transactional_db: None) -> Round:
    return open_round(configurations=2, scenes=["r01-lift"])


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


def answers_of(stimulus: str) -> dict[str, str]:
    sheet = AnswerSheet.objects.get(stimulus=stimulus)
    return {question: str(response) for question, response in sheet.responses().items()}


def clip_of_variable_rate() -> bytes:
    """Two seconds: pictures every tenth of a second in the first, every thirtieth in the other."""
    with TemporaryDirectory() as folder:
        out = Path(folder) / "clip.mp4"
        picture = "testsrc2=size=192x108:rate=30:duration=2,select='gte(t,1)+not(mod(n,3))'"
        command = [
            str(ffmpeg_binary()), "-nostdin", "-v", "error", "-f", "lavfi", "-i", picture, "-f",
            "lavfi", "-i",
            "sine=440:duration=2", "-fps_mode", "vfr", "-c:v", "libx264", "-preset", "ultrafast",
            "-pix_fmt", "yuv420p",
            "-bf", "0", "-c:a", "aac", "-movflags", "+faststart", str(out),
        ]  # fmt: skip
        run(command, check=True)
        return out.read_bytes()


def test_frames_of_a_variable_rate_step_by_their_own_times(
    page: Page, transactional_db: None, live_server: Any
) -> None:
    round_ = open_round(configurations=1, scenes=["r01-lift"], clips=[clip_of_variable_rate()])
    open_due(page, live_server, reviewers_of(round_)[0], round_)
    play_through(page)
    page.evaluate("document.querySelector('[data-video]').currentTime = 0.85")
    times = []
    for _ in range(4):
        wait_until(page, "!document.querySelector('[data-video]').seeking")
        page.keyboard.press(".")
        wait_until(page, "!document.querySelector('[data-video]').seeking")
        times.append(page.evaluate("document.querySelector('[data-video]').currentTime"))
    shown = [0.9, 1.0, 1 + 1 / 30, 1 + 2 / 30]
    assert all(0 <= at - start < 0.03 for at, start in zip(times, shown, strict=True)), times


@contextmanager
def served(port: int, environment: dict[str, str]) -> Iterator[None]:
    """Serve the test database by processes of their own, and kill them at the end as a crash
    would.
    """
    command = [
        sys.executable,
        "-m",
        "gunicorn",
        "fartbench.wsgi",
        "--bind",
        f"127.0.0.1:{port}",
        "--reuse-port",
    ]
    options = ["--threads", "4", "--log-level", "critical"]
    server = psutil.Popen([*command, *options], cwd=settings.BASE_DIR, env=environment)
    try:
        deadline = time.monotonic() + START_SECONDS
        while not answers_on(port):
            assert time.monotonic() < deadline, "the web server did not start"
            time.sleep(0.1)
        yield
    finally:
        for process in (server, *server.children()):
            process.kill()
        server.wait()


@pytest.fixture
def port() -> Iterator[int]:
    with shared_port() as found:
        yield found


def answers_on(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def test_a_server_killed_between_two_answers_loses_none(
    page: Page, round_: Round, process_environment: dict[str, str], faults: Faults, port: int
) -> None:
    rae = reviewers_of(round_)[0]
    address = f"http://127.0.0.1:{port}"
    client = Client()
    client.force_login(rae.user)
    cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": address}
    page.context.add_cookies([cookie])
    stimulus = due(rae, round_)
    with served(port, process_environment):
        page.goto(f"{address}/review/{stimulus}/")
        wait_for_clip(page)
        play_through(page)
        press(page, "y")
        expect_saved(page)
    press(page, "nu")
    expect(page.locator("[data-status]")).to_contain_text("No connection")
    assert answers_of(stimulus) == {"event": "yes"}
    with served(port, process_environment):
        expect_saved(page)
        press(page, "4")
        expect_saved(page)
        assert answers_of(stimulus) == {
            "event": "yes",
            "cause": "no",
            "detail": "unclear",
            "sound": "4",
        }
        page.goto("about:blank")
    faults.expect("ERR_CONNECTION_REFUSED", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION_RESET")


def test_two_tabs_of_one_browser_meet_in_one_sheet(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    expect_saved(page)
    other = page.context.new_page()
    other.goto(page.url)
    wait_for_clip(other)
    expect(other.locator("[data-after-gate]")).to_be_visible()
    press(other, "y")
    expect_saved(other)
    press(page, "n")
    expect(page.locator("[data-alert]")).to_contain_text("changed in another window")
    expect(page.locator("[data-question=event] input[value=yes]")).to_be_checked()
    assert answers_of(stimulus) == {"event": "yes"}
    for tab, keys in ((page, "yyy"), (other, "yyy444")):
        tab.reload()
        wait_for_clip(tab)
        tab.locator("[data-question=event] input[value=yes]").focus()
        press(tab, keys)
        expect_saved(tab)
    other.locator("[data-lock]").click()
    other.locator("[data-confirm-lock]").click()
    other.wait_for_url(lambda url: stimulus not in url)
    page.bring_to_front()
    press(page, "4")
    expect(page.get_by_text("These answers can no longer change")).to_be_visible()
    assert AnswerSheet.objects.filter(stimulus=stimulus).count() == 1
    faults.expect("409")


def test_at_200_percent_nothing_is_cut_off_and_a_sheet_can_be_locked(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    page = new_page(**ZOOMED)
    stimulus = open_due(page, live_server, rae, round_)
    play_through(page)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    cut = page.evaluate(
        """() => [...document.querySelectorAll(".option:not(.is-closed) .option__face, .question__text, main button")]
        .filter((part) => part.offsetParent && part.scrollWidth > part.clientWidth + 1).map((one) => one.textContent)"""
    )
    assert cut == []
    press(page, "yyy444")
    expect_saved(page)
    lock_by_keys(page)
    assert AnswerSheet.objects.get(stimulus=stimulus).locked_at is not None


def test_a_form_sent_without_a_script_survives_an_ended_session(
    new_page: NewPage, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    rae.user.set_password("a-long-password")
    rae.user.save()
    page = new_page(java_script_enabled=False)
    sign_in(page, live_server, rae)
    stimulus = due(rae, round_)
    page.goto(f"/review/{stimulus}/")
    given = {
        "event": "yes",
        "cause": "no",
        "detail": "unclear",
        "sound": "2",
        "timing": "3",
        "people": "5",
    }
    for question, value in given.items():
        page.locator(f"[data-question={question}] input[value='{value}']").check()
    end_sessions()
    page.get_by_role("button", name="Lock answers").click()
    page.get_by_label("E-mail address or user name").fill(rae.email)
    page.get_by_label("Password").fill("a-long-password")
    page.get_by_role("button", name="Log in").click()
    expect(page.get_by_text("Your session had ended")).to_be_visible()
    page.get_by_role("button", name="Lock answers").click()
    page.wait_for_url(lambda url: stimulus not in url)
    assert answers_of(stimulus) == given


def test_a_save_that_arrives_after_a_reload_takes_no_answer_back(
    page: Page, round_: Round, rae: Reviewer, live_server: Any, faults: Faults
) -> None:
    stimulus = open_due(page, live_server, rae, round_)
    local = {"revision": 0, "answers": {"event": "yes"}, "playback": {}, "unanswered": [{}]}
    name = f"fartbench.draft.{rae.code}.{stimulus}"
    page.evaluate("([name, draft]) => localStorage.setItem(name, draft)", [name, json.dumps(local)])
    late: list[object] = []

    def arrive_late(route: Any) -> None:
        if not late:  # the page before sent this, and was gone before it arrived
            late.append(
                save_draft(
                    reviewer=rae, stimulus_id=stimulus, revision=0, responses={}, playback={}
                )
            )
        route.continue_()

    page.route(f"**/review/{stimulus}/draft", arrive_late)
    page.reload()
    wait_for_clip(page)
    expect_saved(page)
    assert late
    faults.expect("409 (Conflict)")
    assert AnswerSheet.objects.get().responses() == {"event": Response(value="yes")}


def test_a_page_made_before_the_last_save_shows_what_was_saved(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    """A reload that overtakes a save gets the page of before, while the reply to the save is still
    taken in.
    """
    stimulus = open_due(page, live_server, rae, round_)
    before = page.goto(page.url)
    assert before
    body, headers = before.body(), before.headers
    wait_for_clip(page)
    play_through(page)
    press(page, "y")
    expect_saved(page)
    page.route(f"**/review/{stimulus}/", lambda route: route.fulfill(body=body, headers=headers))
    page.reload()
    wait_for_clip(page)
    expect(page.locator("[data-question=event] input[value=yes]")).to_be_checked()
    expect(page.locator("[data-after-gate]")).to_be_visible()
    expect_saved(page)
    assert answers_of(stimulus) == {"event": "yes"}


UNSEEN_END = """
for (const name of ["pause", "ended"]) document.addEventListener(name, (event) => event.stopPropagation(), true);
"""


def test_a_gate_once_open_stays_open_though_the_end_of_the_clip_was_never_seen(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    """The gate opens a little before a clip's end; a reviewer who answers and leaves at once need
    not play it again.
    """
    page.add_init_script(UNSEEN_END)
    open_due(page, live_server, rae, round_)
    play_through(page)
    press(page, "y")
    expect_saved(page)
    page.reload()
    wait_for_clip(page)
    expect(page.locator("[data-after-gate]")).to_be_visible()


def test_what_was_played_before_the_page_was_left_counts(
    page: Page, round_: Round, rae: Reviewer, live_server: Any
) -> None:
    """A clip that is left in the middle was still played up to there."""
    page.add_init_script(UNSEEN_END)
    open_due(page, live_server, rae, round_)
    page.keyboard.press("Space")
    wait_until(page, "document.querySelector('[data-video]').currentTime > 0.4")
    page.reload()
    wait_for_clip(page)
    expect_saved(page)
    played = AnswerSheet.objects.get(reviewer=rae).playback["covered"]
    assert played[0][0][1] > 0.4
