"""The page of a round's reviewers: looking makes nothing, links can be shown again, and one is
replaced in two clicks.
"""

from __future__ import annotations

import csv
import io
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import segno
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from fartbench.models import Round
from review.models import CohortMember, Invite, Role
from review.services import set_cohort
from review.services.invites import openable_invite
from tests.factories import reviewers_of
from tests.scoring.rows import make_filled_round, make_open_round
from tests.web.test_staff import LIFT, links_on, make_admin

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

EMAILS = [f"p{number}@example.org" for number in range(4)]


@pytest.fixture
def admin() -> Client:
    client = Client()
    client.force_login(make_admin())
    return client


@pytest.fixture
def invited() -> Round:
    round_ = make_filled_round(name="spring", scenes=LIFT, cohort=False)
    set_cohort(round=round_, emails=EMAILS, actor="test")
    return round_


@pytest.fixture
def running() -> Round:
    return make_open_round(name="spring", scenes=LIFT)


def address(round_: Round, name: str = "staff-reviewers") -> str:
    return reverse(name, args=[round_.name])


def page_of(client: Client, round_: Round) -> str:
    return client.get(address(round_)).content.decode()


def token_of(link: str) -> str:
    return link.rstrip("/").rsplit("/", 1)[1]


def test_loading_the_page_again_makes_no_link_and_breaks_none(
    admin: Client, invited: Round
) -> None:
    before = list(Invite.objects.values_list("pk", "token_hash", "revoked_at"))
    links = links_on(page_of(admin, invited))
    assert len(links) == 4
    assert links_on(page_of(admin, invited)) == links
    assert list(Invite.objects.values_list("pk", "token_hash", "revoked_at")) == before
    opened = {openable_invite(token_of(link)).member.reviewer.email for link in links}
    assert opened == set(EMAILS)


def test_sending_the_form_again_shows_the_newest_links(admin: Client, invited: Round) -> None:
    data = {"step": "set_cohort", "emails": "\n".join(EMAILS)}
    answer = admin.post(reverse("staff-step", args=[invited.name]), data)
    assert (answer.status_code, answer["Location"]) == (302, address(invited))
    assert len(links_on(page_of(admin, invited))) == 4


def test_a_link_made_with_another_key_is_not_shown(
    admin: Client, invited: Round, settings: Any
) -> None:
    settings.SECRET_KEY = "another" * 10
    admin.force_login(User.objects.get(username="ada"))
    assert links_on(page_of(admin, invited)) == set()


def test_mail_is_one_click_and_needs_no_mail_server(admin: Client, invited: Round) -> None:
    page = page_of(admin, invited)
    mails = [
        urlsplit(link.replace("&amp;", "&")) for link in re.findall(r'href="(mailto:[^"]+)"', page)
    ]
    assert {mail.path for mail in mails} == set(EMAILS)
    words = parse_qs(mails[0].query)
    assert words["subject"] == ["Invitation to review: round spring"]
    assert any(link in words["body"][0] for link in links_on(page))


def test_the_csv_holds_the_same_links(admin: Client, invited: Round) -> None:
    answer = admin.get(address(invited, "staff-invite-links"))
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    assert [row["email"] for row in rows] == EMAILS
    assert {row["link"] for row in rows} == links_on(page_of(admin, invited))
    assert "no-store" in answer["Cache-Control"]


def test_a_reminder_says_what_is_left(admin: Client, running: Round) -> None:
    page = page_of(admin, running)
    assert page.count("Write the reminder") == 4
    assert "in round spring, 2 of your 2 clips still wait for your answers" in page
    assert "Not active yet" in page


def test_one_reviewer_is_replaced_in_two_clicks_and_the_page_says_what_that_does(
    admin: Client, running: Round
) -> None:
    code = reviewers_of(running)[0].code
    assert "no longer count" in page_of(admin, running)
    data = {"old": code, "new": "new@example.org", "reason": "ill"}
    answer = admin.post(address(running), data, follow=True).content.decode()
    assert CohortMember.objects.get(reviewer__code=code).role == Role.REPLACED
    assert "new@example.org" in answer
    assert len(links_on(answer)) >= 1


def test_a_refused_replacement_keeps_what_was_typed_and_says_why_beside_it(
    admin: Client, running: Round
) -> None:
    code = reviewers_of(running)[0].code
    answer = admin.post(address(running), {"old": code, "new": "no address", "reason": "ill"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert 'value="no address"' in page
    assert page.count("errorlist") == 1
    assert CohortMember.objects.get(reviewer__code=code).role == Role.PRIMARY
    taken = reviewers_of(running)[1].email
    answer = admin.post(address(running), {"old": code, "new": taken, "reason": "ill"})
    assert answer.status_code == 422
    assert "errorlist" in answer.content.decode()


def dark_modules(svg: str) -> set[tuple[int, int]]:
    """Return the dark squares of a QR code drawn as lines, without its border of 4."""
    path = re.search(r'class="qrline"[^>]* d="M4 4\.5([^"]*)"', svg)
    assert path
    squares, x, y = set(), 0, 0
    for kind, first, second in re.findall(r"([hm])(-?[\d.]+)(?: (-?[\d.]+))?", path[1]):
        if kind == "h":
            squares |= {(x + step, y) for step in range(int(first))}
            x += int(first)
        else:
            x, y = x + int(first), y + int(second or 0)
    return squares


def test_each_working_link_is_a_qr_code_of_itself(admin: Client, invited: Round) -> None:
    page = admin.get(address(invited)).text
    codes = re.findall(r'<figure class="qr".*?</figure>', page, re.DOTALL)
    links = re.findall(r"data-copied>(http[^<]+)<", page)
    assert len(codes) == len(links) == 4
    for code, link in zip(codes, links, strict=True):
        matrix = segno.make(link, error="m", micro=False).matrix
        wanted = {(x, y) for y, row in enumerate(matrix) for x, dark in enumerate(row) if dark}
        assert dark_modules(code) == wanted
