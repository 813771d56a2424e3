"""Calibration of AI judges: agreement gate by gate, leniency, ratings, and the words in which a
verdict is given.
"""

import json
from typing import Any

import numpy as np
import pytest
from scipy import stats

from scoring.records import CellRecord, RoundRecord, tally
from scoring.reports import reports_document
from scoring.reports.human_ai import NO_JUDGES, human_ai_report
from scoring.scores.standings import results_of
from tests.scoring.judges import Says, judged, make_judge
from tests.scoring.record_factory import ALL_RIGHT, SCENES, make_record

TWELVE = [f"c{number:02}" for number in range(12)]
MIDDLE = {
    "event": "yes",
    "cause": "yes",
    "detail": "yes",
    "sound": "3",
    "timing": "3",
    "people": "3",
}


def alike(answer: str) -> list[str]:
    return [answer] * 4


def report(record: RoundRecord, says: Says) -> dict[str, Any]:
    """Return what the report says of one judge; it must be plain JSON without NaN."""
    found = human_ai_report(tally(judged(record, make_judge(record, says)))).document()
    json.dumps(found, allow_nan=False)
    return found["judges"][0]


def varied_round(configurations: list[str] = TWELVE) -> RoundRecord:
    """Return a round in which people agree, and causes and ratings differ from clip to clip."""
    votes = {
        (name, scene): {
            "cause": alike("no" if (number + place) % 3 == 0 else "yes"),
            "sound": alike(str(1 + (number + place) % 5)),
        }
        for number, name in enumerate(configurations)
        for place, scene in enumerate(SCENES)
    }
    return make_record(configurations=configurations, votes=votes)


def truth_of(record: RoundRecord) -> dict[str, dict[str, str]]:
    """Return what everybody answered, by stimulus."""
    book, found = record.book, {}
    for cell, answers in zip(
        record.sheets.cell.tolist(), record.sheets.answers.tolist(), strict=True
    ):
        texts = {
            key: book.texts(key)[code] for key, code in zip(book.questions, answers, strict=True)
        }
        found[record.cells[cell].stimulus] = texts
    return found


def test_without_a_judge_it_says_so() -> None:
    assert human_ai_report(tally(make_record())) == NO_JUDGES


def test_a_judge_that_agrees_is_calibrated_and_tells_clips_apart() -> None:
    record = varied_round()
    truth = truth_of(record)
    found = report(record, lambda cell: truth[cell.stimulus])
    for question, gate in found["facts"].items():
        assert gate["overall"] | {"share": None, "commonest": None, "confusion": None} | {
            "n": 48, "agreed": 48, "verdict": "met_surely", "met": True,
        } == gate["overall"] | {"share": None, "commonest": None,
                                "confusion": None}, question  # fmt: skip
        assert {part["n"] for part in gate["by_scene"].values()} == {12}
    assert found["facts"]["cause"]["leniency"]["overall"]["value"] == 0
    sound = found["ratings"]["sound"]
    assert sound["reads"] == "MAE criterion met · useful discrimination demonstrated"
    assert (sound["mae"]["value"], sound["discrimination"]["ordered_rightly"]["value"]) == (0, 1)
    # People rate all clips of people and timing alike, so nobody could show that they tell them
    # apart.
    assert found["ratings"]["timing"]["reads"].startswith(
        "MAE criterion met · useful discrimination not demonstrated"
    )


def test_source_and_cause_stand_first() -> None:
    assert list(report(varied_round(), lambda _cell: ALL_RIGHT)["facts"]) == [
        "cause",
        "event",
        "detail",
    ]


def test_the_constant_middle_reads_as_the_seed_says() -> None:
    votes = {(name, scene): {"sound": alike(str(2 + (n + p) % 3))} for n, name in enumerate(TWELVE)
             for p, scene in enumerate(SCENES)}  # fmt: skip
    found = report(make_record(configurations=TWELVE, votes=votes), lambda _cell: MIDDLE)
    sound = found["ratings"]["sound"]
    # Human ratings 2, 3, 4 in equal numbers: a constant 3 misses by 2/3 on average, as the best
    # constant does.
    assert sound["mae"]["value"] == pytest.approx(2 / 3)
    best = sound["best_constant"]
    assert (best["rating"], best["mae"]["value"]) == (3, pytest.approx(2 / 3))
    assert best["skill"]["value"] == pytest.approx(0)
    assert best["mae"]["n"] == best["skill"]["n"] == sound["n"]
    assert sound["discrimination"]["d"]["value"] == 0
    assert sound["reads"] == "MAE criterion met · useful discrimination not demonstrated"


