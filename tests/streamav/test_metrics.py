"""Forms with scripted answers give every metric that is also computed here, by hand or by another
way.
"""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from django.conf import settings
from scipy import stats

from authoring.sets import read_set
from fartbench.protocol.rollouts.metrics import read_table
from measuring.continuity import Window
from measuring.measurement import Measurement
from scoring.metrics.appendix import (
    Dependency,
    capped_values,
    dependency,
    dependent_updates,
    initial_values,
)
from scoring.metrics.cases import CaseValue, Evidence, case_value, interval_values
from scoring.metrics.recipes import CriteriaDiffer, Form
from scoring.metrics.summary import column, trajectory
from scoring.rollouts.diagnostics import dependency_document
from scoring.stats.estimate import Estimate, Undefined

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "streamav" / "0.1.0"
TABLE = read_table(FOLDER)
SCENARIOS = {one.key: one for one in read_set(FOLDER).scenarios}


def value(code: str, evidence: Evidence) -> CaseValue:
    return case_value(TABLE, TABLE.metric(code), evidence)


def intervals(*rows: dict, judge: str = "j") -> tuple[Form, ...]:
    return tuple(
        Form("c", "interval", str(n), 30.0 * n, judge, row) for n, row in enumerate(rows, 1)
    )


def test_the_table_has_the_published_metrics_by_track_category_and_kind():
    """arXiv:2608.26336v1: 9 shared, 12 progressive, 11 interactive; six categories of 6, 3, 4, 8, 8
    and 3.
    """
    metrics = TABLE.metrics
    assert Counter(one.track for one in metrics) == {
        "both": 9,
        "progressive": 12,
        "interactive": 11,
    }
    assert [sum(one.category == key for one in metrics) for key in TABLE.categories] == [
        6,
        3,
        4,
        8,
        8,
        3,
    ]
    assert Counter(one.computed for one in metrics) == {
        "answers": 18,
        "mixed": 1,
        "signals": 3,
        "plug_in": 10,
    }
    lower = {one.code for one in metrics if one.better == "lower"}
    assert lower == {code for code in (one.code for one in metrics) if code.endswith("-D")} | {
        "AVSync", "TTFC", "VID", "AID", "PVRL", "PARL",
    }  # fmt: skip


def test_published_figures_are_references_with_their_source():
    assert TABLE.published.systems["HappyOyster"]["PVRL"] == 14.484
    assert TABLE.published.averages_by_horizon_s["VA-D"] == {60: 0.025, 120: 0.036, 180: 0.042}
    assert "2608.26336" in TABLE.published.source


def test_quality_is_the_mean_of_its_questions_then_of_intervals_and_drift_is_first_against_last():
    keys = TABLE.metric("VQ").questions
    rows = [[4, 4, 3, 5], [3, 3, 3, 3], [2, 2, 2, 2], [2, 3, 2, 3], [1, 2, 1, 2], [5, 5, 5, 3]]
    evidence = Evidence(
        "c", "progressive", intervals(*(dict(zip(keys, row, strict=True)) for row in rows))
    )
    means = [np.mean(row) for row in rows]
    assert interval_values(TABLE, "VQ", evidence) == pytest.approx(means)
    assert value("VQ", evidence).value == pytest.approx(np.mean(means))
    drift = value("VQ-D", evidence)
    assert (drift.value, drift.signed) == (pytest.approx(0.5), pytest.approx(0.5))
    at_120 = value("VQ-D", evidence.within(120))
    assert (at_120.value, at_120.signed) == (pytest.approx(1.5), pytest.approx(-1.5))


def test_two_people_count_alike_in_each_unit():
    evidence = Evidence(
        "c", "progressive",
        (*intervals({"audio_naturalness": 5, "audio_artifacts": 3}),
         *intervals({"audio_naturalness": 1}, judge="k")),
    )  # fmt: skip
    assert value("AQ", evidence).value == pytest.approx((4 + 1) / 2)


def full(answers: dict, end_s: float = 180.0) -> Form:
    return Form("c", "full", "full", end_s, "j", answers)


def test_a_criterion_that_the_prompt_does_not_have_is_left_out_and_never_a_low_score():
    evidence = Evidence(
        "c",
        "progressive",
        (full({"scene": 5, "visual_style": None, "subjects": 4, "sound_source": None}),),
    )
    assert value("VIF", evidence).value == 4.5
    nothing = value("AIF", evidence)
    assert (nothing.value, nothing.status, nothing.reason) == (
        None,
        "not_applicable",
        "every answer is N/A",
    )


