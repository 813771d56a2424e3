"""The rating instrument of Core v0.1: numbers, flags, what does not apply, and the first impression
that stands.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from fartbench.models import Round
from fartbench.protocol import Response
from review.browser import browser_rules
from review.errors import InvalidAnswers, NotPlayed, ToolsTooSoon
from review.models import Answer, AnswerSheet, Form, Reviewer, Source
from review.page import question_blocks, stages
from review.selectors import next_assignment
from review.services import enter_sheet, lock_sheet, report_unplayable, save_draft
from tests.factories import (
    CLIP_SECONDS,
    CORE_V01,
    make_protocol,
    open_round,
    pilot_answers,
    reviewers_of,
)

pytestmark = pytest.mark.django_db

TWICE = {"covered": [[[0.0, CLIP_SECONDS]], [[0.0, CLIP_SECONDS]]], "plays": 2}
IMPRESSION = {"impression": Response(value="3")}


@pytest.fixture
def round_() -> Round:
    return open_round(configurations=1, scenes=["fb-c02"], protocol=make_protocol(CORE_V01))


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def clip(round_: Round, rae: Reviewer) -> str:
    assignment = next_assignment(rae, round_)
    assert assignment is not None
    return assignment.stimulus_id


@pytest.fixture
def save(rae: Reviewer, clip: str) -> Callable[..., Any]:
    def save(revision: int, responses: dict[str, Response], **more: Any) -> Any:
        return save_draft(
            reviewer=rae, stimulus_id=clip, revision=revision, responses=responses, **more
        )

    return save


def test_nothing_is_answered_before_the_first_impression(save: Callable[..., Any]) -> None:
    with pytest.raises(InvalidAnswers, match="event_present: the first impression comes before it"):
        save(0, {**IMPRESSION, "event_present": Response(value="yes")})
    assert not Answer.objects.exists()
    assert save(0, IMPRESSION).has_impression is False


def test_a_first_impression_is_kept_after_two_plays_and_then_stands(
    save: Callable[..., Any],
) -> None:
    once = {"covered": [[[0.0, CLIP_SECONDS]]], "plays": 1}
    with pytest.raises(NotPlayed):
        save(0, IMPRESSION, playback=once, keep_impression=True)
    kept = save(0, IMPRESSION, playback=TWICE, keep_impression=True)
    assert kept.has_impression
    with pytest.raises(
        InvalidAnswers, match="impression: the first impression stays as it was given"
    ):
        save(kept.revision, {"impression": Response(value="0")})
    with pytest.raises(InvalidAnswers, match="the first impression stays"):
        save(kept.revision, {"impression": None})
    later = save(kept.revision, {**IMPRESSION, "event_present": Response(value="yes")})
    assert later.responses["event_present"] == Response(value="yes")


def test_tools_open_after_the_first_impression(save: Callable[..., Any]) -> None:
    with pytest.raises(ToolsTooSoon):
        save(0, IMPRESSION, playback=TWICE | {"tool_uses": 1})
    kept = save(0, IMPRESSION, playback=TWICE, keep_impression=True)
    stepped = save(kept.revision, {}, playback=TWICE | {"tool_uses": 4})
    assert stepped.playback["tool_uses"] == 4


def test_an_impression_without_its_answer_is_not_kept(save: Callable[..., Any]) -> None:
    with pytest.raises(InvalidAnswers, match="impression: the answer is missing"):
        save(0, {}, playback=TWICE, keep_impression=True)


def test_a_sheet_is_not_locked_before_its_first_impression(rae: Reviewer, clip: str) -> None:
    everything = pilot_answers("fb-c02")
    with pytest.raises(InvalidAnswers):
        lock_sheet(reviewer=rae, stimulus_id=clip, revision=0, responses=everything, playback=TWICE)
    locked = lock_sheet(reviewer=rae, stimulus_id=clip, responses=everything, keep_impression=True)
    assert locked.impression_at is not None
    assert locked.locked_at is not None


def test_a_clip_can_be_unplayable_after_the_impression(
    save: Callable[..., Any], rae: Reviewer, clip: str
) -> None:
    save(0, IMPRESSION, playback=TWICE, keep_impression=True)
    assert report_unplayable(reviewer=rae, stimulus_id=clip, reason="stops").unplayable_at


class TestTheDatabaseItself:
    def test_a_kept_impression_does_not_change_and_its_time_neither(
        self, save: Callable[..., Any], clip: str
    ) -> None:
        save(0, IMPRESSION, playback=TWICE, keep_impression=True)
        sheet = AnswerSheet.objects.get(stimulus=clip)
        answer = sheet.answers.get(question="impression")
        for change in (
            lambda: Answer.objects.filter(pk=answer.pk).update(value="0"),
            lambda: AnswerSheet.objects.filter(pk=sheet.pk).update(impression_at=None),
        ):
            with pytest.raises(IntegrityError, match="stands"), transaction.atomic():
                change()
        answer.delete()
        with (
            pytest.raises(IntegrityError, match="answer_joins_no_kept_impression"),
            transaction.atomic(),
        ):
            Answer.objects.create(sheet=sheet, question="impression", value="0")

    def test_an_impression_is_not_kept_before_it_is_given(
        self, save: Callable[..., Any], clip: str
    ) -> None:
        save(0, IMPRESSION)
        sheet = AnswerSheet.objects.get(stimulus=clip)
        sheet.answers.all().delete()
        with pytest.raises(IntegrityError, match="sheet_impression_is_given"), transaction.atomic():
            AnswerSheet.objects.filter(pk=sheet.pk).update(impression_at=sheet.started_at)

    @pytest.mark.parametrize(
        ("question", "text"),
        [
            ("event_count", "21"),
            ("event_count", "1.5"),
            ("first_fart_time", "8.1"),
            ("f_no_event", "unclear"),
            ("social", "na:not_applicable"),
            ("wetness", "na:no_event"),
        ],
    )
    def test_an_answer_of_a_new_kind_that_is_not_allowed_keeps_the_sheet_open(
        self, rae: Reviewer, clip: str, question: str, text: str
    ) -> None:
        sheet, given = _draft_of(rae, clip), Response.parse(text)
        Answer.objects.filter(sheet=sheet, question=question).update(
            value=given.value, na_reason=given.na_reason
        )
        with pytest.raises(IntegrityError, match="sheet_must_be_complete"), transaction.atomic():
            AnswerSheet.objects.filter(pk=sheet.pk).update(
                locked_at=sheet.started_at, impression_at=sheet.started_at
            )

    def test_a_whole_sheet_locks_and_only_with_its_impression(
        self, rae: Reviewer, clip: str
    ) -> None:
        sheet = _draft_of(rae, clip)
        with (
            pytest.raises(IntegrityError, match="sheet_locks_after_its_impression"),
            transaction.atomic(),
        ):
            AnswerSheet.objects.filter(pk=sheet.pk).update(locked_at=sheet.started_at)
        AnswerSheet.objects.filter(pk=sheet.pk).update(
            locked_at=sheet.started_at, impression_at=sheet.started_at
        )


def _draft_of(reviewer: Reviewer, clip: str) -> AnswerSheet:
    """Return a complete draft whose impression is not kept, written past every service."""
    form = Form.objects.get(scene="fb-c02")
    sheet = AnswerSheet.objects.create(reviewer=reviewer, stimulus_id=clip, form=form)
    Answer.objects.bulk_create(
        Answer(sheet=sheet, question=key, value=given.value, na_reason=given.na_reason)
        for key, given in pilot_answers("fb-c02").items()
    )
    return sheet


def test_what_does_not_apply_is_answered_by_the_rules() -> None:
    round_ = open_round(configurations=1, scenes=["fb-c06"], protocol=make_protocol(CORE_V01))
    stimulus = round_.stimuli.get()
    asked = {
        key: given for key, given in pilot_answers("fb-c06").items() if given.value is not None
    }
    sheet = enter_sheet(
        reviewer=reviewers_of(round_)[0],
        stimulus=stimulus,
        responses=asked,
        source=Source.SIMULATED,
    )
    assert sheet.responses()["alignment"] == Response(na_reason="not_applicable")
    assert len(sheet.responses()) == 36
    assert sheet.impression_at == sheet.locked_at


def test_the_page_and_its_rules_follow_from_the_file() -> None:
    form = make_protocol(CORE_V01).form("fb-c06")
    parts = stages(form, question_blocks(form, {}))
    assert [stage.title for stage in parts] == list(form.protocol.stages)
    assert [len(stage.flags) for stage in parts] == [0, 0, 0, 15, 0]
    assert [block.key for block in parts[2].settled] == ["alignment", "plausibility"]
    assert [len(stage.anchors) for stage in parts] == [1, 0, 1, 0, 0]
    numbers = [block.number for stage in parts for block in stage.questions]
    flags = 15
    assert numbers == list(range(1, 36 - flags - len(form.settled) + 1))
    rules = browser_rules(form)
    assert rules["settled"]["alignment"] == "na:not_applicable"
    assert rules["firstImpression"] == ["impression"]


def test_a_plain_form_locks_with_everything_at_once(
    client: Client, rae: Reviewer, clip: str
) -> None:
    client.force_login(rae.user)
    page = client.get(reverse("review-sheet", args=[clip])).content.decode()
    assert 'name="f_no_event" value="no"' in page
    assert 'type="number" name="event_count" min="0" max="20" step="1"' in page
    sent: dict[str, Any] = {
        key: str(given) for key, given in pilot_answers("fb-c02", f_av_desync="yes").items()
    }
    # A browser sends a ticked flag twice: the hidden no, then the box.
    sent |= {"f_av_desync": ["no", "yes"], "action": "lock"}
    response = client.post(reverse("review-lock", args=[clip]), sent)
    assert response.status_code == 302
    assert AnswerSheet.objects.get().responses()["f_av_desync"] == Response(value="yes")
    locked = client.get(reverse("review-sheet", args=[clip])).content.decode()
    assert "N/A" not in locked
    assert "3.4" in locked


def test_the_script_is_told_that_the_impression_is_kept(
    client: Client, rae: Reviewer, clip: str
) -> None:
    client.force_login(rae.user)

    def put(body: dict[str, Any]) -> Any:
        address, headers = reverse("review-draft", args=[clip]), {"accept": "application/json"}
        return client.put(
            address, json.dumps(body), headers=headers, content_type="application/json"
        )

    answers = {"impression": "2"}
    first = put({"revision": 0, "answers": answers, "playback": TWICE | {"tool_uses": 2}})
    assert (first.status_code, first.json()["code"]) == (422, "tools")
    kept = put(
        {"revision": 0, "answers": answers, "playback": TWICE, "keepImpression": True}
    ).json()
    assert kept["hasImpression"] is True
    again = put({"revision": 0, "answers": answers, "playback": TWICE, "keepImpression": True})
    assert (again.status_code, again.json()["revision"]) == (200, kept["revision"])
