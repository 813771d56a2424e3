"""The rules in the browser are those of the server: every combination of answers of every core-r01
scene.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest
from playwright.sync_api import Page

from fartbench.protocol import Form, Response, form_for, load_protocol
from review.browser import browser_rules
from tests.factories import CORE_R01

SCENES = ("r01-lift", "r01-squat", "r01-chair", "r01-toast")

# Runs rules.js over the same combinations in the same order; gives one digit each for "may be
# locked" and the count of answers that stay when what is not permitted is cleared.
COMPARE = """async ({ rules, universe }) => {
  const { isLockable, permitted } = await import("/static/js/review/rules.js");
  const keys = rules.questions.map(({ key }) => key);
  let lockable = "", kept = "";
  const walk = (answers, depth) => {
    if (depth === keys.length) {
      lockable += isLockable(rules, answers) ? "1" : "0";
      kept += Object.keys(permitted(rules, answers)).length;
      return;
    }
    for (const answer of universe[keys[depth]]) walk({ ...answers, [keys[depth]]: answer }, depth + 1);
  };
  walk({}, 0);
  return [lockable, kept];
}"""


def universe(form: Form) -> dict[str, list[str]]:
    """Each question's values and one N/A: its own reason, or any where the scene gives it none."""
    found = {}
    for key in form.keys:
        own = [answer.na_reason for answer, _ in form.na_options(key)]
        found[key] = [
            *(option.value for option in form.options(key)),
            f"na:{own[0] if own else 'no_event'}",
        ]
    return found


def combinations(answers: dict[str, list[str]]) -> Iterator[dict[str, Response]]:
    parsed = {key: [Response.parse(text) for text in texts] for key, texts in answers.items()}
    for values in product(*parsed.values()):
        yield dict(zip(parsed, values, strict=True))


@pytest.mark.parametrize("scene", SCENES)
def test_all_13824_combinations_agree(page: Page, scene: str) -> None:
    form = form_for(load_protocol(CORE_R01).protocol, scene)
    answers = universe(form)
    page.goto("/login/")
    lockable, kept = page.evaluate(COMPARE, {"rules": browser_rules(form), "universe": answers})
    expected = ["1" if not form.violations(each) else "0" for each in combinations(answers)]
    assert len(lockable) == len(expected) == 13_824
    assert lockable == "".join(expected)
    assert (
        lockable.count("1")
        == {"r01-lift": 6156, "r01-toast": 6156, "r01-squat": 5292, "r01-chair": 5292}[scene]
    )
    assert kept == "".join(str(len(form.permitted(each))) for each in combinations(answers))


def test_unknown_questions_reasons_and_missing_answers_are_not_lockable(page: Page) -> None:
    form = form_for(load_protocol(CORE_R01).protocol, "r01-lift")
    right = {
        "event": "no",
        "cause": "na:no_event",
        "detail": "no",
        "sound": "na:no_sound",
        "timing": "1",
        "people": "5",
    }
    wrong: list[dict[str, Any]] = [
        {key: value for key, value in right.items() if key != "timing"},
        right | {"cause": "na:no_sound"},
        right | {"sound": "6"},
        right | {"colour": "yes"},
        right | {"event": "na:no_event"},
    ]
    page.goto("/login/")
    verdicts = page.evaluate(
        """async ([rules, sheets]) => {
          const { isLockable } = await import("/static/js/review/rules.js");
          return sheets.map((sheet) => isLockable(rules, sheet));
        }""",
        [browser_rules(form), [right, *wrong]],
    )
    assert verdicts == [True, False, False, False, False, False]


def test_played_ranges_are_counted_as_the_server_counts_them(page: Page) -> None:
    """Seeking, overlaps and a second pass: coverage.js builds levels that review.playback measures
    the same way.
    """
    from review.playback import is_played  # noqa: PLC0415 - beside what it is compared with

    passes = [
        [[0, 8]],
        [[0, 7.8]],
        [[0, 7.9]],
        [[0, 4], [3.9, 8]],
        [[0, 2], [6, 8], [2, 6]],
        [[0, 2], [6, 8]],
        [[0, 8], [0, 8]],
        [[0, 8], [0, 4], [4, 8]],
        [[0, 8], [0, 4], [5, 8]],
        [[n / 10, n / 10 + 0.1] for n in range(80)],
        [[7, 8], [0, 7], [1, 2], [0, 8]],
    ]
    page.goto("/login/")
    for plays in (1, 2):
        asked = {"fullPlays": plays, "fraction": 0.98}
        found = page.evaluate(
            """async ([passes, asked]) => {
              const { addPlayed, isPlayed } = await import("/static/js/review/coverage.js");
              return passes.map((ranges) => {
                const levels = ranges.reduce((found, range) => addPlayed(found, range, asked.fullPlays), []);
                return [levels, isPlayed(levels, 8, asked)];
              });
            }""",
            [passes, asked],
        )
        server = [
            is_played({"covered": levels}, duration=8, full_plays=plays, fraction=0.98)
            for levels, _ in found
        ]
        assert [verdict for _, verdict in found] == server
        once = [True, False, True, True, True, False, True, True, True, True, True]
        twice = [False, False, False, False, False, False, True, True, False, False, True]
        assert server == (once if plays == 1 else twice)
