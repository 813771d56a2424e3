"""What people agree to: a text with a version, stored with the time, asked anew when it changes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from fartbench.errors import BadInput
from fartbench.models import AuditEntry, Round
from review.consent_text import parse_consent
from review.models import CohortMember, Consent, ConsentText, Reviewer
from review.services import consent_document, issue_return_code
from review.services.consent import SHIPPED, read_consent
from review.services.invites import has_begun
from tests.factories import open_round, reviewers_of

pytestmark = pytest.mark.django_db
OWN = """version: 2

We are the Sound Lab.
We publish your answers.

## For how long

- one year
  or less

- [ ] I am an adult.
- [ ] I hear well.
"""


@pytest.fixture
def round_() -> Round:
    opened = open_round(configurations=1, scenes=["r01-lift"])
    opened.members.update(consented_at=None, sound_checked_at=timezone.now())
    return opened


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def client(rae: Reviewer) -> Client:
    browser = Client()
    browser.force_login(rae.user)
    return browser


def start(round_: Round) -> str:
    return reverse("review-start", args=[round_.name])


def own_text(tmp_path: Path, content: str = OWN) -> str:
    (tmp_path / "consent.md").write_text(content)
    return str(tmp_path / "consent.md")


def load(round_: Round, path: str) -> None:
    call_command("load_consent", str(round_.protocol), path)


def text_of(page: Any) -> str:
    return str(page.content.decode())


def test_the_text_that_comes_with_the_program_says_who_what_how_long_and_how_to_leave(
    client: Client, round_: Round, settings: Any
) -> None:
    settings.OPERATOR = "the Sound Lab <lab@example.org>"
    page = text_of(client.get(start(round_)))
    assert "run by the Sound Lab &lt;lab@example.org&gt;" in page
    for heading in ("What is stored", "What is published", "For how long", "change your mind"):
        assert heading in page


def test_what_was_agreed_to_is_stored_with_its_time_and_shown_again(
    client: Client, round_: Round, rae: Reviewer
) -> None:
    document = consent_document(round_.protocol)
    reply = client.post(start(round_), {"agree": "on", "shown": document.digest})
    assert reply.status_code == 302
    given = Consent.objects.get(member__reviewer=rae)
    member = CohortMember.objects.get(reviewer=rae)
    assert (given.at, given.text.document) == (member.consented_at, document)
    entry = AuditEntry.objects.get(action="consent given")
    assert (entry.details["digest"], entry.details["version"]) == (document.digest, "1")
    page = text_of(client.get(start(round_)))
    assert "You agreed to this text on" in page
    assert document.digest[:12] in page


def test_a_changed_text_asks_anew_and_keeps_what_was_agreed_before(
    client: Client, round_: Round, rae: Reviewer, tmp_path: Path
) -> None:
    client.post(start(round_), {"agree": "on"})
    assert client.get(reverse("review-home")).status_code == 200
    load(round_, own_text(tmp_path))
    member = CohortMember.objects.get(reviewer=rae)
    assert not member.is_ready
    assert has_begun(rae), "an old invite does not open again"
    page = text_of(client.get(start(round_)))
    assert "You agreed to another text on" in page
    assert "We are the Sound Lab. We publish your answers." in page
    boxes = {"statement-1": "on", "statement-2": "on", "agree": "on"}
    assert client.post(start(round_), boxes).status_code == 302
    assert [one.text.version for one in Consent.objects.order_by("pk")] == ["1", "2"]
    assert "You ticked: I hear well." in text_of(client.get(start(round_)))


def test_each_statement_is_ticked(client: Client, round_: Round, tmp_path: Path) -> None:
    load(round_, own_text(tmp_path))
    refused = client.post(start(round_), {"statement-1": "on", "agree": "on"})
    assert refused.status_code == 422
    assert "Tick this as well" in text_of(refused)
    assert not Consent.objects.exists()


def test_a_text_that_changed_while_it_was_read_is_shown_and_not_agreed_to(
    client: Client, round_: Round, tmp_path: Path
) -> None:
    read = consent_document(round_.protocol).digest
    load(round_, own_text(tmp_path, OWN.replace("- [ ] I hear well.\n", "")))
    for boxes in ({"agree": "on"}, {"statement-1": "on", "agree": "on"}):
        reply = client.post(start(round_), boxes | {"shown": read})
        assert reply.status_code == 422
        assert "This text changed while you read it" in text_of(reply)
    assert not Consent.objects.exists()


def test_boxes_stay_ticked_during_the_sound_check_for_the_text_that_was_read(
    client: Client, round_: Round, tmp_path: Path
) -> None:
    round_.members.update(sound_checked_at=None)
    client.post(start(round_), {"agree": "on"})
    assert 'name="agree" required checked' in text_of(client.get(start(round_)))
    load(round_, own_text(tmp_path))
    page = text_of(client.get(start(round_)))
    assert "I hear well." in page
    assert "required checked" not in page


def test_loading_the_same_text_asks_nobody_and_an_earlier_one_needs_a_version(
    client: Client, round_: Round, tmp_path: Path
) -> None:
    client.post(start(round_), {"agree": "on"})
    load(round_, str(SHIPPED))
    assert round_.members.get(place=0).consented_at is not None
    load(round_, own_text(tmp_path))
    with pytest.raises(CommandError, match="Give it a new version"):
        load(round_, str(SHIPPED))


def test_texts_and_consents_never_change(client: Client, round_: Round) -> None:
    client.post(start(round_), {"agree": "on"})
    for change in (
        lambda: Consent.objects.update(at=timezone.now()),
        lambda: ConsentText.objects.update(text="x"),
    ):
        with pytest.raises(IntegrityError, match="is_frozen"), transaction.atomic():
            change()


def test_a_return_code_still_leads_to_the_page_that_asks(
    client: Client, round_: Round, rae: Reviewer, tmp_path: Path
) -> None:
    client.post(start(round_), {"agree": "on"})
    load(round_, own_text(tmp_path))
    browser = Client()
    browser.post(reverse("review-return"), {"code": issue_return_code(rae)})
    assert start(round_) in text_of(browser.get(reverse("review-home")))


def test_the_parts_of_a_text_are_read() -> None:
    document = parse_consent(OWN, "consent.md")
    assert document.blocks == [
        ("paragraph", "We are the Sound Lab. We publish your answers."),
        ("heading", "For how long"),
        ("item", "one year or less"),
    ]
    assert document.statements == ("I am an adult.", "I hear well.")
    assert parse_consent(OWN.replace("\n", "\r\n"), "x").digest == document.digest
    assert read_consent(SHIPPED).version == "1"


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        ("Text", "the first line is not"),
        ("version: 1\n", "it has no text"),
        ("version: 1\n\nx\n- [ ] a\n- [ ] a", "different ones"),
        ("version: 1\n\nx\x1b[2J", "control character"),
    ],
)
def test_a_file_that_is_not_one_is_refused(content: str, fault: str) -> None:
    with pytest.raises(BadInput, match=fault):
        parse_consent(content, "consent.md")
