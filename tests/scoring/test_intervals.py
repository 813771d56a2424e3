"""Intervals: known values, a second route for each, and what they say when there is nothing to
estimate.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from scoring.stats.estimate import Estimate, Undefined, derived_seed
from scoring.stats.intervals import (
    clustered_wilson,
    jackknife_interval,
    pooled_two_way,
    wilson,
)
from tests.scoring.vectors import load_vector


@pytest.mark.parametrize(("share", "limits"), load_vector("wilson")["limits"].items())
def test_wilson_values(share, limits):
    successes, n = map(int, share.split("/"))
    found = wilson(successes, n)
    assert (found.low, found.high) == pytest.approx(limits, abs=1e-12)
    assert (found.value, found.n) == (successes / n, n)


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_the_interval_of_scipy_and_stays_within_0_and_1(share):
    successes, n = share
    found = wilson(successes, n)
    expected = stats.binomtest(successes, n).proportion_ci(method="wilson")
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert 0 <= found.low <= found.value <= found.high <= 1


def test_the_smallest_shares_that_meet_a_threshold_with_confidence():
    assert wilson(23, 25).low > 0.75 > wilson(22, 25).low > 0.70 > wilson(21, 25).low
    assert wilson(79, 100).low > 0.70 > wilson(78, 100).low


def test_a_share_of_nothing_is_undefined_and_an_impossible_one_an_error():
    assert wilson(0, 0) == Undefined("nothing was counted")
    with pytest.raises(ValueError, match="5 successes of 4"):
        wilson(5, 4)


def test_clusters_that_agree_within_themselves_count_as_one_each():
    """Four equal answers per configuration carry one answer's worth: deff is 4 x 25 / 24, and z is
    t.
    """
    hits = np.repeat([1] * 19 + [0] * 6, 4)
    found = clustered_wilson(hits, np.repeat(np.arange(25), 4))
    t, n = stats.t.ppf(0.975, 24), 24.0
    middle, spread = (0.76 + t * t / (2 * n)) / (1 + t * t / n), t / (1 + t * t / n)
    half = spread * np.sqrt(0.76 * 0.24 / n + t * t / (4 * n * n))
    assert (found.low, found.high) == pytest.approx((middle - half, middle + half), abs=1e-12)
    assert found.n == 100


def test_clusters_never_make_an_interval_shorter_than_independent_clips_do():
    balanced = np.tile([1, 1, 1, 0], 25)
    found = clustered_wilson(balanced, np.repeat(np.arange(25), 4))
    plain = wilson(75, 100)
    assert found.low < plain.low
    assert found.high > plain.high
    assert found.high - found.low == pytest.approx(
        (plain.high - plain.low) * stats.t.ppf(0.975, 24) / 1.96, rel=0.02
    )


def test_one_clip_per_cluster_is_plain_wilson():
    hits = [1] * 19 + [0] * 6
    assert clustered_wilson(hits, [f"c{number}" for number in range(25)]) == wilson(19, 25)


def test_clustered_shares_at_the_edges():
    assert clustered_wilson([], []) == Undefined("nothing was counted")
    one = clustered_wilson([1, 0, 1], ["a", "a", "a"])
    assert (one.value, one.low, one.note) == (2 / 3, None, "all are from one configuration")
    sure = clustered_wilson([1] * 8, np.repeat([1, 2], 4))
    assert sure.value == sure.high == 1.0
    assert 0 < sure.low < 1
    with pytest.raises(ValueError, match="do not match"):
        clustered_wilson([1, 0], ["a"])


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=30))
def test_the_jackknife_of_a_mean_is_its_t_interval(values):
    data = np.array(values)
    left_out = (data.sum() - data) / (data.size - 1)
    found = jackknife_interval(float(data.mean()), left_out, data.size)
    if found.low is None:
        assert data.std() < 1e-9
        return
    reach = stats.t.ppf(0.975, data.size - 1) * stats.sem(data)
    assert (found.low, found.high) == pytest.approx(
        (data.mean() - reach, data.mean() + reach), abs=1e-7
    )


def test_the_jackknife_says_why_it_has_no_interval_and_cuts_at_the_bounds():
    assert (
        jackknife_interval(0.5, [0.5], 4).note
        == "an interval needs clips of at least two configurations"
    )
    assert (
        jackknife_interval(0.5, [0.5, np.nan], 4).note
        == "without one of the configurations the statistic is undefined"
    )
    assert jackknife_interval(0.1, [0.1, 0.1, 0.1 + 1e-17], 4).note.startswith("no variation")
    cut = jackknife_interval(0.9, [-0.5, 0.9, 1.0], 4, bounds=(-1, 1))
    assert (cut.low, cut.high) == (-1.0, 1.0)


def literal_two_way(table):
    """Residual variance and degrees of freedom by a dense least squares fit of row and column
    dummies.
    """
    rows, columns = np.where(~np.isnan(table))
    design = np.zeros((rows.size, sum(table.shape)))
    design[np.arange(rows.size), rows] = 1
    design[np.arange(rows.size), table.shape[0] + columns] = 1
    fit, _, rank, _ = np.linalg.lstsq(design, table[rows, columns], rcond=None)
    freedom = rows.size - rank
    return float(((table[rows, columns] - design @ fit) ** 2).sum()) / max(freedom, 1), freedom


@settings(max_examples=40, deadline=None)
@given(st.integers(4, 12), st.integers(2, 6), st.integers(0, 9), st.integers(0, 2**31))
def test_the_two_way_interval_equals_a_dense_fit_with_gaps(configurations, scenes, gaps, seed):
    rand = np.random.default_rng(seed)
    table = rand.normal(50, 12, (configurations, scenes))
    table[rand.integers(0, configurations, gaps), rand.integers(0, scenes, gaps)] = np.nan
    table[:, 0] = np.nan_to_num(table[:, 0], nan=40.0)
    table[0] = np.nan_to_num(table[0], nan=45.0)
    variance, freedom = literal_two_way(table)
    assume(freedom > 0)  # so many gaps that the fit is exact leave no variance to compare
    for row, found in zip(table, pooled_two_way(table), strict=True):
        known = row[~np.isnan(row)]
        reach = stats.t.ppf(0.975, freedom) * np.sqrt(variance / known.size)
        assert found.value == pytest.approx(known.mean())
        assert (found.low, found.high) == pytest.approx(
            (known.mean() - reach, known.mean() + reach)
        )
        assert found.n == known.size


def test_the_factual_score_is_a_total_cut_to_its_range():
    points = np.array([[2, 2, 2, 2], [0, 0, 0, 0], [2, 1, 0, 1], [1, 1, 2, 0], [2, 0, 0, 2]])
    found = pooled_two_way(points, total=True, bounds=(0, 8))
    assert [each.value for each in found] == [8, 0, 4, 4, 4]
    variance, freedom = literal_two_way(points.astype(float))
    reach = stats.t.ppf(0.975, freedom) * np.sqrt(4 * variance)
    assert (found[2].low, found[2].high) == pytest.approx((4 - reach, 4 + reach))
    assert found[0].high == 8.0
    assert found[1].low == 0.0
    assert found[0].method == "two-way pooled t, 12 degrees of freedom"


def test_the_two_way_interval_says_when_it_is_not_estimable():
    three = pooled_two_way([[1, 2], [2, 2], [0, 1]])
    assert [each.note for each in three] == [
        "3 configurations; a pooled interval needs at least 4"
    ] * 3
    equal = pooled_two_way([[1, 2]] * 5)
    assert {each.note for each in equal} == {
        "no variation beyond the levels of scenes and configurations"
    }
    single = pooled_two_way([[1], [2], [2], [0]])
    assert {each.note for each in single} == {
        "one scene only: nothing to estimate the variation from"
    }
    assert [each.value for each in single] == [1, 2, 2, 0]
    gap = pooled_two_way([[np.nan, np.nan], [1, 2], [2, 2], [0, 1], [2, 1]])
    assert gap[0] == Undefined("no scene has a value")
    assert gap[1].low is not None
    with pytest.raises(ValueError, match="value in every scene"):
        pooled_two_way([[1, np.nan], [1, 2]], total=True)


def test_thirds_that_are_additive_leave_no_residual_but_rounding():
    table = [[row / 3 + column / 7 for column in range(4)] for row in range(6)]
    assert pooled_two_way(table)[0].low is None


def test_an_estimate_has_both_limits_or_a_reason():
    with pytest.raises(ValueError, match="both limits"):
        Estimate(1.0, 0.0, None, 3, "x")
    with pytest.raises(ValueError, match="both limits"):
        Estimate(1.0, None, None, 3, "x")


@pytest.mark.parametrize("high", [2.0, 2.0 + 1e-12])
def test_an_interval_of_no_width_is_not_estimable(high):
    found = Estimate(2.0, 2.0, high, 9, "some method")
    assert (found.low, found.high, found.method) == (None, None, "not estimable")
    assert found.note == "no variation: both limits are the value itself"


def test_seeds_are_told_apart_by_every_word():
    seeds = {
        derived_seed("round", "alpha", "event"),
        derived_seed("round", "alpha", "cause"),
        derived_seed("r", "alpha"),
    }
    assert len(seeds) == 3
    assert all(0 <= seed < 2**32 for seed in seeds)
