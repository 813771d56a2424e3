"""Which configurations differ when all pairs are looked at, and what each scene tells."""

import numpy as np
import pytest
from scipy import stats

from scoring.reports.ranking import ranking_report
from scoring.scores.standings import results_of
from scoring.stats.items import items
from scoring.stats.pairwise import holm_adjusted, holm_matrix, tiers, two_sided
from scoring.stats.ranksets import Difference, tukey_difference
from tests.scoring.record_factory import SCENES, make_record

NO = {"event": ["no"] * 4}


def test_holm_adjusts_as_r_does():
    """`p.adjust(c(.01, .02, .03, .04, .05), "holm")` of R 4.2, in any order."""
    p = np.array([0.03, 0.01, 0.05, 0.02, 0.04])
    assert holm_adjusted(p) == pytest.approx([0.09, 0.05, 0.09, 0.08, 0.09])
    assert holm_adjusted(np.array([0.4, 0.9])) == pytest.approx([0.8, 0.9])


def test_the_matrix_of_adjusted_p_is_symmetric_and_counts_each_pair_once():
    chance = np.array([[0.5, 0.995, 0.999], [0.005, 0.5, 0.7], [0.001, 0.3, 0.5]])
    assert two_sided(np.array([0.995, 0.3])) == pytest.approx([0.01, 0.6])
    found = holm_matrix(chance)
    assert np.array_equal(found, found.T)
    assert found[0] == pytest.approx([1, 2 * 0.01, 3 * 0.002])
    assert found[1, 2] == pytest.approx(0.6)


def test_tiers_are_the_runs_within_which_nothing_differs():
    scores = np.array([5.0, 9.0, 1.0, 7.0, 4.0])
    groups = tiers(scores, Difference(np.full((5, 5), 3.0), "x"))
    assert groups == [[1, 3], [3, 0, 4], [4, 2]]
    assert tiers(scores, Difference(np.full((5, 5), 9.0), "x")) == [[1, 3, 0, 4, 2]]
    assert tiers(scores, Difference(np.full((5, 5), 0.5), "x")) == [[1], [3], [0], [4], [2]]


def test_equal_configurations_are_in_one_tier_in_95_of_100_rounds():
    """What Tukey's range promises (Tukey 1949): no pair of ten equal scores differs."""
    random, alone, one = np.random.default_rng(1), 0, tukey_difference(np.ones(10), 27)
    for _ in range(400):
        table = random.normal(size=(10, 4))
        residual = table - table.mean(axis=1, keepdims=True) - table.mean(axis=0) + table.mean()
        error = np.sqrt((residual**2).sum() / 27 * 4)
        found = tiers(table.sum(axis=1), Difference(error * one.beyond, one.method))
        alone += len(found) == 1
    assert 0.92 <= alone / 400 <= 0.98


def test_what_a_scene_tells_is_its_lost_share_and_its_corrected_item_total_correlation():
    points = np.random.default_rng(2).integers(0, 3, (9, 4)).astype(float)
    for scene, item in enumerate(items(points, 2)):
        lost = 1 - points[:, scene] / 2
        rest = np.delete(points, scene, axis=1).sum(axis=1)
        low, high = stats.t.interval(0.95, 8, lost.mean(), stats.sem(lost))
        assert item.difficulty.value == pytest.approx(lost.mean())
        assert item.difficulty.low == pytest.approx(max(low, 0))
        assert item.difficulty.high == pytest.approx(min(high, 1))
        expected = stats.pearsonr(points[:, scene], rest)
        assert item.discrimination.value == pytest.approx(expected.statistic)
        limits = (item.discrimination.low, item.discrimination.high)
        assert limits == pytest.approx(tuple(expected.confidence_interval()))


def test_a_missing_clip_is_no_zero_and_a_scene_that_all_pass_tells_nothing():
    points = np.array([[2.0, 2, 0], [2, 1, np.nan], [2, 0, 1], [2, 2, 2], [2, 1, 1]])
    everyone, _, last = items(points, 2)
    assert everyone.difficulty.note.startswith("no variation")
    assert everyone.discrimination.reason == "all configurations have the same points there"
    assert (last.difficulty.n, last.difficulty.value) == (4, pytest.approx(0.5))
    assert last.discrimination.n == 4


def test_a_ranking_names_tiers_pairs_and_scenes():
    names = ("a", "b", "c", "d", "e", "f")
    votes = {("f", scene): NO for scene in SCENES} | {("e", SCENES[0]): NO}
    found = ranking_report(results_of(make_record(configurations=names, votes=votes)))
    assert found["tiers"] == [["a", "b", "c", "d", "e"], ["f"]]
    assert found["one_point"]["apart"] == 5
    place = found["ahead"]["configurations"].index
    assert found["ahead"]["adjusted_p"][place("a")][place("f")] < 0.05
    assert found["ahead"]["adjusted_p"][place("a")][place("b")] == 1
    assert found["scenes"][SCENES[0]]["difficulty"]["value"] == pytest.approx(1 / 3)
    assert found["leaderboard"][0]["by_scene"] == dict.fromkeys(SCENES, 2.0)


def test_one_configuration_has_no_tiers_and_says_why():
    found = ranking_report(results_of(make_record(configurations=("a",))))
    assert (found["tiers"], found["ahead"]) == (None, None)
    assert found["sureness_note"] == "fewer than two configurations are ranked"
