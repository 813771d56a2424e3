"""Scores over replicates, rank sets and chances of being ahead."""

from itertools import pairwise

import numpy as np
import pytest
from scipy import stats

from scoring.stats.estimate import Undefined
from scoring.stats.ranksets import RankSet, largest_difference, probability_ahead, rank_sets
from scoring.stats.replicates import (
    means_of_replicates,
    resample_within_scenes,
    studentised_interval,
    within_scene_t,
)
from tests.scoring.vectors import load_vector

VECTOR = load_vector("within_scene_bootstrap")


@pytest.fixture(scope="module")
def pilot():
    """25 configurations x 8 scenes x 3 replicates, resampled."""
    return [
        resample_within_scenes(scores, seed=number) for number, scores in enumerate(VECTOR["Y"])
    ]


def test_studentised_intervals_of_the_pilot(pilot):
    found = [studentised_interval(each, bounds=(0, 100)) for each in pilot]
    assert [each.value for each in found] == pytest.approx(VECTOR["est"])
    assert [each.low for each in found] == pytest.approx(VECTOR["lo"], abs=VECTOR["mc_tolerance"])
    assert [each.high for each in found] == pytest.approx(VECTOR["hi"], abs=VECTOR["mc_tolerance"])
    assert {each.n for each in found} == {24}
    assert found[0].method == "studentised bootstrap within scenes, 10000 draws"


def test_t_intervals_of_the_pilot(pilot):
    found = [within_scene_t(each, bounds=(0, 100)) for each in pilot]
    assert [each.low for each in found] == pytest.approx(VECTOR["t_pooled"][0], abs=1e-9)
    assert [each.high for each in found] == pytest.approx(VECTOR["t_pooled"][1], abs=1e-9)
    assert found[0].method == "t within scenes, 16 degrees of freedom"


def test_the_seed_decides_the_draws():
    scores = VECTOR["Y"][3]
    first, again = (resample_within_scenes(scores, seed=7, draws=500) for _ in range(2))
    assert studentised_interval(first) == studentised_interval(again)
    assert studentised_interval(first) != studentised_interval(
        resample_within_scenes(scores, seed=8, draws=500)
    )


def test_draws_vary_as_the_clips_of_a_scene_do_and_noise_without_bias():
    scores = VECTOR["Y"][0]
    found = resample_within_scenes(scores, seed=1, draws=40_000)
    assert found.draws.std() == pytest.approx(found.error * np.sqrt(2 / 3), rel=0.02)
    assert found.noise.std() == pytest.approx(found.error, rel=0.02)


def test_scenes_with_unequal_replicates_count_equally():
    scenes = [[10, 20, 30], [40, 44], [70, 72, 74, 76]]
    found = resample_within_scenes(scenes, seed=1, draws=2000)
    assert found.value == pytest.approx((20 + 42 + 73) / 3)
    assert found.error == pytest.approx(np.sqrt(100 / 3 + 8 / 2 + (20 / 3) / 4) / 3)
    assert (found.n, found.freedom) == (9, 6)


def test_a_scene_with_one_clip_borrows_the_pooled_variance():
    found = resample_within_scenes([[10, 20, 30], [50, 60, 70], [40]], seed=1, draws=20_000)
    assert found.error == pytest.approx(np.sqrt(100 / 3 + 100 / 3 + 100) / 3)
    assert found.draws.std() == pytest.approx(np.sqrt(200 / 9 + 200 / 9 + 100) / 3, rel=0.03)
    interval = studentised_interval(found, bounds=(0, 100))
    assert interval.low < found.value - found.error
    assert interval.high > found.value + found.error


def test_one_clip_per_scene_is_undefined_and_an_empty_scene_an_error():
    assert resample_within_scenes([[1], [2], [3]], seed=1) == Undefined("no scene has two clips", 3)
    assert resample_within_scenes([], seed=1) == Undefined("no scene has a clip", 0)
    with pytest.raises(ValueError, match="without a clip"):
        resample_within_scenes([[1, 2], []], seed=1)


def test_no_variation_has_a_value_but_no_interval():
    found = resample_within_scenes([[2, 2, 2], [1, 1, 1]], seed=1, draws=100)
    for interval in (studentised_interval(found), within_scene_t(found)):
        assert (interval.value, interval.low, interval.high) == (1.5, None, None)
        assert interval.note == "no variation between replicates in any scene"


def test_too_few_different_scores_fall_back_to_t():
    found = resample_within_scenes([[2, 2, 2], [2, 1, 2], [0, 0, 0], [2, 2, 2]], seed=1)
    interval = studentised_interval(found, bounds=(0, 2))
    assert interval == within_scene_t(found, bounds=(0, 2))
    assert interval.method == "t within scenes, 8 degrees of freedom"


