"""What staff may look into and take away: previews, the trail, tables; and how rounds and cells are
made by hand.
"""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from blinding.models import Stimulus
from fartbench import writeonce
from fartbench.models import AuditEntry
from generation.cells import configuration_named, lay_out
from generation.models import Sample
from review.models import Answer, AnswerSheet, Reviewer, Source
from tests.factories import make_locked_sheet, make_round, reviewers_of
from tests.scoring.rows import (
    answer_all,
    make_filled_round,
    make_locked_round,
    make_open_round,
    make_published_round,
)
from tests.web.test_staff import LIFT, admin_page, do, staff_page, text_of, words_of

__all__ = ["admin_page", "staff_page"]  # fixtures

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]


def test_a_preview_of_rows_that_were_altered_is_refused(staff_page: Client) -> None:
    round_ = make_locked_round(name="spring", scenes=LIFT)
    writeonce.uninstall(using="default")
    Answer.objects.filter(question="event").update(value="no")
    writeonce.install(using="default")
    response = staff_page.post(
        reverse("staff-preview", args=["spring"]), {"reason": "a look"}, follow=True
    )
    assert words_of(response)
    assert response.redirect_chain == [(reverse("staff-round", args=[round_.name]), 302)]


def test_reminders_are_written_for_those_who_have_clips_left(
    admin_page: Client, staff_page: Client
) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT, configurations=("alpha",))
    first, second, *_ = reviewers_of(round_)
    make_locked_sheet(first, Stimulus.objects.get(round=round_))
    page = text_of(admin_page, "staff-reviewers", "spring")
    assert f"Remind {second.email}" in page and f"Remind {first.email}" not in page
    assert "1 of your 1 clips" in page and "Your link: http://127.0.0.1:8000/i/" in page
    assert "staff-reviewers" not in text_of(staff_page, "staff-round", "spring")


def test_scripted_reviewers_are_marked(staff_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    assert "Simulated" not in text_of(staff_page, "staff-round", "spring")
    Reviewer.objects.filter(pk=reviewers_of(round_)[0].pk).update(simulated=True)
    assert text_of(staff_page, "staff-round", "spring").count(">Simulated<") == 1


def test_a_preview_takes_a_reason_is_recorded_and_says_that_nothing_is_published(
    staff_page: Client,
) -> None:
    round_ = make_locked_round(name="spring", scenes=LIFT, source=Source.SIMULATED)
    address = reverse("staff-preview", args=["spring"])
    asked = staff_page.get(address).content.decode()
    assert "alpha" not in asked
    refused = staff_page.post(address, {"reason": "  "}).content.decode()
    assert "Give a reason" in refused
    assert "alpha" not in refused
    assert not AuditEntry.objects.filter(action="scores previewed").exists()
    shown = staff_page.post(address, {"reason": "before the meeting"})
    page = shown.content.decode()
    for words in (
        "Preview, not published",
        "alpha",
        "Simulated: a demonstration",
        Stimulus.objects.first().pk,
    ):
        assert words in page
    assert "no-store" in shown["Cache-Control"]
    entry = AuditEntry.objects.get(action="scores previewed")
    assert (entry.actor, entry.round_name, entry.details) == (
        "stan",
        "spring",
        {"reason": "before the meeting"},
    )
    assert Client().get(reverse("leaderboard", args=["spring"])).status_code == 404
    assert round_.releases.count() == 0


@pytest.mark.parametrize("make", [make_filled_round, make_open_round, make_published_round])
def test_there_is_no_preview_of_a_round_in_another_state(admin_page: Client, make: Any) -> None:
    make(name="spring", scenes=LIFT)
    address = reverse("staff-preview", args=["spring"])
    assert admin_page.get(address).status_code == 404
    assert admin_page.post(address, {"reason": "curious"}).status_code == 404
    assert not AuditEntry.objects.filter(action="scores previewed").exists()


def test_the_trail_is_paged_filtered_and_keeps_back_what_could_be_guessed_from(
    staff_page: Client,
) -> None:
    round_ = make_open_round(
        name="spring", scenes=LIFT, configurations=tuple(f"c{one}" for one in range(14))
    )
    answer_all(round_)
    make_round(name="other")
    page = text_of(staff_page, "staff-audit")
    assert "Page 1 of 2" in page
    assert "Sheet locked" in page
    assert AnswerSheet.objects.exclude(digest="").count() == 56
    for digest in AnswerSheet.objects.values_list("digest", flat=True):
        assert digest not in page
    second = text_of(staff_page, "staff-audit", page="2", round="spring")
    assert "Round opened" in second
    assert "?page=1&round=spring" in second.replace("&amp;", "&")
    assert "Nothing yet" in text_of(staff_page, "staff-audit", round="other")


def test_an_admin_sets_the_outcome_of_a_cell_that_brought_no_clip(admin_page: Client) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT)
    assert "Set the outcome of a cell" not in text_of(admin_page, "staff-round", "spring")
    lay_out(round_, configuration_named("late one")[0])

    def late() -> Sample:
        return Sample.objects.get(cell__configuration__name="late one")

    page = text_of(admin_page, "staff-round", "spring")
    assert 'value="late one/r01-lift/1"' in page
    fields = {"cell": "late one/r01-lift/1", "outcome": "failed", "reason": "it timed out"}
    for missing in (
        {"cell": ""},
        {"outcome": "delivered"},
        {"outcome": ""},
        {"reason": " "},
        {"cell": "late one/r01/1"},
    ):
        refused = do(admin_page, round_, "mark_cell", **(fields | missing))
        assert "errorlist" in refused.content.decode() or words_of(refused)
        assert late().state == "planned"
    assert "“Failed”" in words_of(do(admin_page, round_, "mark_cell", **fields))
    assert late().reason == "it timed out"


