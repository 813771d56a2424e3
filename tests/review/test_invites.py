"""Invite links: what programs that check e-mail do with them must not lock a reviewer out, nor let
others in.
"""

from __future__ import annotations

import re

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fartbench import throttle
from fartbench.models import AuditEntry, Round
from review.errors import InviteRevoked, InviteUsed
from review.links import InviteLink
from review.models import Invite, Reviewer
from review.progress import progress_of_round
from review.services import set_cohort, use_invite
from review.services.cohort import invite
from review.services.invites import openable_invite
from tests.factories import make_round, open_round

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
HOME, WAY_BACK = reverse("review-home"), reverse("review-way-back")


@pytest.fixture
def round_() -> Round:
    """An open round of whose reviewers none has agreed yet."""
    opened = open_round(configurations=1, scenes=["r01-lift"])
    opened.members.update(consented_at=None, sound_checked_at=None)
    return opened


@pytest.fixture
def link(round_: Round) -> InviteLink:
    return invite(round_.members.select_related("reviewer").get(place=0))


def path(link: InviteLink) -> str:
    return link.url.removeprefix("http://127.0.0.1:8000")


def token(link: InviteLink) -> str:
    return link.url.rstrip("/").rpartition("/")[2]


def reviewer_of(link: InviteLink) -> Reviewer:
    return Reviewer.objects.get(email=link.email)


def agree(browser: Client, round_: Round) -> None:
    """Go through the start page as a person does: count the tones, then agree."""
    start = reverse("review-start", args=[round_.name])
    browser.get(start)
    browser.post(
        reverse("review-sound", args=[round_.name]),
        {"heard": browser.session["tones"], "volume": "0.6"},
    )
    browser.post(start, {"agree": "on"})


def code_shown(browser: Client) -> str:
    shown = re.search(
        r"return-code\"[^>]*>([\w-]+)<", browser.post(WAY_BACK, {"way": "code"}).content.decode()
    )
    assert shown
    return shown[1]


def scan(link: InviteLink, *, presses_all: bool = False) -> Client:
    """Do what a program that checks e-mail does: open the link, press its button, perhaps the next
    one too.
    """
    scanner = Client()
    scanner.head(path(link))
    scanner.get(path(link))
    scanner.post(path(link), follow=True)
    if presses_all:
        scanner.post(WAY_BACK, {"way": "code"})
    return scanner


def test_looking_at_a_link_changes_nothing(link: InviteLink) -> None:
    for _ in range(3):
        page = Client().get(path(link))
        assert page.status_code == 200 and page["Cache-Control"] == "no-store"
        assert "opened before" not in page.content.decode()
        assert Client().head(path(link)).status_code == 200
    assert not Invite.objects.filter(used_at__isnull=False).exists()


@pytest.mark.parametrize("presses_all", [False, True])
def test_a_scanner_that_presses_the_buttons_does_not_lock_the_reviewer_out(
    round_: Round, link: InviteLink, presses_all: bool
) -> None:
    scan(link, presses_all=presses_all)
    scan(link, presses_all=presses_all)
    person = Client()
    page = person.get(path(link))
    assert page.status_code == 200
    assert "it may have been a program that checks e-mail" in page.content.decode()
    assert person.post(path(link))["Location"] == WAY_BACK, (
        "a code that a program took was read by nobody"
    )
    code = code_shown(person)
    agree(person, round_)
    assert round_.members.get(reviewer=reviewer_of(link)).consented_at is not None
    elsewhere = Client()
    assert elsewhere.post(reverse("review-return"), {"code": code})["Location"] == HOME


