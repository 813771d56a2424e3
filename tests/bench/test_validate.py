"""The coverage simulation: it runs, it passes what is right, and it catches what is wrong."""

import numpy as np

from scoring.stats.estimate import Undefined, without_interval
from scoring.stats.intervals import wilson
from tests.bench import validate


def test_the_shares_and_scores_cover_as_expected(capsys):
    assert validate.main(["--only", "ICC 0.2", "--scale", "0.05"]) == 0
    assert validate.main(["--only", "two-way", "--scale", "0.05"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 4
    assert all(line.endswith("ok") for line in lines)


def test_every_line_can_be_simulated():
    for check in validate.checks():
        held = check.simulate(np.random.default_rng(1))
        assert 0 <= held <= 1, check.name


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
