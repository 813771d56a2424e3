"""Correlation, ceiling and workload are what arithmetic gives, and verdicts what two experts and a
third say.
"""

from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings

from authoring.generating import generate
from authoring.material import read_material
from authoring.sets import read_set
from fartbench.protocol.rollouts.metrics import read_table
from fartbench.protocol.rollouts.sampling import TooFew, even_part
from fartbench.protocol.rollouts.units import read_units
from fartbench.protocol.rollouts.verdicts import (
    Verdict,
    digest_of_scenario,
    is_asked,
    reviewed,
    shown_to,
)
from review.pairs.meetings import Contender, plan_meetings
from scoring.metrics.alignment import (
    Judged,
    Match,
    alignment,
    ceiling,
    majority,
    win_estimates,
    win_rates,
)
from scoring.stats.estimate import Undefined
from tests.streamav.workload import calls

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
SET = read_set(FOLDER)
SYSTEMS = [f"s{number:02d}" for number in range(13)]
CASES = [f"case{number}" for number in range(60)]


@cache
def matches_of() -> list[Match]:
    """120 pairs over 13 systems and 60 cases, planned as blind pairs are."""
    clips = [Contender(f"{case}/{system}", system, case) for case in CASES for system in SYSTEMS]
    known = {clip.id: clip for clip in clips}
    pairs = [(known[one], known[other]) for one, other in plan_meetings(clips, count=120, seed="4")]
    return [Match(one.scene, one.configuration, other.configuration) for one, other in pairs]


def test_a_majority_is_more_than_half_and_three_different_votes_are_a_tie():
    assert majority(["left", "left", "right"]) == "left"
    assert majority(["left", "right", "tie"]) == "tie"
    assert majority(["tie", "tie", "left"]) == "tie"
    assert majority(["left", "right"]) == "tie"


def test_a_tie_is_half_a_win_for_both():
    matches = [Match("c", "a", "b"), Match("c", "b", "a"), Match("c", "a", "b")]
    assert win_rates(matches, ["left", "tie", "right"]) == {"a": 0.5, "b": 0.5}
    assert win_rates(matches, ["left", "right", "left"]) == {"a": 1.0, "b": 0.0}


def votes(noise: float, seed: int = 1) -> list[Judged]:
    """Three annotators who prefer the higher number in a system's name, with some noise."""
    random = np.random.default_rng(seed)
    judged = []
    for match in matches_of():
        gaps = [
            int(match.left[1:]) - int(match.right[1:]) + random.normal(0, noise) for _ in range(3)
        ]
        judged.append(
            Judged(match, {f"p{n}": "left" if gap > 0 else "right" for n, gap in enumerate(gaps)})
        )
    return judged


SCORES = {name: float(name[1:]) for name in SYSTEMS}


def test_people_who_see_what_the_metric_measures_agree_with_it_in_either_direction():
    sure = votes(0.01)
    found = alignment(sure, SCORES, better="higher")
    assert found.value == pytest.approx(1, abs=0.02)
    assert (
        alignment(sure, {name: -value for name, value in SCORES.items()}, better="lower").value
        == found.value
    )
    assert alignment(sure, SCORES, better="lower").value == -found.value
    assert ceiling(sure).value == pytest.approx(1, abs=0.02)


def test_doubtful_people_lower_correlation_and_ceiling_and_the_interval_is_bonett_wright_s():
    unsure = alignment(votes(12), SCORES, better="higher")
    assert unsure.value < 0.97
    assert ceiling(votes(12)).value < ceiling(votes(0.01)).value
    reach = 1.96 * ((1 + unsure.value**2 / 2) / 10) ** 0.5
    limits = [np.tanh(np.arctanh(unsure.value) + side * reach) for side in (-1, 1)]
    assert (unsure.low, unsure.high, unsure.n) == (
        pytest.approx(limits[0], abs=1e-4),
        pytest.approx(limits[1], abs=1e-4),
        13,
    )


