"""Metrics beside FARTScore: costs, compliance, scaling, failures; and what a smoke test ends in."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scoring.records import RoundRecord
from scoring.reports.metrics import median_estimate
from tests.scoring.pilot_record import SCENES, make_pilot
from tests.scoring.test_fartscore import CODES, reports_of, standings


def test_costs_move_no_score_either() -> None:
    cheap = {
        ("alpha", scene, 1): {"cost_usd": "0.01", "cost_basis": "reported"} for scene in SCENES
    }
    assert (
        standings(make_pilot(cells=cheap))["alpha"].score == standings(make_pilot())["alpha"].score
    )


def test_compliance_counts_clips_that_meet_every_hard_check() -> None:
    record = make_pilot(
        configurations=["alpha", "beta"],
        answers={
            ("alpha", "fb-c07", 1): {"event_count": "1"},
            ("alpha", "fb-c01", 1): {"reaction_target": "no"},
        },
    )
    fcr = reports_of(record)["metrics"]["metrics"]["fcr"]
    assert (fcr["by_configuration"]["alpha"]["value"], fcr["by_configuration"]["alpha"]["n"]) == (
        0.75,
        8,
    )
    assert fcr["by_configuration"]["beta"]["value"] == 1
    assert fcr["overall"]["value"] == pytest.approx(14 / 16)


def test_events_not_clips_per_dollar_and_failures_cost() -> None:
    cells = {
        (name, scene, 1): {"cost_usd": "0.500000", "cost_basis": "reported"}
        for name in ("alpha", "beta")
        for scene in SCENES
    }
    cells["beta", "fb-c01", 1] |= {"outcome": "failed", "reason": "no output"}
    record = make_pilot(
        configurations=["alpha", "beta"],
        cells=cells,
        answers={
            ("alpha", "fb-c07", 1): {"compliant_events": "1"},
            ("beta", "fb-c02", 1): {"compliant_events": "5"},
        },
    )
    fpd = reports_of(record)["metrics"]["metrics"]["fpd"]["by_configuration"]
    assert fpd["alpha"]["value"] == pytest.approx(
        8 / 4
    )  # seven tests with one event, and one of the two of FB-C07
    assert fpd["beta"]["value"] == pytest.approx(
        8 / 4
    )  # FB-C01 failed, FB-C02 counts once, FB-C07 twice


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"cost_usd": ""}, "1 of 24 accepted samples have no known cost"),
        ({"cost_basis": "unknown"}, "1 of 24 accepted samples have no known cost"),
        ({"cost_basis": "estimated"}, "costs are on several bases (estimated, reported)"),
    ],
)
def test_per_dollar_is_not_reported_without_one_basis(changes: dict[str, str], words: str) -> None:
    names = ("alpha", "beta", "gamma")
    cells = {
        (name, scene, 1): {"cost_usd": "1", "cost_basis": "reported"}
        for name in names
        for scene in SCENES
    }
    cells["beta", "fb-c04", 1] |= changes
    metrics = reports_of(make_pilot(cells=cells, families={"alpha": "f", "beta": "f"}))["metrics"][
        "metrics"
    ]
    assert metrics["fpd"]["overall"] == {
        "value": None, "low": None, "high": None, "n": 24, "method": "", "note": "not reported: "
                                                                                 f"{words}",
    }  # fmt: skip
    assert metrics["fse"]["families"][0]["points_per_dollar"]["note"] == f"not reported: {words}"


def test_scaling_compares_neighbours_of_a_family_by_cost() -> None:
    prices = {"alpha": "2", "beta": "1", "gamma": "9"}
    cells = {
        (name, scene, 1): {"cost_usd": price, "cost_basis": "reported"}
        for name, price in prices.items()
        for scene in SCENES
    }
    worse = {
        ("beta", scene, 1): dict.fromkeys([CODES[code] for code in "ALIC"], "2") for scene in SCENES
    }
    record = make_pilot(cells=cells, families={"alpha": "f", "beta": "f"}, answers=worse)
    (pair,) = reports_of(record)["metrics"]["metrics"]["fse"]["families"]
    found = standings(record)
    assert (pair["family"], pair["from"], pair["to"]) == ("f", "beta", "alpha")
    assert pair["points_per_dollar"]["value"] == pytest.approx(
        float(found["alpha"].score - found["beta"].score)
    )


def test_costs_that_differ_by_the_rounding_of_a_sum_are_the_same() -> None:
    """0.1, 0.2, 0.3 and 0.3, 0.2, 0.1 add up to other binary fractions."""
    prices = {"alpha": ("0.1", "0.2", "0.3"), "beta": ("0.3", "0.2", "0.1")}
    cells = {
        (name, scene, 1): {"cost_usd": price, "cost_basis": "reported"}
        for name, costs in prices.items()
        for scene, price in zip(SCENES, costs, strict=False)
    }
    rest = {
        (name, scene, 1): {"cost_usd": "0", "cost_basis": "reported"}
        for name in (*prices, "gamma")
        for scene in SCENES
    }
    record = make_pilot(cells=rest | cells, families={"alpha": "f", "beta": "f"})
    (pair,) = reports_of(record)["metrics"]["metrics"]["fse"]["families"]
    assert pair["points_per_dollar"]["note"] == "the two cost the same"


def test_means_medians_and_what_is_deferred() -> None:
    times = {
        ("alpha", scene, 1): {"first_fart_time": time}
        for scene, time in zip(SCENES, "12345", strict=False)
    }
    record = make_pilot(configurations=["alpha", "beta"], answers=times)
    metrics = reports_of(record)["metrics"]["metrics"]
    assert metrics["fft"]["by_configuration"]["beta"]["value"] == 3.4
    assert metrics["pwi"]["overall"]["value"] == 3
    assert metrics["cdi"]["overall"]["n"] == 2 * 7 * 3  # nobody is asked in the silent test
    assert metrics["psi"]["overall"]["note"] == "deferred"


def test_a_median_lies_between_its_order_statistics() -> None:
    # Order statistics 2 and 9 of 10 enclose the median with 97.9% (binomial(10, 1/2)).
    found = median_estimate([float(n) for n in range(1, 11)])
    assert (found.value, found.low, found.high) == (5.5, 2.0, 9.0)  # type: ignore[union-attr]
    assert median_estimate([1.0, 2.0]).low is None  # type: ignore[union-attr]
    alike = median_estimate([3.4] * 12)
    assert (alike.value, alike.low, alike.method) == (3.4, None, "not estimable")  # type: ignore[union-attr]


def test_failure_codes_hold_by_majority_and_stand_by_configuration() -> None:
    flagged, plain = {"f_av_desync": "yes"}, {"f_av_desync": "no"}
    record = make_pilot(
        configurations=["alpha", "beta"],
        answers={
            ("alpha", "fb-c01", 1): [flagged, flagged, plain],
            ("beta", "fb-c01", 1): [flagged, plain, plain],
        },
    )
    found = reports_of(record)["failure_codes"]["questions"]["f_av_desync"]["by_configuration"]
    assert (found["alpha"]["held"], found["beta"]["held"], found["alpha"]["n"]) == (1, 0, 8)


def smoke_points(record: RoundRecord) -> dict[str, str]:
    return {point["key"]: point["verdict"] for point in reports_of(record)["smoke"]["points"]}


def test_a_smoke_test_ends_in_six_points() -> None:
    known = {"model_version": "m-1", "generated_at": "2026-01-01T00:00:00Z"}
    names = ("alpha", "beta", "gamma")
    cells = {(name, "fb-c02", replicate): dict(known) for name in names for replicate in (1, 2, 3)}
    whole = make_pilot(scenes=["fb-c02"], replicates=3, reviewers=1, cells=cells)
    assert smoke_points(whole) == {
        "prompt_clarity": "met",
        "timing_feasibility": "met",
        "source_identifiability": "met",
        "rater_agreement": "unknown",
        "provenance_completeness": "met",
        "safety_conflicts": "met",
    }
    cells["alpha", "fb-c02", 1] |= {"outcome": "refused", "reason": "policy", "model_version": ""}
    unclear = {
        (name, "fb-c02", replicate): {"source_clear": "unclear"}
        for name in names
        for replicate in (1, 2)
    }
    late = {key: changes | {"f_out_of_window": "yes"} for key, changes in unclear.items()}
    worse = make_pilot(scenes=["fb-c02"], replicates=2, reviewers=1, cells=cells, answers=late)
    found = smoke_points(worse)
    assert [key for key, verdict in found.items() if verdict == "not met"] == [
        "timing_feasibility",
        "source_identifiability",
        "safety_conflicts",
    ]


def test_scales_that_say_the_same_and_scales_without_agreement_are_flagged() -> None:
    names = ("alpha", "beta", "gamma")
    answers = {}
    for number, (name, replicate) in enumerate(
        [(name, replicate) for name in names for replicate in (1, 2, 3)]
    ):
        level = str(number % 5)
        sheets = [
            {"acoustic": level, "coherence": level, "social": str((number + 2 * seat) % 5)}
            for seat in range(3)
        ]
        answers[name, "fb-c02", replicate] = sheets
    smoke = reports_of(make_pilot(scenes=["fb-c02"], replicates=3, answers=answers))["smoke"]
    assert [pair["questions"] for pair in smoke["redundant"]] == [["acoustic", "coherence"]]
    assert [one["question"] for one in smoke["revise"]] == ["social"]


def test_a_limited_cell_is_a_conflict_that_is_said() -> None:
    record = make_pilot(scenes=["fb-c02"])
    cells = (replace(record.cells[0], limitation="the provider blurs people"), *record.cells[1:])
    points = reports_of(replace(record, cells=cells))["smoke"]["points"]
    assert points[-1]["verdict"] == "not met"
    assert points[-1]["evidence"] == "0 of 3 cells were refused, 1 carry a limitation"
