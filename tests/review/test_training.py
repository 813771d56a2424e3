"""Training clips: part of the way in, explained, and in no count."""

from __future__ import annotations

from dataclasses import replace

import pytest
from django.test import Client
from django.urls import reverse

from fartbench import audit
from fartbench.models import AuditEntry, Round, RoundState
from review.errors import TrainingRefused
from review.models import Answer, AnswerSheet, Reviewer, TrainingClip
from review.progress import missing_sheets, progress_of_round
from review.selectors import next_assignment, training_due, training_of
from review.services import StoredFile, keep_training, lock_sheet
from tests.factories import answers, make_training_clips, open_round, reviewers_of
from tests.unguarded import unguarded

pytestmark = pytest.mark.django_db

RIGHT = {question: str(response) for question, response in answers().items()}
NOTHING_HEARD = {
    "event": "no",
    "cause": "na:no_event",
    "detail": "yes",
    "sound": "na:no_sound",
    "timing": "1",
}


@pytest.fixture
def round_() -> Round:
    return open_round(scenes=["r01-lift", "r01-chair"])


@pytest.fixture
def clips(round_: Round) -> list[TrainingClip]:
    return make_training_clips(round_.protocol)


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def client(rae: Reviewer) -> Client:
    client = Client()
    client.force_login(rae.user)
    return client


def page(round_: Round, place: int) -> str:
    return reverse("review-training", args=[round_.name, place])


def due_page(round_: Round, rae: Reviewer) -> str:
    return reverse("review-sheet", args=[next_assignment(rae, round_).stimulus_id])


def test_training_comes_before_the_queue_and_only_once(
    client: Client, round_: Round, rae: Reviewer, clips: list[TrainingClip]
) -> None:
    first = due_page(round_, rae)
    assert client.get(first)["Location"] == page(round_, 1)
    for place, given in ((1, RIGHT), (2, RIGHT | NOTHING_HEARD)):
        assert client.get(page(round_, place)).status_code == 200
        assert client.post(page(round_, place), given).status_code == 200
    assert client.get(first).status_code == 200
    assert client.get(page(round_, 1)).status_code == 200  # again, if one likes


def test_a_round_without_training_clips_skips_it(
    client: Client, round_: Round, rae: Reviewer
) -> None:
    assert client.get(due_page(round_, rae)).status_code == 200
    assert client.get(page(round_, 1)).status_code == 404


def test_clips_made_later_do_not_stop_who_has_begun(
    client: Client, round_: Round, rae: Reviewer
) -> None:
    lock_sheet(
        reviewer=rae, stimulus_id=next_assignment(rae, round_).stimulus_id, responses=answers()
    )
    make_training_clips(round_.protocol)
    assert client.get(due_page(round_, rae)).status_code == 200


def test_each_answer_is_compared_and_explained(
    client: Client, round_: Round, clips: list[TrainingClip]
) -> None:
    text = client.post(page(round_, 1), RIGHT | {"cause": "no"}).content.decode()
    assert text.count(">Fits<") == 5 and text.count(">Look again<") == 1
    assert all(f"because of {question}" in text for question in RIGHT)


@pytest.mark.parametrize(
    "change", [{"sound": ""}, {"cause": "na:no_event"}, {"event": "perhaps"}, {"timing": "9"}]
)
def test_what_the_form_does_not_allow_is_refused_here_too(
    client: Client, round_: Round, rae: Reviewer, clips: list[TrainingClip], change: dict[str, str]
) -> None:
    reply = client.post(page(round_, 1), RIGHT | change)
    assert reply.status_code == 422
    assert 'value="yes" data-key="y" checked' in reply.content.decode()
    assert training_due(rae.memberships.get()) == clips[0]


def test_it_counts_for_nothing_and_no_answer_is_kept(
    client: Client, round_: Round, rae: Reviewer, clips: list[TrainingClip]
) -> None:
    before = (missing_sheets(round_), progress_of_round(round_), AuditEntry.objects.count())
    client.post(page(round_, 1), RIGHT)
    client.post(page(round_, 2), {"action": "skip"})
    assert (missing_sheets(round_), progress_of_round(round_), AuditEntry.objects.count()) == before
    assert not AnswerSheet.objects.exists() and not Answer.objects.exists()
    assert rae.memberships.get().practised == [clip.pk for clip in clips]


def test_training_waits_for_the_start_page_and_ends_with_the_round(
    client: Client, round_: Round, clips: list[TrainingClip]
) -> None:
    media = reverse("training-media", args=[clips[0].pk])
    assert b"".join(client.get(media).streaming_content)[4:8] == b"ftyp"
    round_.members.update(sound_checked_at=None)
    assert client.get(page(round_, 1))["Location"] == reverse("review-start", args=[round_.name])
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    assert client.get(page(round_, 1))["Location"] == reverse("review-home")
    assert client.get(media).status_code == 404


def test_a_round_has_the_training_of_its_scenes(clips: list[TrainingClip]) -> None:
    assert [clip.scene for clip in training_of(open_round(scenes=["r01-chair"]))] == ["r01-chair"]


def test_clips_are_stored_once_and_only_with_answers_that_the_form_allows(round_: Round) -> None:
    clips = make_training_clips(round_.protocol)
    assert make_training_clips(round_.protocol) == clips
    assert list(audit.faults()) == []
    bad = {
        key: replace(solution, answer="na:no_event") for key, solution in clips[0].solutions.items()
    }
    other = open_round().protocol
    with unguarded():
        TrainingClip.objects.all().delete()
    with pytest.raises(TrainingRefused, match="break a rule"):
        keep_training(
            protocol=other, clips=[("r01-lift", StoredFile("0" * 64, 1), bad)], actor="test"
        )