def test_spearman_s_interval_is_the_published_one():
    """Bonett & Wright 2000: rho = .94 of 13 systems has the interval from .759 to .986."""
    value, n = 0.94, 13
    reach = 1.959964 * ((1 + value**2 / 2) / (n - 3)) ** 0.5
    assert np.tanh(np.arctanh(value) - reach) == pytest.approx(0.759, abs=5e-4)
    assert np.tanh(np.arctanh(value) + reach) == pytest.approx(0.986, abs=5e-4)


def perfect_metric(random: np.random.Generator, spread: float) -> tuple[float, float]:
    """Return rho of a metric that is exactly what people prefer, and the ceiling, of one round."""
    strength = dict(zip(SYSTEMS, spread * random.normal(size=len(SYSTEMS)), strict=True))
    judged = []
    for match in matches_of():
        chance = 1 / (1 + np.exp(strength[match.right] - strength[match.left]))
        drawn = [
            "tie" if random.random() < 0.15 else "left" if random.random() < chance else "right"
            for _ in range(3)
        ]
        judged.append(Judged(match, dict(zip("xyz", drawn, strict=True))))
    return alignment(judged, strength, better="higher").value, ceiling(judged).value


@pytest.mark.parametrize("spread", [1.0, 2.0])
def test_the_ceiling_is_what_a_perfect_metric_reaches_on_average(spread):
    random = np.random.default_rng(3)
    rho, ceilings = zip(*(perfect_metric(random, spread) for _ in range(20)), strict=True)
    assert np.mean(ceilings) == pytest.approx(np.mean(rho), abs=0.06)


def test_the_ceiling_follows_spearman_and_brown():
    """Two people whose win rates correlate by r, one vote of each on every pair: the majority has
    the reliability 2 r / (1 + r), and the ceiling is its root.
    """
    matches = [Match(f"c{n}", *pair) for n, pair in enumerate(combinations("abcd", 2))]
    first = dict(zip(matches, ["left"] * 6, strict=True))  # a before b before c before d
    second = {**first, matches[0]: "right", matches[5]: "right"}  # b, a, d, c
    judged = [Judged(one, {"x": first[one], "y": second[one]}) for one in matches]
    single = 0.6  # Spearman of (1, 2, 3, 4) and (2, 1, 4, 3)
    assert ceiling(judged).value == pytest.approx((2 * single / (1 + single)) ** 0.5)


def test_a_ceiling_needs_two_people_on_the_same_pairs():
    matches = [Match("c", *pair) for pair in combinations(SYSTEMS[:4], 2)]
    judged = [Judged(one, {f"p{n}": "left"}) for n, one in enumerate(matches)]
    assert "no two people" in ceiling(judged).reason


def test_scores_that_differ_by_the_rounding_of_a_sum_are_a_tie():
    """The means of 1.1, 1.1, 3.5 and of 1.1, 3.5, 1.1 as sums of binary fractions."""
    judged = [Judged(Match("c", *pair), {"p": "left"}) for pair in combinations("abcd", 2)]
    exact = {"a": 5.0, "b": 1.9, "c": 1.9, "d": 1.0}
    summed = {**exact, "b": 1.9000000000000001, "c": 1.8999999999999997}
    assert (
        alignment(judged, summed, better="higher").value
        == alignment(judged, exact, better="higher").value
    )


def test_win_rates_have_an_interval_that_knows_of_their_cases():
    matches = [Match(f"c{n % 4}", "a", "b") for n in range(16)]
    labels = ["left" if n % 4 else "tie" for n in range(16)]
    found = win_estimates(matches, labels)
    assert (found["a"].value, found["a"].n) == (pytest.approx(0.875), 16)
    assert found["a"].low < 0.875 < found["a"].high
    assert found["a"].method == "Wilson, clustered by case"
    assert found["b"].value == pytest.approx(0.125)


def test_a_perfect_order_has_no_interval():
    matches = [Match("c", *pair) for pair in combinations(SYSTEMS, 2)]
    judged = [Judged(one, {"p": "left" if one.left > one.right else "right"}) for one in matches]
    found = alignment(judged, SCORES, better="higher")
    assert (found.value, found.low, found.high) == (pytest.approx(1), None, None)


def test_what_cannot_be_ranked_has_no_correlation():
    assert isinstance(alignment(votes(1), dict.fromkeys(SYSTEMS, 1.0), better="higher"), Undefined)
    assert isinstance(alignment(votes(1), {"s01": 1.0, "s02": 2.0}, better="higher"), Undefined)