def test_each_horizon_has_its_own_whole():
    evidence = Evidence("c", "progressive", (full({"scene": 5}, 60.0), full({"scene": 1}, 180.0)))
    assert value("VIF", evidence.within(60)).value == 5
    assert value("VIF", evidence.within(180)).value == 1
    assert value("VIF", evidence.within(120)).status == "not_applicable"


def ends(first: dict, last: dict) -> tuple[Form, ...]:
    return Form("c", "endpoint", "first", 30.0, "j", first), Form(
        "c", "endpoint", "last", 180.0, "j", last
    )


def test_instruction_drift_is_the_mean_change_of_matched_criteria():
    evidence = Evidence(
        "c",
        "progressive",
        ends(
            {"scene": 5, "subjects": 2, "activity": 4}, {"scene": 3, "subjects": 3, "activity": 4}
        ),
    )
    assert value("VID", evidence).value == pytest.approx((2 + 1 + 0) / 3)
    with pytest.raises(CriteriaDiffer, match="c: activity was rated at one end"):
        value(
            "VID",
            Evidence(
                "c",
                "progressive",
                ends({"scene": 5, "activity": 4}, {"scene": 3, "activity": None}),
            ),
        )


def update(step: int, **answers) -> Form:
    return Form("c", "update", f"P{step}", 30.0 * step + 30, "j", answers)


def test_a_judge_who_saw_one_end_only_says_nothing_about_drift_and_does_not_stop_the_others():
    first, last = ends({"scene": 5, "subjects": 2}, {"scene": 3, "subjects": 3})
    sound = Form("c", "endpoint", "last", 180.0, "k", {"sound_source": 4})
    lone = Form("c", "endpoint", "first", 30.0, "k", {"scene": 1, "subjects": 1})
    assert value(
        "VID", Evidence("c", "progressive", (first, last, lone, sound))
    ).value == pytest.approx((2 + 1) / 2)
    nothing = value("VID", Evidence("c", "progressive", (lone, sound)))
    assert (nothing.status, nothing.reason) == ("not_applicable", "nobody rated both ends")


UPDATES = Evidence(
    "c", "interactive",
    (
        update(1, video_fulfilment=5, video_target_latency=2.5),
        update(2, video_fulfilment=2, video_target_latency=None, audio_fulfilment=4,
               audio_target_latency=10.0),
        update(3, audio_fulfilment=1, audio_target_latency=None),
        update(4, video_fulfilment=3, video_target_latency=20.5),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("VUF", (5 + 2 + 3) / 3), ("AUF", (4 + 1) / 2), ("PVUAR", 2 / 3), ("PAUAR", 1 / 2),
        ("PVRL", (2.5 + 20.5) / 2), ("PARL", 10.0),
    ],
)  # fmt: skip
def test_updates_count_only_where_they_apply_and_latency_only_where_the_target_was_reached(
    code: str, expected: float
):
    assert value(code, UPDATES).value == pytest.approx(expected)


def test_latency_of_a_case_without_an_achievement_is_not_applicable_and_capped_in_the_appendix():
    never = Evidence(
        "d",
        "interactive",
        (update(1, video_target_latency=None), update(2, video_target_latency=None)),
    )
    assert value("PVRL", never).status == "not_applicable"
    assert value("PVUAR", never).value == 0
    assert capped_values(TABLE, "PVRL", [UPDATES, never]) == pytest.approx(
        [(2.5 + 30 + 20.5) / 3, 30]
    )
    assert capped_values(TABLE, "PARL", [UPDATES]) == pytest.approx([(10 + 30) / 2])


def test_diagnostics_count_each_update_once_however_many_answered_about_it():
    """The order of means: units before cases. Of P1 three people speak, of P2 one; of P5 two, of P4
    one.
    """
    three = [update(1, video_target_latency=at) for at in (2.0, 4.0, None)]
    seen = Evidence("c", "interactive", (*three, update(2, video_target_latency=6.0)))
    assert capped_values(TABLE, "PVRL", [seen]) == pytest.approx([((2 + 4 + 30) / 3 + 6) / 2])
    case = "sheepdog-hill-i"
    forms = (
        dependent(case, "P4", False, None),
        dependent(case, "P5", True, 3),
        dependent(case, "P5", True, 5),
    )
    far = went("long_range", Evidence(case, "interactive", forms))
    assert (far.updates, far.established, far.following) == (2, 0.5, 4)


