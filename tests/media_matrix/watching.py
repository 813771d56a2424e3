"""Looking at clips as Chromium plays them: frames by seeking, the beep by listening while they
play.
"""

import math
from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, Page

from tests.media_matrix.reading import is_white, number_of, turn_of, upright

PAGE = "http://127.0.0.1/matrix"
SCRIPT = Path(__file__).with_name("page.js").read_text()
AT_ONCE = 16
TRIES = 3
STEADY_S = 0.01
"""How far the clocks of picture and sound may drift around the beep before a clip is played once
more.
"""


@dataclass(frozen=True, slots=True)
class Watched:
    """What Chromium shows: size on a canvas, turn, the frames' numbers and flashes at the moments
    asked for, and when the beep comes (s, None when none was heard) give or take ``drift_s``;
    ``fault`` when it does not play the file.
    """

    size: tuple[int, int] = (0, 0)
    turn: str = ""
    numbers: tuple[int, ...] = ()
    flashes: tuple[bool, ...] = ()
    beep_s: float | None = None
    drift_s: float = 0.0
    fault: str = ""


def open_page(browser: Browser) -> Page:
    """Return an empty page of a secure address that may play sound; close its context in the
    end.
    """
    page = browser.new_context().new_page()
    page.route(
        PAGE,
        lambda route: route.fulfill(content_type="text/html", body="<!doctype html><title>Matrix"),
    )
    page.goto(PAGE)
    page.add_script_tag(content=SCRIPT)
    page.mouse.click(5, 5)  # a page that was touched may play sound
    return page


def watch(page: Page, clips: Sequence[tuple[Path, Sequence[float]]]) -> list[Watched]:
    """Return what Chromium shows of each clip at the moments (s) that are asked for, and when its
    beep comes.
    """
    best = [Watched(drift_s=math.inf)] * len(clips)
    for _ in range(TRIES):
        uneven = [place for place, result in enumerate(best) if result.drift_s > STEADY_S]
        for start in range(0, len(uneven), AT_ONCE):
            batch = uneven[start : start + AT_ONCE]
            for place, result in zip(
                batch, _watch_at_once(page, [clips[place] for place in batch]), strict=True
            ):
                best[place] = min(best[place], result, key=lambda one: one.drift_s)
    return best


def _watch_at_once(page: Page, clips: list[tuple[Path, Sequence[float]]]) -> list[Watched]:
    asked = [[b64encode(path.read_bytes()).decode(), list(moments)] for path, moments in clips]
    return [_read(answer) for answer in page.evaluate("clips => watchAll(clips)", asked)]


def _read(answer: dict[str, Any]) -> Watched:
    """Return what an answer of the page says."""
    width, height = answer.get("size", (0, 0))
    if not width:
        return Watched(fault=answer.get("error", "no picture"))
    frames = [
        np.frombuffer(b64decode(data), np.uint8).reshape(height, width, 4)[..., :3]
        for data in answer["frames"]
    ]
    turn = turn_of(frames[0])
    frames = [upright(frame, turn) for frame in frames]
    numbers, flashes = (
        tuple(map(number_of, frames)),
        tuple(bool(is_white(frame)) for frame in frames),
    )
    beep = answer["beep"] or {"at": None, "drift": 0.0}
    return Watched((width, height), turn, numbers, flashes, beep["at"], beep["drift"])
