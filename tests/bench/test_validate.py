"""The coverage simulation: it runs, it passes what is right, and it catches what is wrong."""

import re
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from scoring.stats.estimate import Estimate, Undefined, without_interval
from scoring.stats.intervals import wilson
from tests.bench import coverage, validate


def test_the_shares_and_scores_cover_as_expected(capsys):
    assert validate.main(["--only", "ICC 0.2", "--scale", "0.05"]) == 0
    assert validate.main(["--only", "two-way", "--scale", "0.05"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(line.endswith("ok") for line in lines)


def test_every_line_can_be_simulated():
    for check in validate.checks():
        held = check.simulate(np.random.default_rng(1))
        assert np.isnan(held) or 0 <= held <= 1, check.name


def test_an_interval_that_covers_too_rarely_or_too_often_is_caught():
    def half(random):
        return float(random.random() < 0.5)

    assert not validate.run(validate.Check("too short", 0.95, half, 200), 1)[1]
    assert not validate.run(validate.Check("too long", 0.80, lambda _: 1.0, 200), 1)[1]
    assert validate.run(
        validate.Check("long is fine", 0.80, lambda _: 1.0, 200, more_is_fine=True), 1
    )[1]


def test_a_missing_interval_covers_nothing():
    assert validate.covers(wilson(19, 25), 0.7) == 1
    assert validate.covers(wilson(19, 25), 0.5) == 0
    assert validate.covers(Undefined("none"), 0.5) == 0
    assert validate.covers(without_interval(0.5, 3, "none"), 0.5) == 0


FAR = [check for check in validate.checks() if not check.is_near]


@pytest.mark.parametrize("check", FAR, ids=lambda check: check.name)
def test_a_page_says_in_words_where_its_intervals_are_far_from_95_per_cent(check):
    assert check.flag
    text = (Path(settings.BASE_DIR) / check.page).read_text(encoding="utf-8")
    assert check.flag in " ".join(re.sub(r"{%.*?%}", "", text).split())


def test_an_interval_with_a_warning_is_not_counted_as_one_that_is_shown_without():
    assert np.isnan(coverage.covers_if_shown(Estimate(0.5, 0.4, 0.6, 9, "x", "few answers"), 0.5))
    assert coverage.covers_if_shown(Estimate(0.5, 0.4, 0.6, 9, "x"), 0.5) == 1
    off, _ = coverage.run(coverage.Check("all flagged", 0.95, lambda _: float("nan"), 20), 1)
    assert "no interval" in off
