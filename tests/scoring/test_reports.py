"""Every report of a round against counts and intervals that can be checked by hand, and rounds with
nothing in them.
"""

import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scoring.records import tally
from scoring.reports import reports_document
from scoring.reports.shape import rounded
from scoring.scores.document import scores_document
from scoring.scores.standings import results_of
from scoring.stats.intervals import pooled_two_way, wilson
from tests.scoring.record_factory import SCENES, make_record

NAMES = ("alpha", "beta", "delta", "gamma")


def reports_of(record):
    document = reports_document(results_of(record))
    json.dumps(document, allow_nan=False)
    return document["reports"]


@pytest.fixture(scope="module")
def reports():
    """One gate of each way not to pass, ratings with N/A, one refusal."""
    return reports_of(
        make_record(
            votes={
                ("alpha", "r01-lift"): {
                    "event": ["no", "no", "no", "yes"],
                    "cause": ["na:no_event"] * 3 + ["yes"],
                },
                ("beta", "r01-lift"): {
                    "event": ["yes", "yes", "no", "no"],
                    "cause": ["yes", "yes", "no", "no"],
                },
                ("gamma", "r01-lift"): {
                    "event": ["unclear"] * 4,
                    "cause": ["yes", "yes", "yes", "no"],
                },
                ("alpha", "r01-squat"): {
                    "sound": ["1", "2", "na:no_sound", "5"],
                    "event": ["no", "yes", "no", "yes"],
                },
            },
            refused={("delta", "r01-toast"): "policy", ("delta", "r01-chair"): "policy"},
        )
    )


def test_the_reports_are_those_that_the_protocol_names(reports):
    assert list(reports) == [
        "event_success", "source_or_cause", "factual_success", "ratings", "agreement", "coverage",
        "human_ai_agreement", "overall_ranking",
    ]  # fmt: skip


def test_the_four_ways_not_to_pass_are_counted_apart(reports):
    lift = reports["event_success"]["by_scene"]["r01-lift"]
    assert (lift["passed"], lift["n"], lift["incomplete"]) == (1, 4, 0)
    assert lift["not_passed"] == {"no": 1, "unclear": 1, "na": 0, "split": 1}
    cause = reports["source_or_cause"]["by_scene"]["r01-lift"]
    assert (cause["passed"], cause["not_passed"]) == (
        2,
        {"no": 0, "unclear": 0, "na": 1, "split": 1},
    )
    overall = reports["event_success"]["overall"]
    assert (overall["passed"], overall["n"]) == (10, 14)


def test_every_gate_of_every_scene_is_reported(reports):
    by_scene = reports["factual_success"]["by_scene"]
    assert {(scene, gate) for scene, found in by_scene.items() for gate in found["gates"]} == {
        (scene, gate) for scene in SCENES for gate in ("event", "cause", "detail")
    }
    assert (
        by_scene["r01-lift"]["gates"]["event"] == reports["event_success"]["by_scene"]["r01-lift"]
    )
    assert (
        by_scene["r01-lift"]["all_gates"]["passed"],
        by_scene["r01-chair"]["all_gates"]["n"],
    ) == (1, 3)


def test_a_configuration_s_share_has_wilson_s_interval(reports):
    share = reports["event_success"]["by_configuration"]["alpha"]["share"]
    expected = wilson(2, 4)
    assert (share["value"], share["n"], share["method"]) == (0.5, 4, "Wilson")
    assert (share["low"], share["high"]) == (rounded(expected.low), rounded(expected.high))


def test_ratings_leave_out_na_and_count_it_by_reason(reports):
    alpha = reports["ratings"]["questions"]["sound"]["by_configuration"]["alpha"]
    given = [4.0] * 12 + [1.0, 2.0, 5.0]
    assert (alpha["n"], alpha["clips"]) == (15, 4)
    assert alpha["mean"]["value"] == pytest.approx(np.mean(given))
    assert alpha["median"] == np.median(given)
    assert alpha["quartiles"] == list(np.quantile(given, [0.25, 0.75]))
    assert alpha["sd"] == pytest.approx(np.std(given, ddof=1))
    assert alpha["counts"] == {"1": 1, "2": 1, "3": 0, "4": 12, "5": 1}
    assert alpha["na"] == {
        "n": 1,
        "by_reason": {"no_event": 0, "no_people_visible": 0, "no_sound": 1},
    }


