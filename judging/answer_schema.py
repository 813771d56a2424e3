"""The JSON schema of a judge's answer, derived from the form, and the strict reading of a reply. No
Django here.

What the form does not permit cannot be expressed: ``answers`` is an inline ``anyOf`` with one
branch for each way in which the conditions of the N/A answers can turn out. Every value is a string
enum, every property is required, no object is open and the order is that of the form, so facts come
before ratings. Only keywords are used that the strict structured outputs of several vendors accept.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import product
from typing import Any

from fartbench.protocol import Form, Response, ResponseError

ANSWERS = "answers"


class NotAnAnswer(ValueError):
    """A reply that is not what the schema and the form permit.

    It is recorded as invalid, and never repaired.
    """


def answer_schema(form: Form, *, reverse: bool = False) -> dict[str, Any]:
    """Return the schema (JSON Schema) of an answer to this form; with ``reverse`` each question's
    values stand last to first.
    """
    branches = [_closed(branch, reverse=reverse) for branch in _branches(form)]
    return {
        "type": "object",
        "properties": {ANSWERS: {"anyOf": branches}},
        "required": [ANSWERS],
        "additionalProperties": False,
    }


def _closed(branch: dict[str, list[str]], *, reverse: bool) -> dict[str, Any]:
    properties = {}
    for question, texts in branch.items():
        values = list(reversed(texts)) if reverse else texts
        properties[question] = {"type": "string", "enum": values}
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def _branches(form: Form) -> Iterator[dict[str, list[str]]]:
    """Yield for each way that the conditions can turn out what may then be answered, by question.

    A question that others depend on is cut into each value that is asked for and all the rest;
    within a branch every condition is settled, so the branch is a plain product of values.
    """
    cuts = {question: _cut(form, question) for question in dict.fromkeys(_conditions(form))}
    for classes in product(*cuts.values()):
        chosen = dict(zip(cuts, classes, strict=True))
        branch = {question: _permitted(form, question, chosen) for question in form.keys}
        if all(branch.values()):
            yield branch


def _conditions(form: Form) -> Iterator[str]:
    for answer in form.allowed:
        if answer.requires_question is not None:
            yield answer.requires_question


def _cut(form: Form, question: str) -> list[frozenset[str]]:
    """Return the values that conditions name, one by one, after all the rest of them."""
    rest, named = set(), {}
    for answer in form.allowed:
        if answer.question == question:
            rest.add(str(answer.response))
        if answer.requires_question == question:
            value = str(answer.requires_value)
            named[value] = frozenset({value})
    rest -= named.keys()
    classes = list(named.values())
    if rest:
        classes.insert(0, frozenset(rest))
    return classes


def _permitted(form: Form, question: str, chosen: dict[str, frozenset[str]]) -> list[str]:
    texts = []
    for answer in form.allowed:
        text, needed = str(answer.response), answer.requires_question
        if answer.question != question or text in texts:
            continue
        if needed is not None and chosen[needed] != {answer.requires_value}:
            continue
        if question not in chosen or text in chosen[question]:
            texts.append(text)
    return texts


def with_ordering(schema: Any) -> Any:
    """Return the schema with Gemini's ``propertyOrdering`` in every object."""
    if isinstance(schema, list):
        return [with_ordering(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    ordered = {key: with_ordering(part) for key, part in schema.items()}
    if "required" in schema:
        return ordered | {"propertyOrdering": list(schema["required"])}
    return ordered


def read_answer(text: str, form: Form) -> dict[str, Response]:
    """Return the answers of a reply by question.

    Raises NotAnAnswer, saying where, unless it is one JSON object with exactly the form's questions
    in it and a combination that the form permits.
    """
    try:
        reply = json.loads(text, object_pairs_hook=_without_repeats)
    except (ValueError, RecursionError) as error:
        raise NotAnAnswer(f"it is no JSON: {error}") from error
    answers = _only(reply, [ANSWERS], "the reply")[ANSWERS]
    given = _only(answers, form.keys, ANSWERS)
    try:
        responses = {question: _response(question, given[question]) for question in form.keys}
    except ResponseError as error:
        raise NotAnAnswer(str(error)) from error
    if violations := form.violations(responses):
        raise NotAnAnswer("; ".join(str(violation) for violation in violations))
    return responses


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    answers = dict(pairs)
    if len(answers) != len(pairs):
        raise ValueError("a key appears twice in one object")
    return answers


def _only(value: Any, keys: Iterable[str], what: str) -> dict[str, Any]:
    expected = list(keys)
    if not isinstance(value, dict) or set(value) != set(expected):
        if isinstance(value, dict):
            there = ", ".join(sorted(value))
        else:
            there = type(value).__name__
        raise NotAnAnswer(
            f"{what} must hold exactly {', '.join(expected)}, and is {there or 'empty'}"
        )
    return value


def _response(question: str, text: Any) -> Response:
    if not isinstance(text, str):
        raise NotAnAnswer(f"{question}: {text!r} is not text")
    response = Response.parse(text)
    if str(response) != text:
        raise NotAnAnswer(f"{question}: {text!r} is not written as an answer is")
    return response
