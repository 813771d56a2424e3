"""The section of a protocol about blind pairs is data, read as strictly as the rest."""

from __future__ import annotations

from typing import Any

import pytest

from fartbench.protocol import ProtocolError, parse_protocol
from tests.pairs import PAIRS, content_with_pairs

OPTIONS = PAIRS["answer_sets"]["preference"]["options"]


def faults_of(**changes: Any) -> str:
    with pytest.raises(ProtocolError) as caught:
        parse_protocol(content_with_pairs(**changes), source="test")
    return "\n".join(caught.value.faults)


def with_options(*options: dict[str, str]) -> dict[str, Any]:
    return {"answer_sets": {"preference": {"options": list(options)}}}


def test_a_protocol_without_pairs_has_none() -> None:
    content = content_with_pairs()
    content.pop("pairs")
    assert parse_protocol(content, source="test").pairs is None


def test_answers_are_found_by_how_they_count_and_the_other_way_round() -> None:
    pairs = parse_protocol(content_with_pairs(), source="test").pairs
    assert pairs is not None
    assert [
        pairs.outcome("convincing", option.value) for option in pairs.options("convincing")
    ] == [
        "a",
        "b",
        "tie",
        "both_bad",
    ]
    assert pairs.answer("convincing", "both_bad") == "both_bad"
    with pytest.raises(KeyError):
        pairs.outcome("convincing", "c")
    with pytest.raises(KeyError):
        pairs.question("charming")


def test_both_bad_may_be_left_out() -> None:
    pairs = parse_protocol(content_with_pairs(**with_options(*OPTIONS[:3])), source="test").pairs
    assert pairs is not None and pairs.answer("convincing", "both_bad") is None


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"reviewers": 5}, "pairs.reviewers: 5 are asked about each pair, and the cohort has 4"),
        ({"meetings": 0}, "pairs.meetings"),
        ({"count": 120}, "pairs: pairs have either “meetings” or a “count”"),
        ({"meetings": None}, "pairs: pairs have either “meetings” or a “count”"),
        ({"colour": "red"}, "pairs.colour: unknown key"),
        (with_options(OPTIONS[0], OPTIONS[1], OPTIONS[3]), "no answer counts as 'tie'"),
        (with_options(*OPTIONS[:3], OPTIONS[3] | {"counts": "tie"}), "outcome 'tie' appears twice"),
        (with_options(*OPTIONS[:3], OPTIONS[3] | {"key": "a"}), "key 'a' appears twice"),
        (with_options(*OPTIONS[:3], OPTIONS[3] | {"key": "m"}), "key 'm' is one of the player's"),
        (
            {"questions": [*PAIRS["questions"], *PAIRS["questions"]]},
            "question 'convincing' appears twice",
        ),
        (
            {"questions": [PAIRS["questions"][0] | {"answers": "none"}]},
            "there is no answer set 'none'",
        ),
    ],
)
def test_each_fault_is_named(changes: dict[str, Any], words: str) -> None:
    assert words in faults_of(**changes)
