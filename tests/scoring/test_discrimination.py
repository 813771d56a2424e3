"""Somers' D within scenes: published vector, scipy, a literal count of pairs, and judges whose
value is known.
"""

import json
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from scoring.stats.discrimination import somers_d
from scoring.stats.estimate import Estimate, Undefined

VECTOR = json.loads((Path(__file__).parent / "vectors" / "discrimination.json").read_text())
HUMAN, JUDGE, SCENE, CONFIGURATION = (
    np.array(VECTOR[key]) for key in ("human", "judge", "scene", "config")
)


def literal(human: np.ndarray, judge: np.ndarray, scene: np.ndarray) -> float:
    """Return D by looking at every pair."""
    order = pairs = 0
    for one, other in combinations(range(len(human)), 2):
        if scene[one] == scene[other] and human[one] != human[other]:
            pairs += 1
            order += np.sign(human[one] - human[other]) * np.sign(judge[one] - judge[other])
    return float(order / pairs) if pairs else float("nan")


def test_the_vector_is_reproduced() -> None:
    found = somers_d(HUMAN, JUDGE, SCENE, CONFIGURATION)
    assert (found.pairs, found.configurations) == (VECTOR["pairs"], 25)
    assert found.d.value == pytest.approx(VECTOR["D_within_scene"], abs=1e-12)
    assert [found.d.low, found.d.high] == pytest.approx(VECTOR["jack"], abs=1e-9)


def test_without_scenes_it_is_scipys() -> None:
    found = somers_d(HUMAN, JUDGE, np.zeros_like(SCENE), CONFIGURATION)
    assert found.d.value == pytest.approx(stats.somersd(HUMAN, JUDGE).statistic, abs=1e-12)
    assert found.d.value == pytest.approx(VECTOR["D_all"], abs=1e-12)


def test_replicates_count_as_often_as_they_are_there() -> None:
    random = np.random.default_rng(11)
    configuration, scene = np.repeat(np.arange(12), 6), np.tile(np.repeat([0, 1], 3), 12)
    human, judge = random.integers(2, 10, 72) / 2, random.integers(1, 6, 72)
    found = somers_d(human, judge, scene, configuration)
    assert found.d.value == pytest.approx(literal(human, judge, scene), abs=1e-12)
    left_out = [
        literal(human[configuration != g], judge[configuration != g], scene[configuration != g])
        for g in range(12)
    ]
    error = np.sqrt(11 / 12 * ((left_out - np.mean(left_out)) ** 2).sum())
    reach = stats.t.ppf(0.975, 11) * error
    assert [found.d.low, found.d.high] == pytest.approx(
        [found.d.value - reach, found.d.value + reach], abs=1e-12
    )


@pytest.mark.parametrize(
    ("judge", "value"),
    [
        (np.full(100, 3), 0.0),
        (SCENE + 1, 0.0),
        (HUMAN, 1.0),
        (6 - HUMAN, -1.0),
        (2 * HUMAN - 40, 1.0),
    ],
    ids=["constant", "knows the scene only", "right", "the wrong way round", "harsh and right"],
)
def test_a_judge_that_is_always_alike_has_an_exact_value(judge: np.ndarray, value: float) -> None:
    ordering = somers_d(HUMAN, judge, SCENE, CONFIGURATION)
    assert isinstance(ordering.d, Estimate)
    assert (ordering.d.value, ordering.is_constant) == (value, True)
    assert (ordering.d.low, ordering.d.high) == (None, None)  # an interval of no width is none


def test_where_people_see_no_difference_it_is_undefined() -> None:
    found = somers_d(np.full(8, 3), np.arange(8), np.zeros(8), np.arange(8))
    assert found.d == Undefined("no two clips of a scene differ in people's ratings", 8)
    assert somers_d([], [], [], []).pairs == 0
