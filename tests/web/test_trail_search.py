"""The audit trail is searched and taken away, without what could be guessed from."""

from __future__ import annotations

import csv
import io
from datetime import timedelta
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fartbench import audit
from fartbench.models import AuditEntry
from review.models import AnswerSheet
from tests.scoring.rows import answer_all, make_open_round
from tests.web.test_staff import LIFT, staff_page, text_of

__all__ = ["staff_page"]  # a fixture

# The search uses the database's own ways with JSON and text, so both engines take part.
pytestmark = pytest.mark.django_db


def note(action: str, **details: Any) -> AuditEntry:
    actor = details.pop("actor", "ada")
    with transaction.atomic():
        return audit.record(action, actor=actor, **details)


def rows_of(client: Client, **query: str) -> list[dict[str, str]]:
    response = client.get(reverse("staff-audit-csv"), query)
    assert response.status_code == 200
    text = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    return list(csv.DictReader(io.StringIO(text)))


def numbers(rows: list[dict[str, str]]) -> list[int]:
    return [int(row["sequence"]) for row in rows]


def test_each_field_narrows_what_is_found(staff_page: Client) -> None:
    first = note("cell set", round_name="spring", reason="The Lift was too loud")
    second = note("cell set", round_name="autumn", actor="bo", reason="late")
    third = note("round opened", round_name="spring", actor="bo")
    both = [third.sequence, first.sequence]
    assert numbers(rows_of(staff_page, round="spring")) == both
    assert numbers(rows_of(staff_page, person="BO")) == [third.sequence, second.sequence]
    assert numbers(rows_of(staff_page, kind="cell set")) == [second.sequence, first.sequence]
    assert numbers(rows_of(staff_page, object="lift was")) == [first.sequence]
    assert numbers(rows_of(staff_page, object="lift was", person="bo")) == []


def test_days_are_whole_and_both_belong_to_it(staff_page: Client) -> None:
    entry = note("cell set", reason="late")
    day = entry.at.date()
    before, after = day - timedelta(days=1), day + timedelta(days=1)
    kind = entry.action  # the account that looks has an entry of its own
    only = rows_of(staff_page, kind=kind, since=str(day), until=str(day))
    assert numbers(only) == [entry.sequence]
    assert rows_of(staff_page, kind=kind, until=str(before)) == []
    assert rows_of(staff_page, kind=kind, since=str(after)) == []


def test_a_search_with_an_error_says_so_beside_its_field_and_finds_nothing(
    staff_page: Client,
) -> None:
    note("cell set", reason="late")
    day = timezone.now().date()
    query = {"since": str(day), "until": str(day - timedelta(days=1))}
    page = text_of(staff_page, "staff-audit", **query)
    assert "This day is before the first one. Exchange the two." in page
    assert "0 entries found" in page
    response = staff_page.get(reverse("staff-audit-csv"), query)
    assert response.status_code == 302
    assert response["Location"].startswith(f"{reverse('staff-audit')}?since=")


def test_what_could_confirm_a_guess_is_neither_searched_nor_sent(staff_page: Client) -> None:
    answer_all(make_open_round(name="spring", scenes=LIFT))
    sheet = AnswerSheet.objects.exclude(digest="").first()
    assert sheet is not None
    assert rows_of(staff_page, object=sheet.digest) == []
    of_the_clip = rows_of(staff_page, object=sheet.stimulus_id, kind="sheet locked")
    locked = AuditEntry.objects.filter(
        action="sheet locked", details__stimulus=sheet.stimulus_id
    ).values_list("sequence", flat=True)
    assert sorted(numbers(of_the_clip)) == sorted(locked)
    everything = "".join(str(row) for row in rows_of(staff_page))
    for entry in AuditEntry.objects.filter(action="sheet locked"):
        assert entry.details["digest"] not in everything
        assert entry.hash not in everything


def test_an_order_is_found_by_its_configurations_and_not_by_its_seed(staff_page: Client) -> None:
    order = note("clips commissioned", configurations=["toad 2"], seed=71234)
    assert numbers(rows_of(staff_page, object="toad 2")) == [order.sequence]
    assert rows_of(staff_page, object="71234") == []
    assert "71234" not in rows_of(staff_page, object="toad 2")[0]["details"]


def test_no_cell_of_the_file_runs_in_a_spreadsheet(staff_page: Client) -> None:
    note("cell set", actor="=1+1", reason="late")
    assert rows_of(staff_page)[0]["person"] == "'=1+1"


def test_pages_of_a_search_keep_it(staff_page: Client) -> None:
    for _ in range(51):
        note("cell set", round_name="spring", reason="late & loud")
    page = text_of(staff_page, "staff-audit", object="late & loud")
    assert "51 entries found" in page
    assert 'href="?page=2&amp;object=late+%26+loud"' in page
