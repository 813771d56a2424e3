"""What is typed besides answers is checked by forms that say what is missing."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from review.models import MistakeReport
from review.selectors import next_assignment
from tests.factories import make_locked_sheet, open_round, reviewers_of

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


def test_an_empty_note_says_what_to_type(client: Client) -> None:
    round_ = open_round()
    rae = reviewers_of(round_)[0]
    due = next_assignment(rae, round_)
    assert due is not None
    make_locked_sheet(rae, due.stimulus)
    client.force_login(rae.user)
    address = reverse("review-mistake", args=[due.stimulus_id])
    page = client.post(address, {"text": "  "}, follow=True).content.decode()
    assert "Say what is wrong." in page
    assert not MistakeReport.objects.exists()


def test_an_empty_return_code_says_what_to_type(client: Client) -> None:
    answer = client.post(reverse("review-return"), {"code": ""})
    assert answer.status_code == 422
    assert "Type the code." in answer.content.decode()