def test_continuity_at_prompts_is_seven_parts_signal_and_three_parts_rating():
    forms = tuple(
        Form(
            "c", "prompt", place, at + 2, "j", {"visual_continuity": rating, "audio_continuity": 4}
        )
        for place, at, rating in (("P1", 30.0, 5), ("P2", 60.0, 1))
    )
    evidence = Evidence("c", "interactive", forms, prompt_signal={"P1": 3.656, "P2": 5.0})
    assert value("PVC", evidence).value == pytest.approx((0.7 * 3.656 + 1.5 + 3.5 + 0.3) / 2)
    assert value("PAC", evidence).value == 4
    assert value("PVC", replace(evidence, prompt_signal={})).status == "not_applicable"


def test_retention_is_asked_of_every_update():
    forms = (
        Form(
            "c",
            "retention",
            "P1",
            60.0,
            "j",
            {"subject_retention": 5, "environment_retention": 3, "audio_retention": 2},
        ),
        Form(
            "c",
            "retention",
            "P2",
            90.0,
            "j",
            {"subject_retention": 1, "environment_retention": 1, "audio_retention": 4},
        ),
    )
    evidence = Evidence("c", "interactive", forms)
    assert (value("VSR", evidence).value, value("ASR", evidence).value) == (2.5, 3)


def went(kind: str, *evidence: Evidence) -> Dependency | None:
    """Return how the dependent updates of one kind went."""
    return dependency(kind, dependent_updates(TABLE.metric("HDF"), evidence, SCENARIOS, kind))


def dependent(case: str, step: str, established: bool, rating: int | None) -> Form:
    answers = {"source_state_established": established, "dependency_following": rating}
    return Form(case, "dependency", step, 180.0, "j", answers)


def test_history_that_never_came_about_is_not_applicable_and_counts_in_the_appendix():
    """sheepdog-hill-i: P2 is adjacent; P4 and P5 are long-range."""
    case = "sheepdog-hill-i"
    forms = (
        dependent(case, "P2", True, 5),
        dependent(case, "P4", False, 1),
        dependent(case, "P5", True, 3),
    )
    evidence = Evidence(case, "interactive", forms)
    assert value("HDF", evidence).value == 4
    far = went("long_range", evidence)
    assert (far.updates, far.established, far.following, far.adjusted) == (2, 0.5, 3, 0.5 * 2 / 4)
    assert went("adjacent", evidence).adjusted == 1
    none = Evidence(case, "interactive", (dependent(case, "P2", False, None),))
    assert value("HDF", none).status == "not_applicable"
    assert went("adjacent", none).adjusted == 0
    assert went("long_range", none) is None


def test_initial_alignment_reads_the_first_prompts_checklist():
    forms = tuple(
        Form(case, "initial", "P0", 30.0, "j", {"scene": 5, "subjects": low})
        for case, low in (("c", 1), ("d", 3))
    )
    evidence = [Evidence(form.case, "interactive", (form,)) for form in forms]
    assert initial_values(TABLE, "VIF", evidence) == pytest.approx([3, 4])


def test_without_weights_ten_metrics_are_unavailable_and_none_is_zero():
    evidence = Evidence("c", "progressive")
    found = {
        one.code: value(one.code, evidence) for one in TABLE.metrics if one.computed == "plug_in"
    }
    assert len(found) == 10
    assert {(one.value, one.status, one.reason) for one in found.values()} == {
        (None, "unavailable", "no weights")
    }


def test_a_plug_ins_interval_values_give_metric_and_drift():
    evidence = Evidence("c", "progressive", intervals={"AVSync": [0.2, 0.1, 0.1, 0.3, 0.3, 0.5]})
    assert value("AVSync", evidence).value == pytest.approx(0.25)
    assert value("AVSync-D", evidence).value == pytest.approx(0.3)
    assert value("AVSync-D", evidence.within(60)).value == pytest.approx(0.1)