def test_one_system_takes_as_many_calls_as_was_published():
    """9,760 calls and 16 hours of video a system, derived from §A.3 and the public code: one call a
    metric and unit.
    """
    scenarios = generate(read_material(FOLDER), SET.constraints, seed=3)
    found = calls(read_table(FOLDER), read_units(FOLDER), scenarios, horizon_s=180)
    assert found == {
        "VQ": 1920, "AQ": 1920, "VIF": 320, "AIF": 320, "VID": 320, "AID": 320, "VUF": 640,
        "AUF": 440,
        "PVC": 800, "PAC": 800, "VSR": 800, "ASR": 800, "HDF": 360,
    }  # fmt: skip
    assert found.total() == 9760
    assert sum(scenario.duration_s for scenario in scenarios) == 16 * 3600


def test_a_part_is_even_over_tracks_and_domains_and_can_be_chosen_again():
    scenarios = generate(read_material(FOLDER), SET.constraints, seed=3)
    part = even_part(scenarios, 60, seed=5)
    assert Counter(one.track for one in part) == {"progressive": 30, "interactive": 30}
    for track in ("progressive", "interactive"):
        domains = Counter(one.scene_domain for one in part if one.track == track)
        assert set(domains.values()) <= {3, 4}
        assert len(domains) == 8
    assert (
        part
        == even_part(tuple(reversed(scenarios)), 60, seed=5)
        != even_part(scenarios, 60, seed=6)
    )
    with pytest.raises(TooFew):
        even_part(scenarios, 61, seed=5)
    with pytest.raises(TooFew):
        even_part(SET.scenarios, 60, seed=5)


NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)


def given_verdicts(*words: tuple[str, bool], digest: str = "d") -> list[Verdict]:
    return [
        Verdict(who, digest, accepts, NOON + timedelta(hours=n))
        for n, (who, accepts) in enumerate(words)
    ]


@pytest.mark.parametrize(
    ("words", "standing", "hour"),
    [
        ([], "waiting", None),
        ([("a", True)], "waiting", None),
        ([("a", True), ("a", True)], "waiting", None),
        ([("a", True), ("b", True)], "accepted", 1),
        ([("a", False), ("b", False)], "to_correct", 1),
        ([("a", True), ("b", False)], "disputed", None),
        ([("a", True), ("b", False), ("a", False)], "disputed", None),
        ([("a", True), ("b", False), ("c", True)], "accepted", 2),
        ([("a", True), ("b", False), ("c", False), ("d", True)], "to_correct", 2),
        ([("a", True), ("b", True), ("c", False)], "accepted", 1),
    ],
)
def test_two_experts_decide_and_a_third_where_they_differ(words, standing, hour):
    found = reviewed(given_verdicts(*words), "d")
    assert found.standing == standing
    assert found.since == (None if hour is None else NOON + timedelta(hours=hour))


def test_a_corrected_scenario_is_reviewed_again_and_before_the_first_generation():
    before, after = (digest_of_scenario(one) for one in SET.scenarios[:2])
    verdicts = given_verdicts(("a", True), ("b", True), digest=before)
    assert reviewed(verdicts, after).standing == "waiting"
    found = reviewed(verdicts, before)
    assert found.holds_before(NOON + timedelta(hours=2))
    assert not found.holds_before(NOON + timedelta(hours=1))
    assert not reviewed(verdicts, after).holds_before(NOON + timedelta(days=9))


def test_a_verdict_is_hidden_until_the_second_is_given_and_nobody_is_asked_twice():
    one = given_verdicts(("a", True))
    assert [shown_to(one, "d", who) for who in "ab"] == [one, []]
    assert [is_asked(one, "d", who) for who in "ab"] == [False, True]
    differing = given_verdicts(("a", True), ("b", False))
    assert shown_to(differing, "d", "c") == differing
    assert [is_asked(differing, "d", who) for who in "abc"] == [False, False, True]
    agreeing = given_verdicts(("a", False), ("b", False))
    assert not is_asked(agreeing, "d", "c")