@pytest.mark.parametrize(
    ("people", "verdict"), [("5", "not met"), ("4", "met"), ("2", "met"), ("1", "not met")]
)
def test_the_criterion_is_met_up_to_one_point_exactly(people: str, verdict: str) -> None:
    votes = {(name, scene): {"sound": alike(people)} for name in TWELVE for scene in SCENES}
    found = report(make_record(configurations=TWELVE, votes=votes), lambda _cell: MIDDLE)[
        "ratings"
    ]["sound"]
    assert found["criterion"] == verdict


def test_the_median_of_people_is_not_rounded() -> None:
    votes = {(name, scene): {"sound": ["2", "3", "3", "2"]} for name in TWELVE for scene in SCENES}
    found = report(make_record(configurations=TWELVE, votes=votes), lambda _cell: MIDDLE)[
        "ratings"
    ]["sound"]
    assert (found["mae"]["value"], found["best_constant"]["rating"]) == (0.5, 2.5)


def test_fewer_than_three_ratings_are_no_consensus() -> None:
    votes = {("c00", scene): {"event": alike("no"), "sound": ["na:no_sound", "na:no_sound", "2",
                                                              "3"]}
             for scene in SCENES}  # fmt: skip
    found = report(make_record(configurations=TWELVE, votes=votes), lambda _cell: MIDDLE)[
        "ratings"
    ]["sound"]
    assert (found["clips"], found["n"]) == (44, 44)


def test_with_few_configurations_discrimination_is_not_estimable() -> None:
    found = report(varied_round(["a", "b", "c", "d"]), lambda _cell: MIDDLE)["ratings"]["sound"]
    assert found["reads"] == (
        "MAE criterion not met · useful discrimination not demonstrated (not estimable: 4 "
        "configurations)"
    )


def test_missing_ratings_are_counted_and_above_a_fifth_nothing_is_said() -> None:
    record = varied_round()

    def says(cell: CellRecord) -> dict[str, str] | str:
        return "blocked" if cell.scene == "r01-lift" else MIDDLE

    found = report(record, says)["ratings"]["sound"]
    assert (found["clips"], found["missing"], found["n"]) == (48, 12, 36)
    assert found["criterion"] == "not estimable (12 of 48 ratings missing)"
    few = report(record, lambda cell: "error" if str(cell).startswith("c00") else MIDDLE)[
        "ratings"
    ]["sound"]
    assert (few["missing"], few["criterion"]) == (4, "not met")


def one_scene(right: int, n: int, *, question: str = "event") -> dict[str, Any]:
    """Return one gate of the lift where ``right`` of ``n`` answers agree with people."""
    names = [f"c{number:03}" for number in range(n)]
    right_names = set(names[:right])
    record = make_record(configurations=names)
    wrong = ALL_RIGHT | {question: "no"}
    found = report(record, lambda cell: ALL_RIGHT if cell.configuration in right_names else wrong)
    return found["facts"][question]["by_scene"]["r01-lift"]


# Statistics of this project: 19/25 has Wilson's [.566, .885]; 23/25 is the smallest whose limit is
# at least .75.
@pytest.mark.parametrize(
    ("right", "n", "question", "verdict"),
    [
        (7, 10, "event", "met"), (6, 10, "event", "not_met"), (9, 9, "event", "too_few"),
        (7, 10, "cause", "not_met"), (9, 12, "cause", "met"), (8, 12, "cause", "not_met"),
        (22, 25, "cause", "met"), (23, 25, "cause", "met_surely"), (22, 25, "event", "met_surely"),
        (21, 25, "event", "met"),
    ],
)  # fmt: skip
def test_thresholds_are_whole_numbers(right: int, n: int, question: str, verdict: str) -> None:
    found = one_scene(right, n, question=question)
    assert (found["agreed"], found["n"], found["verdict"]) == (right, n, verdict)
    interval = stats.binomtest(right, n).proportion_ci(method="wilson")
    assert [found["share"]["low"], found["share"]["high"]] == pytest.approx(
        list(interval), abs=1e-9
    )