def test_a_mean_without_gaps_has_exactly_the_pooled_two_way_interval():
    record = make_record(
        votes={
            (name, "r01-lift"): {"sound": [str(1 + number), "3", "3", "2"]}
            for number, name in enumerate(NAMES)
        }
    )
    means = np.nanmean(tally(record).numbers("sound"), axis=1).reshape(4, 4)
    expected = pooled_two_way(means)[0]
    found = reports_of(record)["ratings"]["questions"]["sound"]["by_configuration"]["alpha"]["mean"]
    assert (found["value"], found["low"], found["high"]) == tuple(
        rounded(limit) for limit in (expected.value, expected.low, expected.high)
    )


def test_agreement_counts_unanimous_three_to_one_and_split(reports):
    event = reports["agreement"]["questions"]["event"]["overall"]
    assert (event["clips"], event["unanimous"], event["majority"], event["split"]) == (14, 11, 1, 2)
    assert event["patterns"] == {"2-2": 2, "3-1": 1, "4": 11}
    assert event["answers"] == {"yes": 45, "no": 7, "unclear": 4, "na": 0}
    assert event["applicability_alpha"]["value"] is None
    assert event["applicability_alpha"]["note"] == "all answers are equal"


def test_a_question_with_systematic_disagreement_is_flagged_for_its_wording():
    names = tuple(f"c{number:02}" for number in range(12))
    quarrel = {
        (name, scene): {"cause": ["yes", "no", "unclear", "yes"]}
        for name in names
        for scene in SCENES
    }
    alike = {
        (name, scene): {"cause": [("yes", "no")[number % 2]] * 4}
        for number, (name, scene) in enumerate((name, scene) for name in names for scene in SCENES)
    }
    flags = [
        reports_of(make_record(configurations=names, votes=votes))["agreement"]["questions"][
            "cause"
        ]["overall"]
        for votes in (quarrel, alike)
    ]
    assert [flag["revise_wording"] for flag in flags] == [True, False]


def test_coverage_names_refusals_with_their_reasons(reports):
    coverage = reports["coverage"]
    assert coverage["overall"] == {"cells": 16, "outcomes": {"delivered": 14, "refused": 2}}
    assert coverage["reasons"] == {"refused": {"policy": 2}}
    assert [(cell["configuration"], cell["scene"]) for cell in coverage["not_scored"]] == [
        ("delta", "r01-chair"), ("delta", "r01-toast"),
    ]  # fmt: skip


def test_the_ranking_has_ties_and_an_interval_cut_to_what_is_possible(reports):
    ranking = reports["overall_ranking"]
    lines = {line["configuration"]: line for line in ranking["leaderboard"]}
    assert {name: (line["rank"], line["factual_score"]) for name, line in lines.items()} == {
        "beta": (1, "6"), "gamma": (1, "6"), "alpha": (3, "4"), "delta": (3, "4"),
    }  # fmt: skip
    assert ranking["ties"] == [
        {"rank": 1, "ranked_apart": "", "configurations": ["beta", "gamma"]},
        {"rank": 3, "ranked_apart": "", "configurations": ["alpha", "delta"]},
    ]  # fmt: skip
    assert all(
        0 <= line["score_interval"]["low"] <= line["score_interval"]["high"] <= 8
        for line in lines.values()
    )
    assert {(found["low"], found["high"]) for found in ranking["rank_sets"].values()} == {(1, 4)}
    assert ranking["sureness_note"] == ""
    assert ranking["one_point"]["difference_beyond_chance"] > 2
    assert (ranking["one_point"]["pairs"], ranking["one_point"]["apart"]) == (6, 0)


def test_legacy_is_ranked_apart_and_last():
    record = make_record(votes={("beta", "r01-lift"): {"event": ["no"] * 4}})
    legacy = [
        replace(one, track="legacy") if one.name in {"gamma", "beta"} else one
        for one in record.configurations
    ]
    lines = scores_document(results_of(replace(record, configurations=tuple(legacy))))[
        "leaderboard"
    ]
    assert [(line["configuration"], line["rank"], line["ranked_apart"]) for line in lines] == [
        ("alpha", 1, ""), ("delta", 1, ""), ("gamma", 1, "legacy"), ("beta", 2, "legacy"),
    ]  # fmt: skip


