"""One rollout along its time, as SVG: where chunks meet, where prompts arrive, what was marked.

No Django here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import floor, log10
from typing import Any

import svg

from fartbench.numbers import number_text
from scoring.release.drawing import WIDTH, document, hint, text

STYLE = """
.loss { stroke: var(--mark); stroke-width: 2 }
.bad { stroke: var(--bad); stroke-width: 3 }
.badtext { fill: var(--bad); font-size: 12px }
.prompt { stroke: currentColor; stroke-dasharray: 4 3 }
.flag { fill: var(--bad) }
svg { --bad: #a3261c }
@media (prefers-color-scheme: dark) { svg { --bad: #f5a59c } }
"""
LEFT, RIGHT = 96, WIDTH - 12
TOP, LANE = 44, 120
FLAGS = TOP + LANE + 44
HEIGHT = FLAGS + 62
ALARMING = 90.0
TICK_ROOM = 20
FEWEST_STEPS, MOST_STEPS = 2, 8


def timeline_plot(title: str, rollout: Mapping[str, Any]) -> str:
    """Draw a rollout: at each boundary the points of continuity that are lost there, prompts, and
    marks in the sound.

    ``rollout`` is its page document (`scoring.release.rollouts.pages`): ``seconds``, ``windows``,
    ``prompts`` and ``flags``.
    """
    seconds = rollout["seconds"]
    elements: list[svg.Element] = [text(0, 16, title, "title"), *_axis(seconds)]
    for window in rollout["windows"]:
        elements += _boundary(window, seconds)
    for window in rollout["worst"]:
        if window["score"] < ALARMING:
            x = _x(window["at_s"], seconds)
            anchor = "end" if x > WIDTH / 2 else "start"
            y = min(_depth(window["score"]) + 14, TOP + LANE - 4)
            elements.append(
                text(
                    x + (-5 if anchor == "end" else 5),
                    y,
                    number_text(window["score"], ".0f"),
                    "badtext",
                    anchor,
                )
            )
    for prompt in rollout["prompts"]:
        elements += _prompt(prompt, seconds)
    for flag in rollout["flags"]:
        x = _x(flag["at_s"], seconds)
        words = hint(
            f"{flag['kind']} at {flag['at_s']:.2f} s ({number_text(flag['amount'], '.2f')})"
        )
        elements.append(svg.Circle(cx=x, cy=FLAGS + 14, r=4, class_=["flag"], elements=[words]))
    if not rollout["flags"]:
        elements.append(text(LEFT, FLAGS + 18, "no marks", "soft"))
    if not rollout["windows"]:
        elements.append(text(LEFT + 8, TOP + LANE / 2, rollout["why_no_windows"], "soft"))
    return document(title, HEIGHT, elements, style=STYLE)


def _x(at_s: float, seconds: float) -> float:
    return round(LEFT + (RIGHT - LEFT) * at_s / seconds, 1)


def _depth(score: float) -> float:
    return round(TOP + LANE * (100 - score) / 100, 1)


def _axis(seconds: float) -> Iterator[svg.Element]:
    for score in (100, 50, 0):
        y = _depth(score)
        yield svg.Line(x1=LEFT, x2=RIGHT, y1=y, y2=y, class_=["grid"])
        yield text(LEFT - 8, y + 4, str(score), "soft", anchor="end")
    yield text(0, TOP + LANE / 2 - 8, "Boundaries", "soft")
    yield text(0, TOP + LANE / 2 + 22, "lost points", "soft")
    yield text(0, TOP + LANE + 28, "Prompts", "soft")
    yield text(0, FLAGS + 18, "Sound", "soft")
    for at in ticks(seconds):
        x = _x(at, seconds)
        yield svg.Line(x1=x, x2=x, y1=HEIGHT - 28, y2=HEIGHT - 22, class_=["grid"])
        anchor = None if at == 0 else "end" if x > RIGHT - TICK_ROOM else "middle"
        yield text(x, HEIGHT - 8, f"{at:g} s", "soft", anchor=anchor)


def ticks(seconds: float) -> list[float]:
    """Return the moments (s) that the axis of a rollout names: from 3 to 9 of them, for any
    length.
    """
    exponent = 10.0 ** floor(log10(seconds))
    steps = (30.0, *(exponent * factor for factor in (0.2, 0.25, 0.5, 1.0, 2.0)))
    step = next(step for step in steps if FEWEST_STEPS <= seconds / step <= MOST_STEPS)
    return [round(number * step, 6) for number in range(int(seconds / step) + 1)]


def _boundary(window: Mapping[str, Any], seconds: float) -> Iterator[svg.Element]:
    x, css = _x(window["at_s"], seconds), "bad" if window["score"] < ALARMING else "loss"
    words = hint(
        f"{window['at_s']:.2f} s: {number_text(window['score'], '.1f')}; {components(window)}"
    )
    yield svg.Line(
        x1=x, x2=x, y1=TOP, y2=max(_depth(window["score"]), TOP + 1), class_=[css], elements=[words]
    )


def _prompt(prompt: Mapping[str, Any], seconds: float) -> Iterator[svg.Element]:
    x = _x(prompt["at_s"], seconds)
    found = prompt["signal"]
    words = f"{prompt['place']} at {prompt['at_s']:g} s" + (
        "" if found is None else f": picture's part {number_text(found, '.2f')}"
    )
    yield svg.Line(
        x1=x, x2=x, y1=TOP, y2=TOP + LANE + 16, class_=["prompt"], elements=[hint(words)]
    )
    label = prompt["place"] + ("" if found is None else f" {number_text(found, '.2f')}")
    yield text(x, TOP + LANE + 30, label, anchor="middle")


def components(window: Mapping[str, Any]) -> str:
    """Say what a window's score came from."""
    return (
        f"black {window['black']:.0%}, repeated {window['repeated']:.0%}, frozen "
        f"{window['frozen_s']:.2f} s, "
        f"flashes {window['flashes']}"
    )