def test_no_answer_where_people_agree_is_a_disagreement_and_na_of_people_is_left_out() -> None:
    votes = {
        ("c00", "r01-lift"): {"event": alike("no"), "cause": alike("na:no_event")},
        ("c01", "r01-lift"): {"cause": ["yes", "yes", "no", "no"]},
        ("c02", "r01-lift"): {"cause": alike("unclear")},
    }

    def says(cell: CellRecord) -> dict[str, str] | str:
        if cell.configuration == "c03":
            return "invalid"
        if cell.configuration == "c04":
            return MIDDLE | {"event": "no", "cause": "na:no_event"}
        return MIDDLE

    found = report(make_record(configurations=TWELVE, votes=votes), says)["facts"]["cause"][
        "by_scene"
    ]["r01-lift"]
    assert (found["n"], found["agreed"]) == (10, 7)
    assert found["left_out"] == {"split": 1, "na": 1, "incomplete": 0, "not_asked": 0}
    assert found["confusion"]["yes"] == {"yes": 7, "no": 0, "unclear": 0, "na": 1, "none": 1}
    assert found["confusion"]["unclear"] == {"yes": 1, "no": 0, "unclear": 0, "na": 0, "none": 0}
    assert (found["commonest"]["answer"], found["commonest"]["share"]["value"]) == ("yes", 0.9)


def test_a_lenient_judge_is_found_out_where_it_matters() -> None:
    record = varied_round()
    truth = truth_of(record)
    found = report(record, lambda cell: truth[cell.stimulus] | {"cause": "yes"})
    cause = found["facts"]["cause"]
    assert cause["leniency"]["overall"]["value"] == 1
    assert cause["leniency"]["overall"]["n"] == 16
    assert cause["overall"]["agreed"] == 32
    assert cause["overall"]["verdict"] == "not_met"
    assert cause["overall"]["confusion"]["no"]["yes"] == 16
    assert found["ratings"]["sound"]["reads"].endswith("useful discrimination demonstrated")


def test_a_judge_that_was_not_asked_everything_gets_no_verdict() -> None:
    found = report(
        make_record(configurations=TWELVE),
        lambda cell: "due" if str(cell) == "c00/r01-lift/1" else MIDDLE,
    )
    lift = found["facts"]["event"]["by_scene"]["r01-lift"]
    assert (lift["n"], lift["left_out"]["not_asked"], lift["verdict"], lift["met"]) == (
        11,
        1,
        "not_complete",
        None,
    )
    assert found["facts"]["event"]["by_scene"]["r01-squat"]["verdict"] == "met_surely"


def test_the_human_ceiling_is_one_reviewer_against_the_three_others() -> None:
    votes = {("c00", "r01-lift"): {"event": ["yes", "yes", "yes", "no"]}}
    record = make_record(configurations=TWELVE, votes=votes)
    found = report(record, lambda _cell: MIDDLE)["facts"]["event"]["by_scene"]["r01-lift"][
        "human_ceiling"
    ]
    # Eleven clips with four comparisons each that agree; on the twelfth only the odd one out meets
    # three alike.
    assert (found["n"], found["value"]) == (45, pytest.approx(44 / 45))


def test_clips_of_one_configuration_count_as_related() -> None:
    record = make_record(configurations=TWELVE)
    found = report(
        record, lambda cell: MIDDLE if cell.configuration < "c09" else MIDDLE | {"event": "no"}
    )
    share = found["facts"]["event"]["overall"]["share"]
    plain = stats.binomtest(36, 48).proportion_ci(method="wilson")
    assert share["method"] == "Wilson, clustered by configuration"
    assert share["low"] < plain.low
    assert share["high"] > plain.high


def test_sensitivity_runs_stand_beside_and_replace_nothing() -> None:
    record = varied_round()
    truth = truth_of(record)
    frozen = make_judge(record, lambda cell: truth[cell.stimulus])
    deaf = make_judge(record, lambda cell: truth[cell.stimulus] | {"sound": "1"}, variant="muted")
    alone = human_ai_report(tally(judged(record, frozen))).document()
    found = human_ai_report(tally(judged(record, frozen, deaf))).document()
    assert found["judges"] == alone["judges"]
    assert alone["sensitivity"] == []
    (muted,) = found["sensitivity"]
    assert (muted["judge"], muted["variant"]) == ("judge", "muted")
    assert muted["questions"]["event"]["kept"]["value"] == 1
    ratings = np.array([int(answers["sound"]) for answers in truth.values()])
    assert muted["questions"]["sound"]["kept"]["value"] == pytest.approx((ratings == 1).mean())
    assert muted["questions"]["sound"]["moved"]["value"] == pytest.approx((1 - ratings).mean())


def test_nothing_of_a_judge_enters_scores_gates_or_ranks() -> None:
    record = varied_round()
    without = results_of(record)
    beside = results_of(judged(record, make_judge(record, lambda _cell: MIDDLE)))
    assert beside.standings == without.standings
    one, other = reports_document(without)["reports"], reports_document(beside)["reports"]
    assert one.pop("human_ai_agreement") != other.pop("human_ai_agreement")
    assert one == other
