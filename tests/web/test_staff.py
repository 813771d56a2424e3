"""Pages of staff and admins: what they show of a round in each state, and the steps as buttons."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from blinding.models import BlindCopy, BlindingKey, NotReviewable, Stimulus
from fartbench.models import AuditEntry, Job, JobState, RoundState, WorkerBeat
from generation.models import Sample
from review.models import Invite
from review.services.locking import report_unplayable
from tests.factories import make_locked_sheet, make_round, make_staff, reviewers_of
from tests.scoring.rows import (
    answer_all,
    make_filled_round,
    make_locked_round,
    make_open_round,
    make_published_round,
)

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

LIFT = ["r01-lift"]


def links_on(page: str) -> set[str]:
    """Return the invite links that a page shows as such."""
    return set(re.findall(r"data-copied>(http://127\.0\.0\.1:8000/i/[^<]+)<", page))


def make_admin() -> User:
    admin = make_staff("ada")
    admin.user_permissions.add(
        Permission.objects.get(codename="change_round", content_type__app_label="fartbench")
    )
    return admin


@pytest.fixture
def admin_page() -> Client:
    client = Client()
    client.force_login(make_admin())
    return client


@pytest.fixture
def staff_page() -> Client:
    client = Client()
    client.force_login(make_staff("stan"))
    return client


def text_of(client: Client, name: str, *args: str, **query: str) -> str:
    response = client.get(reverse(name, args=args), query)
    assert response.status_code == 200
    return " ".join(response.content.decode().split())


def do(client: Client, round_: Any, step: str, **fields: str) -> Any:
    return client.post(
        reverse("staff-step", args=[round_.name]), {"step": step, **fields}, follow=True
    )


def words_of(response: Any) -> str:
    return "\n".join(str(message) for message in response.context["messages"])


def test_rounds_are_listed_with_their_state_and_what_is_due(staff_page: Client) -> None:
    assert "No rounds yet" in text_of(staff_page, "staff-home")
    make_round(name="empty")
    make_filled_round(name="filled", scenes=LIFT)
    make_open_round(name="opened", scenes=LIFT, configurations=("gamma",))
    make_published_round(name="shown", scenes=LIFT, configurations=("delta",))
    page = text_of(staff_page, "staff-home")
    for words in (
        "the round has no clips yet",
        "4 sheets are still missing",
        "0 of 4",
        "4 of 4",
        "Published",
    ):
        assert words in page


def test_a_round_shows_cells_reviewers_and_progress_and_no_answers(admin_page: Client) -> None:
    round_ = make_open_round(
        name="spring", scenes=LIFT, refused={("beta", "r01-lift"): "the maker's policy"}
    )
    first = reviewers_of(round_)[0]
    stimulus = Stimulus.objects.get(round=round_)
    make_locked_sheet(first, stimulus, event="unclear")
    page = text_of(admin_page, "staff-round", "spring")
    for words in (
        "1 delivered, 1 refused",
        "the maker&#x27;s policy",
        first.code,
        first.email,
        "1 of 4",
        stimulus.pk,
    ):
        assert words in page
    assert "unclear" not in page.lower()


def test_only_admins_see_addresses_and_buttons(staff_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    page = text_of(staff_page, "staff-round", "spring")
    assert reviewers_of(round_)[0].code in page
    assert "@" not in page.replace("core-r01@1.0.0", "")
    assert 'method="post" action="/staff/' not in page
    assert "These steps take an admin: “Ask the AI judges”, “Close the round”" in page


@pytest.mark.parametrize("make", [make_filled_round, make_open_round, make_locked_round])
def test_the_page_of_a_round_never_says_whose_clip_a_stimulus_is(
    admin_page: Client, make: Any
) -> None:
    """Not even when it is closed: the preview is the logged way to that."""
    make(name="spring", scenes=LIFT)
    with CaptureQueriesContext(connection) as captured:
        text_of(admin_page, "staff-round", "spring")
        admin_page.get(reverse("staff-progress", args=["spring"]))
    shown = [query["sql"] for query in captured if BlindingKey._meta.db_table in query["sql"]]
    assert shown == []
    assert not any('"review_answer"' in query["sql"] for query in captured)


def test_the_number_of_queries_does_not_grow_with_cells_or_reviewers(admin_page: Client) -> None:
    counts = []
    for name, number in (("few", 2), ("many", 7)):
        make_open_round(
            name=name, scenes=LIFT, configurations=tuple(f"{name}{one}" for one in range(number))
        )
        with CaptureQueriesContext(connection) as captured:
            text_of(admin_page, "staff-round", name)
        counts.append(len(captured))
    assert counts[0] == counts[1]


def test_the_list_of_published_rounds_costs_the_same_for_one_and_for_three(
    staff_page: Client,
) -> None:
    counts = []
    for number in range(3):
        make_published_round(name=f"r{number}", scenes=LIFT, configurations=(f"c{number}",))
        with CaptureQueriesContext(connection) as captured:
            text_of(staff_page, "staff-home")
        counts.append(len(captured))
    assert len(set(counts)) == 1


def test_a_whole_round_runs_by_buttons(admin_page: Client) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT, cohort=False)
    for sample in BlindingKey.objects.filter(stimulus__round=round_).values_list(
        "sample", flat=True
    ):
        BlindCopy.objects.create(sample_id=sample, sha256="0" * 64, size=1, facts={}, technical={})
    emails = [f"p{number}@example.org" for number in range(4)]
    links = do(
        admin_page,
        round_,
        "set_cohort",
        emails=", ".join(emails[:2]) + "\n" + "\n".join(emails[2:]),
    )
    page = links.content.decode()
    assert all(email in page for email in emails)
    assert len(links_on(page)) == 4
    assert "no-store" in links["Cache-Control"]
    assert "is open" in words_of(do(admin_page, round_, "open_round"))
    answer_all(round_)
    assert "is closed" in words_of(do(admin_page, round_, "close_round"))
    words = words_of(do(admin_page, round_, "publish"))
    assert "is published as release 1. Everyone can see it." in words
    assert "SHA-256" not in words, "a digest is for those who run commands"
    assert Client().get(reverse("leaderboard", args=["spring"])).status_code == 200
    actions = AuditEntry.objects.filter(actor="ada", round_name="spring").values_list(
        "action", flat=True
    )
    assert set(actions) == {"cohort set", "round opened", "round closed", "round published"}


@pytest.mark.parametrize(
    ("step", "fields", "words"),
    [
        ("publish", {}, "out of order"),
        ("open_round", {}, "its cohort has 0 of 4 reviewers"),
        ("set_cohort", {"emails": "one@example.org"}, "asks for a cohort of 4"),
        ("set_cohort", {"emails": ","}, "0 addresses were given"),
        ("set_cohort", {"emails": "a@x.org a@x.org b@x.org c@x.org"}, "named twice"),
        ("invite_again", {"reviewer": "R-NOBODY"}, "has no reviewer"),
        ("delete_everything", {}, "There is no step"),
        ("", {}, "There is no step"),
    ],
)
def test_a_refusal_is_shown_and_nothing_changes(
    admin_page: Client, step: str, fields: dict[str, str], words: str
) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT, cohort=False)
    entries = AuditEntry.objects.count()
    response = do(admin_page, round_, step, **fields)
    assert words in words_of(response)
    round_.refresh_from_db()
    assert round_.state == RoundState.BLINDING
    assert AuditEntry.objects.count() == entries


def test_what_failed_many_times_is_said_once(admin_page: Client) -> None:
    make_open_round(name="spring", scenes=LIFT)
    for number in range(3):
        Job.objects.create(
            kind="judge", subject=str(number), round_name="spring", state=JobState.FAILED,
            due_at=timezone.now(),
            error="gemini is paused: HTTP 401",
        )  # fmt: skip
    page = admin_page.get("/staff/rounds/spring/").content.decode()
    assert page.count("gemini is paused") == 1
    assert (
        "Judge, 3 times: gemini is paused: HTTP 401 Fix that; then “Ask the AI judges” continues."
        in page
    )


def test_closing_incomplete_takes_the_box_and_a_reason(admin_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    assert "8 sheets are still missing" in text_of(admin_page, "staff-round", "spring")
    assert "sheets are missing" in words_of(
        do(admin_page, round_, "close_round", reason="they left")
    )
    unsaid = do(admin_page, round_, "close_round", incomplete="on", reason=" ")
    assert "Say why: the reason is recorded" in unsaid.content.decode()
    round_.refresh_from_db()
    assert round_.state == RoundState.REVIEWING
    do(admin_page, round_, "close_round", incomplete="on", reason="they left")
    round_.refresh_from_db()
    assert (round_.state, round_.incomplete_reason) == (RoundState.LOCKED, "they left")


def test_steps_take_a_post_with_a_token_of_an_admin(admin_page: Client, staff_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    address = reverse("staff-step", args=["spring"])
    assert admin_page.get(address).status_code == 405
    assert staff_page.post(address, {"step": "close_round"}).status_code == 403
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="ada"))
    assert (
        strict.post(address, {"step": "close_round", "incomplete": "on", "reason": "x"}).status_code
        == 403
    )
    round_.refresh_from_db()
    assert round_.state == RoundState.REVIEWING


def test_a_new_link_replaces_the_old_and_is_recorded_without_its_secret(admin_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT)
    code = reviewers_of(round_)[0].code
    page = do(admin_page, round_, "invite_again", reviewer=code).content.decode()
    assert len(links_on(page)) == 4
    invites = Invite.objects.filter(member__reviewer__code=code).order_by("pk")
    assert [invite.revoked_at is None for invite in invites] == [False, True]
    entry = AuditEntry.objects.get(action="invite renewed")
    assert (entry.actor, entry.details) == ("ada", {"reviewer": code})


def test_a_closed_round_gives_no_new_links(admin_page: Client) -> None:
    round_ = make_locked_round(name="spring", scenes=LIFT)
    code = reviewers_of(round_)[0].code
    refusal = words_of(do(admin_page, round_, "invite_again", reviewer=code))
    assert refusal.startswith("“Make a new invite link” is out of order.")
    page = text_of(admin_page, "staff-reviewers", "spring")
    assert "new link" not in page
    assert links_on(page) == set()


def test_blinding_is_left_to_the_workers_and_their_silence_is_told(admin_page: Client) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT, cohort=False)
    assert "2 blind copies are left to the workers" in words_of(do(admin_page, round_, "blind"))
    assert Job.objects.filter(kind="blind", round_name="spring").count() == 2
    assert "No worker has ever been alive" in text_of(admin_page, "staff-home")
    WorkerBeat.objects.create(name="w", seen_at=timezone.now() - timedelta(seconds=95))
    seconds = re.search(
        r"No worker alive for (\d+) s", text_of(admin_page, "staff-round", "spring")
    )
    assert seconds and int(seconds[1]) >= 95
    WorkerBeat.objects.update(seen_at=timezone.now())
    assert "No worker" not in text_of(admin_page, "staff-home")


def test_a_clip_that_nobody_can_be_asked_about_is_named_with_the_reason(admin_page: Client) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT, cohort=False)
    sample = Sample.objects.filter(cell__round=round_).first()
    NotReviewable.objects.create(sample=sample, reason="its sound cannot be decoded")
    page = text_of(admin_page, "staff-round", "spring")
    assert f"<strong>{sample.cell}</strong>: not reviewable. its sound cannot be decoded" in page
    assert "0 of 1" in page


def test_work_that_failed_is_shown_with_its_words(admin_page: Client) -> None:
    round_ = make_filled_round(name="spring", scenes=LIFT)
    do(admin_page, round_, "blind")
    Job.objects.filter(kind="blind").update(state=JobState.FAILED, error="the file <a> is no video")
    assert "the file &lt;a&gt; is no video" in text_of(admin_page, "staff-round", "spring")


def test_progress_counts_up_and_its_stamp_changes_with_the_due_step(staff_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT, configurations=("alpha",))
    address = reverse("staff-progress", args=["spring"])
    before = staff_page.get(address).json()
    first = reviewers_of(round_)[0]
    make_locked_sheet(first, Stimulus.objects.get(round=round_))
    after = staff_page.get(address).json()
    assert (before["bars"]["sheets"], after["bars"]["sheets"]) == ([0, 4], [1, 4])
    assert (before["bars"][first.code], after["bars"][first.code]) == ([0, 1], [1, 1])
    assert before["stamp"] == after["stamp"] == "reviewing"  # nothing is due of staff yet
    assert set(after) == {"stamp", "bars"}


def test_clips_that_would_not_play_are_listed(staff_page: Client) -> None:
    round_ = make_open_round(name="spring", scenes=LIFT, configurations=("alpha",))
    stimulus = Stimulus.objects.get(round=round_)
    round_.members.update(consented_at=timezone.now())
    report_unplayable(
        reviewer=reviewers_of(round_)[0], stimulus_id=stimulus.pk, reason="black & silent"
    )
    page = text_of(staff_page, "staff-round", "spring")
    assert "Clips that would not play" in page
    assert "black &amp; silent" in page