def test_after_the_reviewer_has_begun_the_link_hands_nothing_over(
    round_: Round, link: InviteLink
) -> None:
    scanner, person = scan(link), Client()
    person.post(path(link))
    assert scanner.get(HOME).status_code == 200
    agree(person, round_)
    assert person.get(HOME).status_code == 200
    assert scanner.get(HOME).status_code == 302, (
        "a session that was opened before ends when the person agrees"
    )
    for method in ("get", "post"):
        page = getattr(Client(), method)(path(link))
        words = page.content.decode()
        assert page.status_code == 410
        assert (
            "was opened before, and the reviewer it was made for has agreed to take part" in words
        )
        assert "ask the person who invited you for a new link: your answers are kept" in words
        assert reverse("review-return") in words and reverse("login") in words
    assert person.get(path(link))["Location"] == HOME


def test_a_reviewer_who_is_inside_comes_home_by_the_link(link: InviteLink) -> None:
    person = Client()
    person.post(path(link))
    assert person.get(path(link))["Location"] == HOME


class TestANewLinkForSomebodyWhoHasBegun:
    @pytest.fixture(params=["the same round", "the next round"])
    def new_link(
        self, request: pytest.FixtureRequest, round_: Round, link: InviteLink
    ) -> InviteLink:
        round_.members.filter(reviewer=reviewer_of(link)).update(consented_at=timezone.now())
        if request.param == "the same round":
            return invite(round_.members.get(reviewer=reviewer_of(link)))
        emails = [member.reviewer.email for member in round_.members.all()]
        return set_cohort(round=make_round(), emails=emails, actor="test")[0]

    def test_a_scanner_cannot_use_it_up(self, new_link: InviteLink) -> None:
        for _ in range(2):
            scanner = scan(new_link, presses_all=True)
            assert scanner.get(HOME).status_code == 302
        person = Client()
        assert (
            "Type the e-mail address that you were invited with"
            in person.get(path(new_link)).content.decode()
        )
        wrong = person.post(path(new_link), {"address": "somebody@else.example"})
        assert wrong.status_code == 422
        assert "The link still works" in wrong.content.decode()
        assert (
            person.post(path(new_link), {"address": f" {new_link.email.upper()} "})["Location"]
            == WAY_BACK
        )
        assert person.get(HOME).status_code == 200

    def test_it_opens_once(self, new_link: InviteLink) -> None:
        assert use_invite(token(new_link), new_link.email).email == new_link.email
        with pytest.raises(InviteUsed):
            use_invite(token(new_link), new_link.email)
        assert Client().post(path(new_link), {"address": new_link.email}).status_code == 410

    def test_guessing_the_address_is_slowed_down(self, new_link: InviteLink) -> None:
        guesser = Client()
        for _ in range(throttle.MOST_FOR_ONE_FROM_ONE):
            assert guesser.post(path(new_link), {"address": "a@guess.example"}).status_code == 422
        page = guesser.post(path(new_link), {"address": new_link.email})
        assert page.status_code == 429
        assert "Too many wrong tries" in page.content.decode()


def test_a_newer_link_ends_an_opened_one(round_: Round, link: InviteLink) -> None:
    scan(link)
    invite(round_.members.get(reviewer=reviewer_of(link)))
    with pytest.raises(InviteRevoked):
        openable_invite(token(link))


def test_revoking_access_ends_an_opened_link(link: InviteLink) -> None:
    scan(link)
    call_command("revoke_access", link.email, "--reason", "the mailbox is in wrong hands")
    with pytest.raises(InviteRevoked):
        use_invite(token(link))


def test_staff_see_whether_a_link_was_opened_or_used(round_: Round, link: InviteLink) -> None:
    states = [progress_of_round(round_)[0].invite_state]
    scan(link)
    states.append(progress_of_round(round_)[0].invite_state)
    person = Client()
    person.post(path(link))
    agree(person, round_)
    states.append(progress_of_round(round_)[0].invite_state)
    invite(round_.members.get(place=0))
    states.append(progress_of_round(round_)[0].invite_state)
    assert states == ["open", "opened", "used", "open"]
    actions = (
        AuditEntry.objects.filter(actor=link.code).order_by("pk").values_list("action", flat=True)
    )
    assert list(actions) == ["invite used", "invite opened again", "consent given"]
