"""The schema of a judge's answer: what it can express is exactly what the form permits, in words
that others know.
"""

import itertools
import json
from functools import cache

import pytest

from fartbench.protocol import Form, Response, parse_protocol
from fartbench.protocol.form import form_for
from judging.answer_schema import ANSWERS, NotAnAnswer, answer_schema, read_answer, with_ordering
from tests.scoring.record_factory import SCENES, core_r01

LARGEST = 3000  # bytes: beyond it services begin to answer “too many states for serving”
# What Gemini's documentation of response_json_schema lists, and strict schemas of others know too.
KEYWORDS = {"type", "properties", "required", "additionalProperties", "enum", "anyOf"}
GOOD = {
    "event": "yes",
    "cause": "yes",
    "detail": "no",
    "sound": "4",
    "timing": "3",
    "people": "na:no_people_visible",
}


parsed = cache(Response.parse)


def form_of(scene: str) -> Form:
    return form_for(core_r01().protocol, scene)


def expresses(schema: dict, answers: dict[str, str]) -> bool:
    """Say whether an answer is one that the schema describes: closed objects, every property,
    string enums.
    """
    return any(
        set(answers) == set(branch["properties"])
        and all(answers[key] in part["enum"] for key, part in branch["properties"].items())
        for branch in schema["properties"][ANSWERS]["anyOf"]
    )


def every_combination(form: Form) -> list[dict[str, str]]:
    """Return each question's values with every N/A reason there is, in all combinations: 13,824 of
    core-r01.
    """
    values = []
    for question in form.questions:
        own = {f"na:{reason}" for reason in form.protocol.na_reasons}
        offered = {str(answer.response) for answer, _ in form.na_options(question.key)}
        values.append(
            [
                *(option.value for option in form.options(question.key)),
                *(sorted(offered) or [min(own)]),
            ]
        )
    return [
        dict(zip(form.keys, combination, strict=True)) for combination in itertools.product(*values)
    ]


@pytest.mark.parametrize(
    ("scene", "same_map"), [("r01-lift", "r01-toast"), ("r01-squat", "r01-chair")]
)
def test_every_combination_is_expressed_exactly_when_the_form_permits_it(
    scene: str, same_map: str
) -> None:
    assert form_of(scene).allowed == form_of(same_map).allowed, (
        "what holds of one holds of the other"
    )
    form = form_of(scene)
    schema, reversed_schema = answer_schema(form), answer_schema(form, reverse=True)
    combinations = every_combination(form)
    permitted = 0
    for answers in combinations:
        allowed = not form.violations({key: parsed(text) for key, text in answers.items()})
        permitted += allowed
        assert expresses(schema, answers) == expresses(reversed_schema, answers) == allowed, answers
    # 2 x 3 x 3 x 5 x 5 x 6 with an event, and N/A in up to four more places without (design of the
    # form's guard)
    assert (len(combinations), permitted) == (13_824, 6_156 if scene == "r01-lift" else 5_292)


def test_a_form_whose_conditions_follow_one_another_is_expressed_exactly_too() -> None:
    rules = [
        {"question": "cause", "reason": "no_event", "when": {"question": "event", "value": "no"}},
        {"question": "detail", "reason": "no_event", "when": {"question": "cause", "value": "no"}},
        {
            "question": "detail",
            "reason": "no_sound",
            "when": {"question": "cause", "value": "unclear"},
        },
        {"question": "sound", "reason": "no_sound"},
        {
            "question": "sound",
            "reason": "no_event",
            "when": {"question": "event", "value": "unclear"},
        },
    ]
    content = {**core_r01().content, "na_rules": rules}
    # Two scales would only multiply what one shows.
    content["questions"] = [
        question for question in content["questions"] if question["key"] not in ("timing", "people")
    ]
    form = form_for(parse_protocol(content, source="chained"), "r01-lift")
    schema = answer_schema(form)
    values = [
        sorted({str(a.response) for a in form.allowed if a.question == key}) for key in form.keys
    ]
    found = [
        dict(zip(form.keys, combination, strict=True)) for combination in itertools.product(*values)
    ]
    verdicts = {
        (
            expresses(schema, answers),
            not form.violations({key: parsed(text) for key, text in answers.items()}),
        )
        for answers in found
    }
    assert verdicts == {(True, True), (False, False)}


@pytest.mark.parametrize("scene", SCENES)
def test_it_is_small_closed_and_in_the_order_of_the_form(scene: str) -> None:
    form = form_of(scene)
    schema = with_ordering(answer_schema(form))
    assert len(json.dumps(schema, separators=(",", ":"))) < LARGEST
    for branch in schema["properties"][ANSWERS]["anyOf"]:
        assert (
            list(branch["properties"])
            == branch["required"]
            == branch["propertyOrdering"]
            == list(form.keys)
        )
        assert branch["additionalProperties"] is False
        assert all(
            part["type"] == "string" and part["enum"] for part in branch["properties"].values()
        )
    assert schema["type"] == "object", "strict schemas of other vendors want an object at the root"
    assert keywords(answer_schema(form)) <= KEYWORDS


def keywords(schema: object) -> set[str]:
    if isinstance(schema, list):
        return set().union(*(keywords(part) for part in schema)) if schema else set()
    if not isinstance(schema, dict):
        return set()
    if "properties" in schema:
        inner = set().union(*(keywords(part) for part in schema["properties"].values()))
        return {*schema, *inner}
    return {
        *schema,
        *(word for key, part in schema.items() if key == "anyOf" for word in keywords(part)),
    }


def test_a_good_reply_is_read_as_it_stands() -> None:
    responses = read_answer(json.dumps({ANSWERS: GOOD}), form_of("r01-lift"))
    assert {key: str(response) for key, response in responses.items()} == GOOD


@pytest.mark.parametrize(
    ("reply", "words"),
    [
        ("", "no JSON"),
        ("{", "no JSON"),
        ("```json\n{}\n```", "no JSON"),
        ("[]", "the reply must hold exactly answers"),
        (json.dumps({ANSWERS: GOOD, "note": "x"}), "the reply must hold exactly answers"),
        (json.dumps({ANSWERS: {**GOOD, "more": "1"}}), "answers must hold exactly"),
        (
            json.dumps({ANSWERS: {k: v for k, v in GOOD.items() if k != "cause"}}),
            "answers must hold exactly",
        ),
        (json.dumps({ANSWERS: {**GOOD, "sound": 4}}), "sound: 4 is not text"),
        (json.dumps({ANSWERS: {**GOOD, "sound": "6"}}), "'6' is not an answer"),
        (json.dumps({ANSWERS: {**GOOD, "event": "Yes"}}), "'Yes' is not an answer"),
        (json.dumps({ANSWERS: {**GOOD, "event": " yes"}}), "not written as an answer is"),
        (
            json.dumps({ANSWERS: {**GOOD, "cause": "na:no_event"}}),
            "allowed only when 'event' was answered 'no'",
        ),
        (json.dumps({ANSWERS: {**GOOD, "event": "na:no_event"}}), "never N/A"),
        ('{"answers": {}, "answers": ' + json.dumps(GOOD) + "}", "twice"),
    ],
)
def test_anything_else_is_no_answer_and_is_not_repaired(reply: str, words: str) -> None:
    with pytest.raises(NotAnAnswer, match=words):
        read_answer(reply, form_of("r01-lift"))
