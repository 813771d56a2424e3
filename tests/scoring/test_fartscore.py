"""FARTScore against values worked by hand, its ceilings, its ranking, and what must never move
it.
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.records import RoundRecord
from scoring.reports import reports_document
from scoring.scores.document import scores_document
from scoring.scores.factual_score import Standing
from scoring.scores.fartscore import lowest_cap, sheet_score
from scoring.scores.standings import results_of
from tests.scoring.pilot_record import SCENES, core_v01, make_pilot

PROTOCOL = core_v01().protocol
CODES = {dimension.code: dimension.question for dimension in PROTOCOL.scoring.dimensions}
DIAGNOSTICS = [metric.question for metric in PROTOCOL.metrics if metric.question] + ["impression"]


def standings(record: RoundRecord) -> dict[str, Standing]:
    return {standing.configuration: standing for standing in results_of(record).standings}


def reports_of(record: RoundRecord) -> dict[str, Any]:
    document = reports_document(results_of(record))
    json.dumps(document, allow_nan=False)
    return document["reports"]  # type: ignore[no-any-return]


# Worked by hand from the document's formula, 25 x sum(w s) / sum(w), weights 22 16 16 14 12 10 10
# for A T L P I S C: the first is 25 x (66 + 32 + 64 + 12 + 30) / 76.
@pytest.mark.parametrize(
    ("ratings", "value"),
    [
        ({"A": 3, "T": 2, "L": 4, "I": 1, "C": 3}, 67.10526315789474),
        (dict.fromkeys("ATLPISC", 4), 100.0),
        (dict.fromkeys("ATLPISC", 0), 0.0),
        ({"A": 4} | dict.fromkeys("TLPISC", 0), 22.0),
    ],
)
def test_a_sheet_comes_to_what_the_formula_says(ratings: dict[str, int], value: float) -> None:
    score = sheet_score(PROTOCOL, {CODES[code]: rating for code, rating in ratings.items()})
    assert score is not None
    assert float(score) == pytest.approx(value, abs=1e-12)


def test_a_sheet_without_ratings_has_no_score() -> None:
    assert sheet_score(PROTOCOL, {}) is None


def test_a_clip_is_the_mean_of_its_reviewers_and_a_configuration_the_mean_over_tests() -> None:
    record = make_pilot(
        configurations=["alpha"],
        replicates=2,
        answers={
            ("alpha", "fb-c01", 1): [{"acoustic": "4"}, {"acoustic": "1"}, {}],
            ("alpha", "fb-c01", 2): dict.fromkeys(CODES.values(), "1"),
        },
    )
    (standing,) = results_of(record).standings
    first = next(cell for cell in standing.cells if (cell.scene, cell.replicate) == ("fb-c01", 1))
    assert first.rated is not None
    # 75 and 25 x (3 x 78 + 22 x r) / 100 with r = 4 and 1
    assert first.rated.score == (Fraction(75) + Fraction(161, 2) + Fraction(64)) / 3
    by_hand = ((first.rated.score + 25) / 2 + 7 * Fraction(75)) / 8
    assert standing.score == by_hand


@pytest.mark.parametrize(
    ("scene", "facts", "cap"),
    [
        ("fb-c01", {"event_present": "no"}, "no_event"),
        ("fb-c06", {"event_present": "no"}, None),
        ("fb-c06", {"condition_correct": "no"}, "audible_in_silent"),
        ("fb-c01", {"condition_correct": "no"}, None),
        ("fb-c02", {"correct_actor": "no"}, "wrong_actor"),
        ("fb-c02", {"correct_actor": "no", "visible_gas": "yes"}, "visible_gas"),
        ("fb-c02", {"defecation": "yes", "visible_gas": "yes", "event_present": "no"}, "no_event"),
        ("fb-c02", {"correct_actor": "split", "visible_gas": "unclear"}, None),
        ("fb-c02", {"correct_actor": "na"}, None),
    ],
)
def test_the_lowest_ceiling_that_holds_wins(
    scene: str, facts: dict[str, str], cap: str | None
) -> None:
    found = lowest_cap(PROTOCOL, scene, facts)
    assert (found.key if found else None) == cap


def test_a_ceiling_needs_more_than_half_and_shows_what_it_held_down() -> None:
    wrong, right = {"correct_actor": "no"}, {"correct_actor": "yes"}
    record = make_pilot(
        configurations=["alpha"],
        scenes=["fb-c02"],
        replicates=3,
        answers={
            ("alpha", "fb-c02", 1): [wrong, wrong, right],
            ("alpha", "fb-c02", 2): [wrong, right, {"correct_actor": "unclear"}],
            ("alpha", "fb-c02", 3): wrong | dict.fromkeys(CODES.values(), "1"),
        },
    )
    document = scores_document(results_of(record))["leaderboard"][0]["scenes"]["fb-c02"][
        "replicates"
    ]
    assert [(clip["fartscore"], clip.get("uncapped"), clip.get("cap")) for clip in document] == [
        ("50", "75", "wrong_actor"),
        ("75", None, None),
        ("25", None, None),  # below the ceiling anyway
    ]
    (capped,) = reports_of(record)["test_scores"]["capped"]
    assert (capped["because"], capped["score"], capped["uncapped"]) == ("Wrong actor", 50.0, 75.0)


def test_counts_and_times_are_medians_and_only_of_a_majority() -> None:
    record = make_pilot(
        configurations=["alpha"],
        scenes=["fb-c07"],
        replicates=2,
        answers={
            ("alpha", "fb-c07", 1): [
                {"event_count": "2"},
                {"event_count": "2"},
                {"event_count": "7"},
            ],
            ("alpha", "fb-c07", 2): [{"first_fart_time": "na:not_measurable"}] * 2
            + [{"first_fart_time": "2"}],
        },
    )
    (standing,) = results_of(record).standings
    one, two = standing.cells
    assert (one.consensus["event_count"].outcome, one.consensus["first_fart_time"].outcome) == (
        "2",
        "3.4",
    )
    assert two.consensus["first_fart_time"].outcome == "na"


def test_a_test_without_a_scored_clip_leaves_unranked() -> None:
    refused = {("beta", "fb-c03", 1): {"outcome": "refused", "reason": "policy"}}
    found = standings(make_pilot(configurations=["alpha", "beta"], cells=refused))
    assert (found["alpha"].rank, found["beta"].rank) == (1, None)
    assert found["beta"].unranked_because == "fb-c03 has no scored clip"
    assert found["beta"].score == 75


def test_a_refused_replicate_costs_nothing_but_itself() -> None:
    refused = {("beta", "fb-c03", 2): {"outcome": "refused", "reason": "policy"}}
    found = standings(make_pilot(configurations=["alpha", "beta"], replicates=2, cells=refused))
    assert (found["alpha"].rank, found["beta"].rank, found["beta"].delivered) == (1, 1, 15)


def test_legacy_and_local_are_ranked_apart() -> None:
    found = standings(make_pilot(tracks={"beta": "legacy", "gamma": "local"}))
    assert {name: (one.rank, one.apart) for name, one in found.items()} == {
        "alpha": (1, ""),
        "beta": (1, "legacy"),
        "gamma": (1, "local"),
    }


def test_configurations_of_one_family_stay_apart() -> None:
    worse = {("beta", scene, 1): {"acoustic": "0"} for scene in SCENES}
    found = standings(make_pilot(families={"alpha": "one", "beta": "one"}, answers=worse))
    assert found["alpha"].score == 75
    assert found["beta"].score < 75


def test_one_reviewer_makes_a_smoke_test_and_says_so() -> None:
    record = make_pilot(scenes=["fb-c02"], replicates=3, reviewers=1)
    document = scores_document(results_of(record))
    assert document["smoke_test"] is True
    assert document["maturity"] == "pilot"
    assert {line["rank"] for line in document["leaderboard"]} == {None}
    assert document["leaderboard"][0]["delivered"] == 3
    assert scores_document(results_of(make_pilot()))["smoke_test"] is False


def test_the_interval_is_a_studentised_bootstrap_with_its_n() -> None:
    answers = {
        ("alpha", scene, 1 + n % 3): {"acoustic": str(n % 5)} for n, scene in enumerate(SCENES)
    }
    answers |= {("alpha", scene, 3): {"localization": str(n % 4)} for n, scene in enumerate(SCENES)}
    line = reports_of(make_pilot(replicates=3, answers=answers))["overall_ranking"]["leaderboard"][
        -1
    ]
    assert line["configuration"] == "alpha"
    interval = line["score_interval"]
    assert interval["method"] == "studentised bootstrap within scenes, 10000 draws"
    assert interval["low"] < interval["value"] < interval["high"] <= 100
    assert interval["n"] == 24


# ---- what stands beside the score
# ------------------------------------------------------------------------------------


@settings(max_examples=20, deadline=None)
@given(st.data())
def test_no_diagnostic_moves_the_score(data: st.DataObject) -> None:
    def drawn(scene: str) -> dict[str, str]:
        form_answers = {}
        for question in DIAGNOSTICS:
            values = [option.value for option in PROTOCOL.options(PROTOCOL.question(question))]
            if not (scene == "fb-c06" and question not in {"impression", "compliant_events"}):
                form_answers[question] = data.draw(st.sampled_from(values))
        for flag in PROTOCOL.keys_of("flag"):
            form_answers[flag] = data.draw(st.sampled_from(["yes", "no"]))
        return form_answers

    scenes = ["fb-c02", "fb-c06"]
    changed = {(name, scene, 1): drawn(scene) for name in ("alpha", "beta") for scene in scenes}
    plain = standings(make_pilot(configurations=["alpha", "beta"], scenes=scenes))
    after = standings(make_pilot(configurations=["alpha", "beta"], scenes=scenes, answers=changed))
    assert {name: one.score for name, one in after.items()} == {
        name: one.score for name, one in plain.items()
    }


# ---- the smoke test
# --------------------------------------------------------------------------------------------------