def test_staff_downloads_the_tables_of_a_closed_round_for_a_recorded_reason(
    staff_page: Client,
) -> None:
    make_locked_round(name="spring", scenes=LIFT)
    address = reverse("staff-export", args=["spring"])
    assert "Say what the export is for" in words_of(staff_page.post(address, follow=True))
    response = staff_page.post(address, {"reason": "the paper"})
    with zipfile.ZipFile(BytesIO(response.getvalue())) as archive:
        names = archive.namelist()
        answers = archive.read("spring/answers.csv").decode()
    assert {"spring/answers.csv", "spring/scores.json", "spring/SHA256SUMS"} <= set(names)
    assert answers.count("\n") == 1 + 2 * 4 * 6
    assert "spring.zip" in response["Content-Disposition"]
    entry = AuditEntry.objects.get(action="round exported")
    assert (entry.actor, entry.details["reason"]) == ("stan", "the paper")
    assert list(Path(settings.DATA_DIR).glob("export-*")) == []


def test_an_open_round_is_not_exported(staff_page: Client) -> None:
    make_open_round(name="spring", scenes=LIFT)
    response = staff_page.post(
        reverse("staff-export", args=["spring"]), {"reason": "curious"}, follow=True
    )
    assert "out of order" in words_of(response)
    assert reverse("staff-export", args=["spring"]) not in response.content.decode()
    assert not AuditEntry.objects.filter(action="round exported").exists()


def test_unknown_rounds_and_steps(admin_page: Client) -> None:
    for name in ("staff-round", "staff-progress", "staff-preview"):
        assert admin_page.get(reverse(name, args=["nowhere"])).status_code == 404
    assert (
        admin_page.post(reverse("staff-step", args=["nowhere"]), {"step": "publish"}).status_code
        == 404
    )
    for step in ("jump", "import_clips"):  # the second has a command, and no form
        assert "There is no step" in words_of(do(admin_page, make_round(), step))
