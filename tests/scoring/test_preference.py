"""Preference as Bradley-Terry strengths: published fits, what has no scale, and what has no
interval.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scoring.stats.estimate import Estimate, Undefined
from scoring.stats.preference import (
    ELO_POINTS,
    Battles,
    NotConverged,
    clustered_variance,
    connected_groups,
    fit,
    has_maximum,
    information,
    rate,
    win_chance,
)
from tests.bench.battles import draw_battles
from tests.scoring.vectors import load_vector

PUBLISHED = load_vector("bradley_terry")


def battles(*rows: tuple[int, int, float, int, int], items: int = 3) -> Battles:
    """Battles from rows of left, right, result, pair, scene."""
    left, right, result, pair, scene = (np.array(column) for column in zip(*rows, strict=True))
    return Battles(left, right, result.astype(float), pair, scene, items)


def test_published_fits_are_reproduced() -> None:
    wikipedia, citations = PUBLISHED["wikipedia"], PUBLISHED["citations"]
    assert np.exp(fit(wikipedia["wins"])) == pytest.approx(wikipedia["strengths"], abs=5e-4)
    found = fit(citations["wins"])
    assert found - found[0] == pytest.approx(citations["abilities"], abs=1e-9)
    baseball = PUBLISHED["baseball"]
    found = fit(baseball["wins"])
    assert found - found[-1] == pytest.approx(baseball["abilities"], abs=5e-8)
    assert fit(PUBLISHED["cycle"]["wins"]) == pytest.approx(
        PUBLISHED["cycle"]["strengths"], abs=1e-9
    )


def test_published_standard_errors_are_those_of_the_information() -> None:
    wins = np.array(PUBLISHED["citations"]["wins"], dtype=float)
    known = information(wins + wins.T, fit(wins))[1:, 1:]  # the first item is held at 0
    errors = np.sqrt(np.diag(np.linalg.inv(known)))
    assert [0, *errors] == pytest.approx(PUBLISHED["citations"]["errors"], abs=1e-9)


def test_the_scale_is_elos() -> None:
    vector = load_vector("elo")
    rating = dict.fromkeys("ABC", float(vector["start"]))
    for one, other, result in vector["games"]:
        change = vector["K"] * (result - win_chance(rating[one], rating[other]))
        rating[one], rating[other] = rating[one] + change, rating[other] - change
    assert rating == pytest.approx(vector["final"], abs=1e-9)
    assert win_chance(1900, 1500) == pytest.approx(10 / 11)


@given(st.lists(st.integers(0, 6), min_size=12, max_size=12))
def test_a_fit_expects_as_many_wins_as_there_were_and_does_not_hang_on_names(
    numbers: list[int],
) -> None:
    wins = np.zeros((4, 4))
    wins[~np.eye(4, dtype=bool)] = np.array(numbers) / 2
    phantom = 0.0 if has_maximum(wins) else 0.5
    theta = fit(wins, phantom=phantom)
    assert abs(theta.sum()) < 1e-9
    order = [2, 0, 3, 1]
    again = fit(wins[np.ix_(order, order)], phantom=phantom)
    assert again == pytest.approx(theta[order], abs=1e-7)
    if not phantom:
        expected = ((wins + wins.T) / (1 + np.exp(theta[None, :] - theta[:, None]))).sum(axis=1)
        assert expected == pytest.approx(wins.sum(axis=1), abs=1e-6)


def test_an_unbeaten_one_has_no_maximum_and_is_regularised() -> None:
    wins = [[0, 3, 3], [0, 0, 1], [0, 1, 0]]
    assert not has_maximum(wins)
    with pytest.raises(NotConverged):
        fit(wins)
    theta = fit(wins, phantom=0.5)
    assert theta[0] == pytest.approx(1.80887405, abs=1e-7) and theta[1] == pytest.approx(theta[2])
    rows = [(0, 1, 1.0, n, n) for n in range(3)] + [(0, 2, 1.0, 3 + n, n) for n in range(3)]
    (group,) = rate(battles(*rows, (1, 2, 1.0, 6, 0), (1, 2, 0.0, 6, 0)))
    assert group.regularised and group.items[0] == 0


def test_a_win_and_a_loss_and_two_ties_say_the_same_of_strength() -> None:
    decided = [(0, 1, 1.0, n, n) for n in range(4)] + [(1, 0, 1.0, n, n) for n in range(4)]
    ties = [(0, 1, 0.5, n, n) for n in range(4)] * 2
    for rows in (decided, ties):
        (group,) = rate(battles(*rows, items=2))
        assert [found.value for found in group.elo if isinstance(found, Estimate)] == pytest.approx(
            [1500, 1500]
        )


def test_what_never_met_has_tables_of_its_own() -> None:
    rows = [(0, 1, 1.0, 0, 0), (1, 0, 1.0, 0, 0), (2, 3, 1.0, 1, 0), (3, 2, 0.0, 1, 1)]
    assert [items.tolist() for items in connected_groups(battles(*rows, items=5).wins())] == [
        [0, 1],
        [2, 3],
        [4],
    ]
    groups = rate(battles(*rows, items=5))
    assert [group.items for group in groups] == [(0, 1), (2, 3), (4,)]
    assert isinstance(groups[2].elo[0], Undefined) and groups[2].battles == 0
    assert groups[1].regularised and not groups[0].regularised


def test_intervals_go_over_scenes_and_with_few_over_pairs_and_say_so() -> None:
    random = np.random.default_rng(3)
    for scenes, words, note in (
        (8, "8 scenes, t with 7", ""),
        (3, "9 pairs of clips, t with 7", "these clips only"),
    ):
        (group,) = rate(draw_battles(random, 3, scenes, 0.5))
        for found in group.elo:
            assert isinstance(found, Estimate) and found.low is not None and found.high is not None
            assert found.low < found.value < found.high
            assert words in found.method and note in found.note
            assert found.n == scenes * 2 * 3


def test_without_enough_to_vary_there_is_no_interval_and_a_reason() -> None:
    rows = [(0, 1, 1.0, 0, 0), (0, 1, 1.0, 0, 0), (0, 1, 0.0, 0, 0)]
    (group,) = rate(battles(*rows, items=2))
    assert all(isinstance(found, Estimate) and found.low is None for found in group.elo)
    assert "do not determine" in group.elo[0].note  # type: ignore[union-attr]
    same = [(0, 1, result, scene, scene) for scene in range(4) for result in (1.0, 0.0)]
    (group,) = rate(battles(*same, items=2))
    assert "no variation" in group.elo[0].note  # type: ignore[union-attr]


def test_the_sandwich_is_the_information_when_every_battle_is_its_own_cluster() -> None:
    # On many independent battles the robust variance comes near the model's own (Liang & Zeger
    # 1986).
    found = draw_battles(np.random.default_rng(1), 3, 400, 0.0)
    untied = np.where(
        found.result == 0.5,
        np.random.default_rng(2).integers(0, 2, len(found.result)),
        found.result,
    )
    found = Battles(found.left, found.right, untied, found.pair, found.scene, 3)
    theta, wins = fit(found.wins()), found.wins()
    model = np.diag(np.linalg.pinv(information(wins + wins.T, theta)))
    robust = clustered_variance(found, theta, np.arange(len(untied)))
    assert robust == pytest.approx(model, rel=0.1)
    assert ELO_POINTS * float(np.sqrt(robust[0])) < 25


@pytest.mark.parametrize("order", list(permutations(range(3)))[1:])
def test_the_order_of_battles_changes_nothing(order: Any) -> None:
    rows = [
        (0, 1, 1.0, 0, 0),
        (1, 2, 1.0, 1, 1),
        (2, 0, 0.5, 2, 2),
        (1, 0, 1.0, 3, 3),
        (0, 2, 0.0, 4, 3),
    ]
    (one,), (other,) = (
        rate(battles(*mixed)) for mixed in (rows, [*rows[order[0] :], *rows[: order[0]]])
    )
    assert one.items == other.items
    for first, second in zip(one.elo, other.elo, strict=True):
        assert isinstance(first, Estimate) and isinstance(second, Estimate)
        assert first.value == pytest.approx(second.value, abs=1e-9)