def test_rank_sets_tell_apart_what_is_far_apart_and_nothing_else():
    rand = np.random.default_rng(4)
    levels = [90, 90, 50, 10]
    groups = [
        resample_within_scenes(level + rand.normal(0, 3, (8, 3)), seed=number, draws=2000)
        for number, level in enumerate(levels)
    ]
    assert [(each.low, each.high) for each in rank_sets(groups)] == [(1, 2), (1, 2), (3, 3), (4, 4)]
    ahead = probability_ahead(groups)
    assert ahead[0, 2] > 0.999
    assert ahead[2, 3] > 0.999
    assert 0.025 < ahead[0, 1] < 0.975


def test_rank_sets_of_the_pilot_hold_the_rank_by_score_and_follow_it(pilot):
    sets = rank_sets(pilot)
    by_score = stats.rankdata([-each.value for each in pilot], method="min")
    assert all(each.low <= rank <= each.high for each, rank in zip(sets, by_score, strict=True))
    assert 3.3 < largest_difference(pilot) < 6
    best, worst = sets[int(np.argmin(by_score))], sets[int(np.argmax(by_score))]
    assert best.low == 1
    assert worst.high == 25
    assert best.high < 25
    assert worst.low > 1


def test_chances_of_being_ahead_add_up_and_follow_the_scores(pilot):
    ahead = probability_ahead(pilot)
    assert ahead.shape == (25, 25)
    assert np.allclose(ahead + ahead.T, 1)
    assert np.allclose(np.diag(ahead), 0.5)
    order = np.argsort([each.value for each in pilot])
    assert all(ahead[high, low] >= 0.5 for low, high in pairwise(order))


def test_the_chance_of_being_ahead_is_one_less_the_p_value_of_welch():
    rand = np.random.default_rng(11)
    one, other = rand.normal(50, 8, 5), rand.normal(53, 3, 4)
    resampled = [resample_within_scenes([scores], seed=1) for scores in (one, other)]
    p_value = stats.ttest_ind(one, other, equal_var=False, alternative="greater").pvalue
    assert probability_ahead(resampled)[0, 1] == pytest.approx(1 - p_value, abs=1e-12)


def test_ties_are_half_ahead_and_a_pair_without_variation_is_never_told_apart():
    fixed = [resample_within_scenes([[level] * 3] * 4, seed=1, draws=50) for level in (5, 5, 9)]
    assert probability_ahead(fixed)[0].tolist() == [0.5, 0.5, 0.5]
    assert rank_sets(fixed) == [RankSet(1, 3, 3)] * 3


def test_one_configuration_has_rank_one():
    alone = resample_within_scenes(VECTOR["Y"][0], seed=1, draws=50)
    assert rank_sets([alone]) == [RankSet(1, 1, 1)]
    assert probability_ahead([alone]).tolist() == [[0.5]]
    assert rank_sets([]) == []


def test_means_of_replicates_have_the_residual_of_the_analysis_of_variance():
    """The residual mean square is scipy's: of `f_oneway`, between groups over F."""
    rows = [[61.0, 70, 66], [80.0, 77, 90, 85], [20.0, 31]]
    found = means_of_replicates(rows, bounds=(0, 100))
    every = np.concatenate(rows)
    between = sum(len(row) * (np.mean(row) - every.mean()) ** 2 for row in rows) / 2
    residual = between / stats.f_oneway(*rows).statistic
    for one, row in zip(found, rows, strict=True):
        reach = stats.t.ppf(0.975, 6) * np.sqrt(residual / len(row))
        assert (one.value, one.n) == (pytest.approx(np.mean(row)), len(row))
        assert (one.low, one.high) == pytest.approx((one.value - reach, one.value + reach))
    assert found[0].method == "t with the variance of replicates pooled, 6 degrees of freedom"


def test_a_single_replicate_borrows_the_variance_of_the_others_and_a_missing_one_has_no_mean():
    one, other, none = (
        means_of_replicates([[50.0], [40.0, 44]], bounds=(0, 100))
        + (means_of_replicates([[], [40.0, 44]])[:1])
    )
    assert one.high - one.low == pytest.approx(2**0.5 * (other.high - other.low))
    assert none.reason == "no clip is scored"


def test_replicates_without_variation_or_without_a_second_clip_have_no_interval():
    alike = means_of_replicates([[50.0, 50], [40.0, 40]])
    assert [one.note for one in alike] == ["no variation between replicates"] * 2
    single = means_of_replicates([[50.0], [40.0]])
    assert [one.note for one in single] == ["no configuration has two clips of it"] * 2
