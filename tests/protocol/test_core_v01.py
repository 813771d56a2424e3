"""Core v0.1 as data, and the kinds of answers, rules and scores that it needs beyond core-r01."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.conf import settings

from fartbench.protocol import ProtocolError, Response, form_for, load_protocol

FOLDER = Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-v0.1" / "0.1.0"
PROTOCOL = load_protocol(FOLDER).protocol

# Core v0.1 document: section 4 (tests with their applicable dimensions), section 11 (weights).
DIMENSIONS = {"01": 7, "02": 7, "03": 6, "04": 6, "05": 6, "06": 5, "07": 6, "08": 6}
WEIGHTS = {"A": 22, "T": 16, "L": 16, "P": 14, "I": 12, "S": 10, "C": 10}


def test_eight_tests_with_the_dimensions_that_apply() -> None:
    found = {
        scene.key.removeprefix("fb-c"): sum(
            form_for(PROTOCOL, scene.key).asks(dimension.question)
            for dimension in PROTOCOL.scoring.dimensions
        )
        for scene in PROTOCOL.scenes
    }
    assert found == DIMENSIONS
    assert {
        dimension.code: dimension.weight for dimension in PROTOCOL.scoring.dimensions
    } == WEIGHTS


def test_nine_observations_come_before_the_dimensions_and_fifteen_failure_codes_after() -> None:
    by_stage = [[q.key for q in PROTOCOL.questions if q.stage == number] for number in range(1, 6)]
    assert [len(keys) for keys in by_stage] == [1, 9, 7, 15, 4]
    assert PROTOCOL.playback.first_impression == tuple(by_stage[0])
    assert set(by_stage[2]) == {dimension.question for dimension in PROTOCOL.scoring.dimensions}
    assert PROTOCOL.keys_of("flag") == tuple(by_stage[3])
    assert PROTOCOL.playback.full_plays == 2


def test_a_dimension_is_na_exactly_where_the_specification_says_so() -> None:
    for scene in PROTOCOL.scenes:
        form = form_for(PROTOCOL, scene.key)
        for dimension in PROTOCOL.scoring.dimensions:
            answers = [
                str(answer.response)
                for answer in form.allowed
                if answer.question == dimension.question
            ]
            expected = (
                ["0", "1", "2", "3", "4"]
                if form.asks(dimension.question)
                else ["na:not_applicable"]
            )
            assert answers == expected, (scene.key, dimension.code)


def test_counts_and_times_are_lists_of_answers_as_browsers_write_them() -> None:
    form = form_for(PROTOCOL, "fb-c07")
    assert [option.value for option in form.options("event_count")] == [
        str(number) for number in range(21)
    ]
    seconds = [option.value for option in form.options("first_fart_time")]
    assert (len(seconds), seconds[0], seconds[10], seconds[34], seconds[-1]) == (
        81,
        "0",
        "1",
        "3.4",
        "8",
    )
    said = {"event_count": Response(value="21"), "first_fart_time": Response(value="3.45")}
    rules = [violation.rule for violation in form.violations(said, complete=False)]
    assert rules == [
        "'21' is not an answer; allowed are 0 to 20 in steps of 1",
        "'3.45' is not an answer; allowed are 0 to 8 in steps of 0.1 and na:no_event or "
        "na:not_measurable",
    ]


def test_a_question_that_does_not_apply_is_settled_and_takes_no_value() -> None:
    form = form_for(PROTOCOL, "fb-c06")
    assert form.settled["alignment"] == Response(na_reason="not_applicable")
    (violation,) = form.violations({"alignment": Response(value="3")}, complete=False)
    assert "does not apply in this scene; its answer is na:not_applicable" in violation.rule


def test_a_cohort_of_one_is_possible_and_three_are_whole() -> None:
    cohort = PROTOCOL.cohort
    assert (cohort.fewest, cohort.size, cohort.most) == (1, 3, 12)
    assert [cohort.quorum_of(reviewers) for reviewers in (1, 2, 3, 4, 5)] == [1, 2, 2, 3, 3]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("kind: count, highest: 20", "kind: count", "answer_sets.number_of_events: a count needs a "
                                                    "highest value"),
        ("kind: count, highest: 20", "kind: count, highest: 2000", "more than 101 answers"),
        ("kind: time, highest: 8, step: 0.1", "kind: time, highest: 8, step: 0.01", "take a larger "
                                                                                    "step"),
        ("flag: {kind: flag}", "flag: {kind: flag, highest: 2}", "a flag has no lowest, highest or "
                                                                 "step"),
        ("[impression]", "[impression, event_count]", "'event_count' is of stage 2"),
        ("[First impression, Observations,", "[First impression,", "stages: 4 titles for 5 stages"),
        ("question: acoustic, code: A", "question: event_count, code: A", "its answers are not a "
                                                                          "scale from 0"),
        ("question: acoustic, code: A", "question: impression, code: A", "is a first impression "
                                                                         "and cannot be scored"),
        ("kind: mean, question: wetness", "kind: mean, question: social", "a metric may not use a "
                                                                          "scored question"),
        ("kind: mean, question: wetness", "kind: mean, question: event_count", "'event_count' is "
                                                                               "no scale"),
        ("kind: mean, question: wetness", "kind: mean", "a metric of kind mean needs a question"),
        ("ceiling: 50, when: [{question: correct_actor, value: ", "ceiling: 50, when: [{question: "
                                                                  "social, value: ",
         "'social' is a scale; a condition reads facts"),
        ("scenes: [fb-c06]}\n    - {key: wrong", "scenes: [fb-c60]}\n    - {key: wrong",
         "there is no scene 'fb-c60'"),
        ("rank_by: [fartscore]", "rank_by: [factual_score]", "ranked by fartscore alone"),
        ("rank_by: [fartscore]", "gates: [event_present]\n  rank_by: [fartscore]", "made of gates "
                                                                                   "or of dimensions"),
        ('event_count: "2"', 'event_count: "x2"', "'event_count' has no answer 'x2'"),
        ("quorum: majority", "quorum: 2", "may have several sizes needs “quorum: majority”"),
        ("smallest: 1", "smallest: 4", "a cohort of 3 does not lie between 4 and 12"),
        ("scenes: [fb-c06], only: true}\n  - {question: correct", "only: true}\n  - {question: "
                                                                  "correct",
         "scenes.fb-c01.expects.event_count: the question is not asked in this scene"),
        ("scene: fb-c02\n", "scene: fb-c20\n", "smoke.scene: there is no scene 'fb-c20'"),
    ],
)  # fmt: skip
def test_a_fault_names_its_path_and_rule(tmp_path: Path, old: str, new: str, expected: str) -> None:
    text = (FOLDER / "protocol.yaml").read_text(encoding="utf-8")
    assert old in text
    (tmp_path / "protocol.yaml").write_text(text.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(ProtocolError) as caught:
        load_protocol(tmp_path)
    assert any(expected in fault for fault in caught.value.faults), caught.value.faults