def test_continuity_over_a_horizon_is_that_of_the_boundaries_whose_windows_are_in_it():
    scores = {40.0: 100.0, 58.0: 80.0, 59.0: 10.0, 118.0: 60.0, 170.0: 20.0}
    windows = [Window(at_s, 0, 0, 0, 0, score).as_json() for at_s, score in scores.items()]
    whole = Measurement("NBC", 54.0, "points", "continuity", "1", evidence={"windows": windows})
    evidence = Evidence(
        "c",
        "progressive",
        measured={"NBC": whole, "FPS": Measurement("FPS", 20.0, "fps", "log", "1")},
    )
    assert [value("NBC", evidence.within(horizon)).value for horizon in (60, 120)] == [90.0, 62.5]
    none = value("NBC", evidence.within(30))
    assert (none.status, none.reason) == (
        "not_applicable",
        "no boundary has a whole window inside the horizon",
    )
    assert value("FPS", evidence.within(60)).value is None
    hidden = Measurement.without(
        "NBC", "unavailable", "a web page", unit="points", tool="t", version="1"
    )
    assert (
        value("NBC", replace(evidence, measured={"NBC": hidden}).within(60)).reason == "a web page"
    )


def test_failures_are_coverage_and_an_evaluators_failure_makes_the_column_provisional():
    measured = {"NBC": Measurement("NBC", 90.0, "points", "continuity", "1")}
    hidden = {
        "NBC": Measurement.without(
            "NBC", "unavailable", "a web page", unit="points", tool="t", version="1"
        )
    }
    evidence = [
        Evidence("a", "progressive", measured=measured),
        Evidence("b", "interactive", measured={"NBC": replace(measured["NBC"], value=70.0)}),
        Evidence("c", "progressive", failure="refused"),
        Evidence("d", "progressive", measured=hidden),
    ]
    found = column("NBC", [value("NBC", one) for one in evidence])
    assert isinstance(found.estimate, Estimate)
    assert (found.estimate.value, found.estimate.n) == (80.0, 2)
    assert found.counts == {"computed": 2, "generation_failure": 1, "unavailable": 1}
    assert (found.coverage, found.is_provisional) == (0.5, False)
    failed = replace(evidence[3], evaluator_failures={"NBC": "the tool died"})
    assert column("NBC", [value("NBC", one) for one in [*evidence[:3], failed]]).is_provisional
    assert isinstance(column("NBC", [value("NBC", evidence[2])]).estimate, Undefined)
    drift = value("VQ-D", replace(evidence[0], evaluator_failures={"VQ": "no answer"}))
    assert (drift.status, drift.reason) == ("evaluator_failure", "no answer")


def test_a_track_that_a_metric_is_not_about_does_not_lower_its_coverage():
    found = column("VUF", [value("VUF", Evidence("c", "progressive")), value("VUF", UPDATES)])
    assert (found.coverage, found.estimate.n) == (1.0, 1)


def test_the_interval_is_student_s_t_and_the_bootstrap_of_the_paper_is_beside_it():
    """t with 29 degrees of freedom is 2.04523 (Fisher & Yates 1963, table III)."""
    values = [CaseValue(str(n), float(n)) for n in range(30)]
    found = column("VQ", values)
    error = 8.80341 / 30**0.5
    assert found.estimate.value == 14.5
    assert (found.estimate.low, found.estimate.high) == pytest.approx(
        (14.5 - 2.04523 * error, 14.5 + 2.04523 * error), abs=1e-4
    )
    assert found.bootstrap == pytest.approx((14.5 - 1.96 * 1.58, 14.5 + 1.96 * 1.58), abs=0.15)
    assert column("VQ", values) == found
    assert column("VQ", values[1:]).bootstrap is None


@pytest.mark.parametrize("count", [2, 4, 40])
def test_cases_that_are_all_alike_have_no_interval(count):
    found = column("VQ", [CaseValue(str(n), 1.1) for n in range(count)])
    assert (found.estimate.low, found.estimate.high, found.bootstrap) == (None, None, None)
    assert "no variation" in found.estimate.note


def test_an_interval_ends_where_the_metric_does():
    values = [CaseValue(str(n), value) for n, value in enumerate((1.0, 5.0, 5.0))]
    found = column("VQ", values, (1, 5)).estimate
    assert (found.low, found.high) == (1, 5)