def test_replicates_bring_rank_sets_and_the_chance_of_being_ahead():
    names = ("good", "middling", "poor")
    votes = {("poor", scene): {"event": ["no"] * 4, "cause": ["no"] * 4} for scene in SCENES[:3]}
    ranking = reports_of(make_record(configurations=names, replicates=3, votes=votes))[
        "overall_ranking"
    ]
    assert ranking["rank_sets"]["good"]["n"] == 3
    assert ranking["ahead"]["configurations"] == ["good", "middling", "poor"]
    assert ranking["ahead"]["chance"][0][1] == 0.5
    assert 0.975 < ranking["ahead"]["chance"][0][2] < 1


def test_an_incomplete_clip_is_counted_and_not_aggregated():
    found = reports_of(make_record(locked=3))
    assert found["event_success"]["overall"]["incomplete"] == 16
    assert found["event_success"]["overall"]["n"] == 0
    assert found["event_success"]["overall"]["share"]["note"] == "nothing was counted"
    assert found["ratings"]["questions"]["sound"]["overall"]["n"] == 0
    assert found["coverage"]["overall"]["outcomes"] == {"incomplete": 16}


@pytest.mark.parametrize(
    "record",
    [
        make_record(),
        make_record(configurations=("only",)),
        make_record(configurations=("only",), replicates=3),
        make_record(locked=0),
        make_record(locked=1),
        make_record(refused={(name, scene): "policy" for name in NAMES for scene in SCENES}),
        make_record(refused={("alpha", scene): "policy" for scene in SCENES}, replicates=2),
        make_record(
            votes={
                (name, scene): {
                    "event": ["no"] * 4, "cause": ["na:no_event"] * 4, "sound": ["na:no_sound"] * 4,
                    "timing": ["na:no_event"] * 4, "people": ["na:no_people_visible"] * 4,
                }
                for name in NAMES
                for scene in SCENES
            }
        ),
    ],
    ids=["all-equal", "one-configuration", "one-with-replicates", "nobody", "one-reviewer",
         "all-refused",
         "one-refused", "no-ratings"],
)  # fmt: skip
def test_degenerate_rounds_have_defined_documents(record):
    def check(document):
        if isinstance(document, dict):
            if {"value", "low", "high", "n"} <= set(document):
                assert isinstance(document["n"], int)
                assert (document["low"] is None) == (document["high"] is None)
                assert document["low"] is not None or document["note"]
            for part in document.values():
                check(part)
        elif isinstance(document, list):
            for part in document:
                check(part)
        else:
            assert not (isinstance(document, float) and not math.isfinite(document))

    check(reports_of(record))
    json.dumps(scores_document(results_of(record)), allow_nan=False)


def test_a_number_that_is_not_finite_never_reaches_a_document():
    with pytest.raises(ValueError, match="not a number that a report may show"):
        rounded(float("nan"))


@settings(max_examples=25)
@given(st.data())
def test_the_order_of_reviewers_changes_no_score_and_points_never_exceed_what_is_possible(data):
    votes = {
        (name, scene): {
            "event": data.draw(
                st.lists(st.sampled_from(["yes", "no", "unclear"]), min_size=4, max_size=4)
            ),
            "cause": data.draw(
                st.lists(st.sampled_from(["yes", "no", "unclear"]), min_size=4, max_size=4)
            ),
        }
        for name in ("alpha", "beta")
        for scene in SCENES[:2]
    }
    turned = {
        place: {key: given[::-1] for key, given in found.items()} for place, found in votes.items()
    }
    one, other = (
        scores_document(results_of(make_record(configurations=("alpha", "beta"), votes=v)))
        for v in (votes, turned)
    )
    assert one == other
    for line in one["leaderboard"]:
        assert 4 <= Fraction(line["factual_score"]) <= 8
        assert Fraction(line["scenes_all_right"]) <= 4
