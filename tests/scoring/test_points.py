"""Points that add up over scenes: intervals that are never missing, and chances of being ahead."""

import numpy as np
import pytest
from scipy import stats

from scoring.stats.estimate import Undefined
from scoring.stats.intervals import wilson
from scoring.stats.points import dispersion_of, points_ahead, total_points

# Six configurations of Core R01 at one clip per scene: 4 scenes of 0, 1 or 2 points.
ONE_CLIP = np.array(
    [[2, 2, 2, 2], [2, 2, 2, 2], [2, 1, 2, 2], [2, 0, 1, 2], [1, 1, 0, 2], [0, 1, 0, 0]]
)


def rows_of(table):
    return [[np.atleast_1d(scene) for scene in row] for row in np.asarray(table)]


def two_proportion_chance(shares, answers, freedom):
    """The score test of two shares of points (quasi-binomial), written out."""
    pooled = (shares[0] * answers[0] + shares[1] * answers[1]) / sum(answers)
    error = np.sqrt(pooled * (1 - pooled) * (1 / answers[0] + 1 / answers[1]))
    return stats.t.cdf((shares[0] - shares[1]) / error, freedom)


def test_the_dispersion_is_the_residual_over_the_binomial_variance():
    table = ONE_CLIP.astype(float)
    residual = table - table.mean(1, keepdims=True) - table.mean(0) + table.mean()
    variance = (residual**2).sum() / 15
    shares = (table.sum(1) + 0.5) / 9
    found = dispersion_of(rows_of(ONE_CLIP), 2)
    assert found.freedom == 15
    assert found.factor == pytest.approx(variance / np.mean(2 * shares * (1 - shares)))
    assert found.variance == pytest.approx(variance)


def test_full_points_and_no_points_have_an_interval():
    """Wilson's limits at n = 8 answers over the dispersion, with t at 15 degrees of freedom: 2.131
    in tables.
    """
    found = total_points(rows_of(ONE_CLIP), 2)
    dispersion = dispersion_of(rows_of(ONE_CLIP), 2).factor
    answers = 8 / dispersion
    for estimate in found[:2]:
        assert (estimate.value, estimate.high, estimate.n) == (8, 8, 4)
        assert estimate.low == pytest.approx(8 * answers / (answers + 2.131450**2), abs=1e-5)
    nothing = total_points([*rows_of(ONE_CLIP), rows_of([[0, 0, 0, 0]])[0]], 2)[-1]
    assert (nothing.value, nothing.low) == (0, 0)
    assert 1 < nothing.high < 5


@pytest.mark.parametrize("replicates", [2, 3, 5])
def test_replicates_that_are_all_right_have_an_interval_that_narrows(replicates):
    rand = np.random.default_rng(5)
    table = rand.integers(0, 3, (6, 4, replicates))
    table[0] = 2
    more = np.concatenate([table, table], axis=2)
    one, other = total_points(list(table), 2)[0], total_points(list(more), 2)[0]
    assert one.high == other.high == 8
    assert 0 < one.low < other.low < 8


def test_one_configuration_alone_has_the_widest_interval_there_may_be():
    found = total_points(rows_of([[2, 1, 2, 0]]), 2)[0]
    plain = wilson(5, 8)
    assert found.low < 8 * plain.low
    assert found.high > 8 * plain.high
    assert found.method == "quasi-binomial Wilson, dispersion 2.00, the largest possible"
    # Points that come all or none are as 4 answers: Wilson's limits of 2.5 of 4 by hand.
    z = 1.959963984540054
    middle = (0.625 + z * z / 8) / (1 + z * z / 4)
    half = z / (1 + z * z / 4) * np.sqrt(0.625 * 0.375 / 4 + z * z / 64)
    expected = (8 * (middle - half), 8 * (middle + half))
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-5)


def test_a_clip_that_is_missing_is_no_zero_and_changes_nobodys_points():
    gap = [list(row) for row in rows_of(ONE_CLIP)]
    gap[5][0] = np.array([])
    found = total_points(gap, 2)
    assert (found[5].value, found[5].low, found[5].n) == (1, None, 3)
    assert found[5].note == "a scene has no clip that could be counted"
    assert dispersion_of(gap, 2).freedom == 14
    assert total_points([[np.array([])] * 4], 2) == [Undefined("no clip could be counted")]


def test_the_chance_of_being_ahead_is_one_less_the_p_value_of_the_score_test():
    rows, dispersion = rows_of(ONE_CLIP), dispersion_of(rows_of(ONE_CLIP), 2)
    ahead = points_ahead(rows, 2)
    assert np.allclose(ahead + ahead.T, 1)
    assert ahead[0, 1] == 0.5
    answers = [8 / dispersion.factor] * 2
    for one, other in ((0, 3), (3, 5), (4, 2)):
        shares = ONE_CLIP[[one, other]].sum(1) / 8
        expected = two_proportion_chance(shares, answers, dispersion.freedom)
        assert ahead[one, other] == pytest.approx(expected, abs=1e-12)


def test_equal_configurations_are_called_separated_as_rarely_as_promised():
    """400 rounds of six equal ones with two replicates each; nominal are 5 of 100 pairs."""
    separated = []
    for number in range(400):
        random = np.random.RandomState(number)
        chance = np.repeat(random.uniform(0.2, 0.9, (1, 4, 1)), 6, axis=0)
        table = (random.uniform(size=(6, 4, 2)) < chance).astype(int)
        table += (random.uniform(size=(6, 4, 2)) < chance) * table
        ahead = points_ahead(list(table), 2)[np.triu_indices(6, 1)]
        separated.append(np.mean((ahead < 0.025) | (ahead > 0.975)))
    assert 0.03 < np.mean(separated) < 0.065
