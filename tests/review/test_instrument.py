"""The form is drawn from the protocol: a small second instrument works without new plumbing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from review.browser import browser_rules
from review.models import AnswerSheet
from review.page import answer_keys, question_blocks, stages
from review.selectors import next_assignment
from tests.factories import make_protocol, open_round, reviewers_of
from tests.review.second_instrument import write_second_instrument

pytestmark = pytest.mark.django_db


@pytest.fixture
def instrument(tmp_path: Path) -> Path:
    return write_second_instrument(tmp_path)


def test_it_is_shown_saved_gated_and_locked(instrument: Path) -> None:
    round_ = open_round(protocol=make_protocol(instrument))
    rae = reviewers_of(round_)[0]
    due = next_assignment(rae, round_)
    assert due is not None
    client = Client()
    client.force_login(rae.user)
    page = client.get(reverse("review-sheet", args=[due.stimulus_id])).content.decode()
    assert all(
        words in page
        for words in ("How witty is it?", "Is that why?", "Much 0", "N/A: Too dark", "twice")
    )

    def lock(plays: int, **changes: str) -> Any:
        covered = [[[0, 1.2]]] * plays
        body = {"wit": "0", "side": "both", "why": "na:still"} | changes
        content = json.dumps(
            {"revision": 0, "answers": body, "playback": {"covered": covered, "plays": plays}}
        )
        address = reverse("review-lock", args=[due.stimulus_id])
        headers = {"accept": "application/json"}
        return client.post(address, content, headers=headers, content_type="application/json")

    assert "why" in lock(2, wit="1").json()["violations"]
    assert lock(1).json()["code"] == "not_played"
    assert lock(2).status_code == 200
    assert AnswerSheet.objects.get().responses()["why"].na_reason == "still"


def test_its_page_and_rules_follow_from_the_file(instrument: Path) -> None:
    form = make_protocol(instrument).form("hall")
    first, second = stages(form, question_blocks(form, {}))
    assert [block.key for block in first.blocks] == ["wit", "side"]
    assert [choice.key for choice in first.blocks[0].choices] == ["0", "1", "2", "3"]
    assert [choice.condition for choice in second.blocks[0].na] == ["", "only when “Wit” is Much 0"]
    rules = browser_rules(form)
    assert rules["playback"] == {"fullPlays": 2, "fraction": 0.9}
    assert {"question": "why", "answer": "na:still", "when": ["wit", "0"]} in rules["allowed"]


@pytest.mark.parametrize(
    ("values", "keys"),
    [
        (["yes", "no", "unclear"], ["y", "n", "u"]),
        (["1", "2", "3"], ["1", "2", "3"]),
        (["left", "right"], ["1", "2"]),
        (["better", "bad"], ["1", "2"]),
        (["9", "10"], ["1", "2"]),
    ],
)
def test_each_answer_has_a_key_of_its_own(values: list[str], keys: list[str]) -> None:
    assert answer_keys(values) == keys