def test_a_mean_does_not_depend_on_the_order_of_its_cases():
    one, other = (
        column("VQ", [CaseValue(str(n), value) for n, value in enumerate(values)]).estimate
        for values in ((1.1, 1.1, 3.5), (1.1, 3.5, 1.1))
    )
    assert one.value == other.value
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-12)


def along(*cases: list) -> list[list[tuple[float, float | None]]]:
    return [[(30.0 * number, point) for number, point in enumerate(case, 1)] for case in cases]


def test_a_trajectory_says_how_fast_it_gets_worse_whichever_way_is_better():
    falling = trajectory("VQ", along([3.0, 2.9, 2.8, 2.7, 2.6, 2.5]), better="higher")
    assert falling.at_s == (30, 60, 90, 120, 150, 180)
    changes = (falling.degradation.value, falling.variation.value)
    assert changes == pytest.approx((100 * 0.1 / 30, 0.1))
    rising, back = along([0.1, 0.2, 0.3]), along([0.3, 0.1, 0.3])
    assert trajectory("AVSync", rising, better="lower").degradation.value == pytest.approx(1 / 3)
    assert trajectory("AVSync", back, better="lower").degradation.value == pytest.approx(0)
    assert isinstance(trajectory("VQ", along([1.0, None]), better="higher"), Undefined)


def test_the_interval_of_a_trend_is_that_of_the_trends_of_its_cases():
    """Where every case has every unit, the slope of the means is the mean of the slopes, and the
    jackknife of a mean is Student's t (Efron & Tibshirani 1993, §11.2).
    """
    cases = along([3.0, 2.0, 1.0], [3.0, 3.0, 2.0], [5.0, 4.5, 4.6])
    found = trajectory("VQ", cases, better="higher").degradation
    slopes = [100 * (case[0][1] - case[2][1]) / 60 for case in cases]
    error = np.std(slopes, ddof=1) / 3**0.5
    assert (found.value, found.n) == (pytest.approx(np.mean(slopes)), 3)
    assert found.high == pytest.approx(np.mean(slopes) + 4.30265 * error, rel=1e-5)


def test_a_unit_that_only_one_case_has_leaves_the_trend_without_an_interval():
    found = trajectory("VQ", along([3.0, 2.0, 1.0], [3.0, 2.5]), better="higher")
    assert (found.degradation.low, found.variation.low) == (None, None)
    assert "without one of the cases" in found.degradation.note


def test_a_metric_that_comes_back_to_where_it_was_did_not_change() -> None:
    for better in ("higher", "lower"):
        found = trajectory("AQ", along([3.9, 4.1, 4.1, 3.9]), better=better)
        assert f"{found.degradation.value:g}" == "0"  # no noise of the arithmetic, and no minus


def test_every_mean_along_a_rollout_has_student_s_interval():
    """The jackknife of a mean is Student's t (Efron & Tibshirani 1993, §11.2); scipy's here."""
    found = trajectory(
        "VQ", along([3.0, 2.0], [4.0, 3.0], [5.0, 4.5]), better="higher", bounds=(1, 5)
    )
    first = found.means[0]
    interval = stats.t.interval(0.95, 2, 4.0, stats.sem([3.0, 4.0, 5.0]))
    assert (first.value, first.n, first.high) == (4.0, 3, 5.0)
    assert first.low == pytest.approx(interval[0])


def test_diagnostics_have_the_jackknife_over_cases():
    """Two long-range updates in each of three cases; the established shares are 1/2, 1 and 0."""
    case = "sheepdog-hill-i"
    cases = [
        Evidence(
            case, "interactive", (dependent(case, "P4", one, 3), dependent(case, "P5", two, 5))
        )
        for one, two in ((True, False), (True, True), (False, False))
    ]
    updates = dependent_updates(TABLE.metric("HDF"), cases, SCENARIOS, "long_range")
    found = dependency_document("long_range", updates)
    low, high = stats.t.interval(0.95, 2, 0.5, stats.sem([0.5, 1.0, 0.0]))
    assert (found["updates"], found["established"]["value"]) == (6, 0.5)
    assert (low, high) == (pytest.approx(0.5 - 1.242, abs=1e-3), pytest.approx(1.742, abs=1e-3))
    assert (found["established"]["low"], found["established"]["high"]) == (0.0, 1.0)
    assert found["following"]["method"] == "jackknife over 3 cases"
    assert dependency_document("adjacent", []) == {}
