"""The rules of the form: which combinations of answers may stand, and what happens to those that
may not.
"""

from itertools import product
from pathlib import Path

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import strategies as st

from fartbench.protocol import Form, Response, ResponseError, form_for, load_protocol

PROTOCOL = load_protocol(
    Path(settings.BASE_DIR) / "fixtures" / "protocols" / "core-r01" / "1.0.0"
).protocol
ANY_REASON = "no_event"


def choices(form: Form, question: str) -> list[Response]:
    """Each value of a question, and N/A: its own reason, or any where it has none."""
    na = [answer.response for answer, _ in form.na_options(question)] or [
        Response(na_reason=ANY_REASON)
    ]
    return [Response(value=option.value) for option in form.options(question)] + na


def said(**texts: str) -> dict[str, Response]:
    return {question: Response.parse(text) for question, text in texts.items()}


# Counts: 2 x 3 x 3 x 5 x 5 x 6 with the event yes or unclear, plus 4 x 4 x 216 (or 4 x 3 x 216)
# with the event no.
@pytest.mark.parametrize(
    ("scene", "allowed"),
    [("r01-lift", 6156), ("r01-squat", 5292), ("r01-chair", 5292), ("r01-toast", 6156)],
)
def test_exactly_the_combinations_of_the_map_are_allowed(scene: str, allowed: int) -> None:
    form = form_for(PROTOCOL, scene)
    table = list(product(*(choices(form, key) for key in form.keys)))
    assert len(table) == 13_824
    assert (
        sum(not form.violations(dict(zip(form.keys, row, strict=True))) for row in table) == allowed
    )


@pytest.mark.parametrize(
    ("scene", "answers", "question", "words"),
    [
        ("r01-lift", {"event": "na:no_event"}, "event", "never N/A"),
        (
            "r01-lift",
            {"event": "yes", "cause": "na:no_event"},
            "cause",
            "only when 'event' was answered 'no'",
        ),
        (
            "r01-lift",
            {"event": "unclear", "cause": "na:no_event"},
            "cause",
            "only when 'event' was answered 'no'",
        ),
        (
            "r01-squat",
            {"event": "no", "detail": "na:no_event"},
            "detail",
            "never N/A in this scene",
        ),
        (
            "r01-lift",
            {"event": "no", "sound": "na:no_event"},
            "sound",
            "an N/A here is na:no_sound",
        ),
        ("r01-lift", {"event": "no", "sound": "na"}, "sound", "an N/A needs its reason"),
        ("r01-lift", {"sound": "6"}, "sound", "'6' is not an answer; allowed are 1, 2, 3, 4, 5"),
        ("r01-lift", {"event": "maybe"}, "event", "allowed are yes, no, unclear"),
        ("r01-lift", {"colour": "red"}, "colour", "there is no such question"),
    ],
)
def test_a_violation_names_question_and_rule(
    scene: str, answers: dict[str, str], question: str, words: str
) -> None:
    violations = form_for(PROTOCOL, scene).violations(said(**answers), complete=False)
    assert [violation.question for violation in violations] == [question]
    assert words in violations[0].rule


def test_a_no_never_forces_an_na() -> None:
    form = form_for(PROTOCOL, "r01-lift")
    assert not form.violations(
        said(event="no", cause="yes", detail="no", sound="2", timing="1", people="3")
    )


def test_a_missing_answer_is_a_violation_of_a_complete_sheet_only() -> None:
    form = form_for(PROTOCOL, "r01-lift")
    assert [v.question for v in form.violations(said(event="yes"))] == [
        "cause",
        "detail",
        "sound",
        "timing",
        "people",
    ]
    assert not form.violations(said(event="yes"), complete=False)


def test_what_is_no_longer_allowed_is_cleared() -> None:
    form = form_for(PROTOCOL, "r01-lift")
    before = said(
        event="no",
        cause="na:no_event",
        detail="no",
        sound="na:no_sound",
        people="na:no_people_visible",
    )
    assert set(form.permitted(before)) == set(before)
    assert set(form.permitted(before | said(event="yes"))) == {"event", "detail", "people"}


@given(st.data())
def test_what_is_permitted_breaks_no_rule_and_clearing_again_changes_nothing(
    data: st.DataObject,
) -> None:
    form = form_for(PROTOCOL, data.draw(st.sampled_from([scene.key for scene in PROTOCOL.scenes])))
    answers = {
        key: data.draw(st.sampled_from(choices(form, key)))
        for key in form.keys
        if data.draw(st.booleans())
    }
    kept = form.permitted(answers)
    assert not form.violations(kept, complete=False)
    assert form.permitted(kept) == kept
    assert kept.items() <= answers.items()


def test_ratings_come_after_the_facts() -> None:
    assert [question.stage for question in PROTOCOL.questions] == [1, 1, 1, 2, 2, 2]


@pytest.mark.parametrize("text", ["yes", "4", "na:no_event"])
def test_an_answer_reads_as_it_is_written(text: str) -> None:
    assert str(Response.parse(f"  {text} ")) == text


def test_an_answer_is_a_value_or_an_na() -> None:
    with pytest.raises(ResponseError):
        Response.parse("  ")
    with pytest.raises(ResponseError):
        Response(value="yes", na_reason="no_event")
