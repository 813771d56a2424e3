"""Help is made from ``docs/``, and each account finds what is for it and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from ruamel.yaml import YAML

from tests.factories import make_staff, open_round, reviewers_of
from tests.web.test_staff import make_admin
from web.pages.help import FOR_ADMINS, FOR_EVERYONE, FOR_STAFF, help_html
from web.views.help import documents_for

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]

CONFIGURATIONS = Path(settings.BASE_DIR) / "fixtures" / "configurations"


@pytest.fixture
def reviewer_page(client: Client) -> Client:
    client.force_login(reviewers_of(open_round())[0].user)
    return client


def status_of(client: Client, slug: str) -> int:
    return client.get(reverse("help-page", args=[slug])).status_code


def test_a_reviewer_reads_what_is_for_reviewers_alone(reviewer_page: Client) -> None:
    assert [status_of(reviewer_page, slug) for slug in FOR_EVERYONE] == [200]
    others = {status_of(reviewer_page, slug) for slug in (*FOR_STAFF, *FOR_ADMINS, "README")}
    assert others == {404}
    home = reviewer_page.get(reverse("review-home")).content.decode()
    assert f'href="{reverse("help")}"' in home


def test_what_everyone_reads_names_no_model_and_no_provider() -> None:
    words = set()
    for file in CONFIGURATIONS.glob("*.yaml"):
        content = YAML(typ="safe", pure=True).load(file.read_text(encoding="utf-8"))
        words |= {str(content[key]).casefold() for key in ("name", "label") if key in content}
        words.add(file.stem.split("-")[0])
    text = "".join(help_html(slug, FOR_EVERYONE) for slug in FOR_EVERYONE).casefold()
    assert len(words) > 20
    assert [word for word in sorted(words) if re.search(rf"\b{re.escape(word)}\b", text)] == []


def test_staff_and_admins_read_theirs() -> None:
    assert set(documents_for(make_staff("stan"))) == {*FOR_STAFF, *FOR_EVERYONE}
    assert set(documents_for(make_admin())) == {*FOR_ADMINS, *FOR_STAFF, *FOR_EVERYONE}


def test_links_lead_to_pages_of_this_account_and_every_page_can_be_read(client: Client) -> None:
    client.force_login(make_admin())
    for slug in documents_for(User.objects.get(username="ada")):
        page = client.get(reverse("help-page", args=[slug])).content.decode()
        for link in re.findall(r'href="(/help/[^"]+)"', page):
            assert client.get(link).status_code == 200, (slug, link)
        assert 'href=""' not in page
        assert ".md" not in " ".join(re.findall(r'href="([^"]*)"', page))


def test_html_in_a_document_stays_text() -> None:
    assert "<script" not in help_html("threat-model", FOR_EVERYONE)
