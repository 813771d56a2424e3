"""Pages that all protocols share speak of a round of rollouts in its own words."""

from __future__ import annotations

import html
import re
from collections import deque
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from fartbench.models import Round, RoundState
from rounds.due import due_step
from tests.factories import make_protocol, make_round, make_staff
from tests.streamav.rollout_record import FOLDER
from tests.streamav.rollout_rows import store
from tests.web.test_rollout_pages import publish, rollouts_record

pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
OTHER_WORDS = re.compile(r"\b(?:clip|scene)s?\b(?!\.csv)", re.IGNORECASE)
LINK = re.compile(r'href="(/[^"#?]*)')
NOT_SHOWN = re.compile(r"<(script|style|code)\b.*?</\1>|<textarea.*?</textarea>", re.DOTALL)
SAID_ASIDE = re.compile(r'(?:aria-label|title|alt|placeholder)="([^"]*)"')
REASON = {"reason": "a test"}


def shown_on(body: str) -> str:
    """Return what a page says to those who see it and to those who have it read to them."""
    body = NOT_SHOWN.sub(" ", body)
    aside = " ".join(SAID_ASIDE.findall(body))
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", body) + aside))


def strings(content: Any) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for one in content.values() if isinstance(content, dict) else content:
            yield from strings(one)


def other_words(body: str, own: list[str]) -> list[str]:
    """Return the words of other protocols on a page, each with what is around it; what the protocol
    says is its own.
    """
    shown = shown_on(body)
    for text in own:
        shown = shown.replace(text, " ")
    return [
        shown[max(0, found.start() - 50) : found.end() + 30]
        for found in OTHER_WORDS.finditer(shown)
    ]


def said(client: Client, *starts: str, within: str) -> dict[str, list[str]]:
    """Follow every link below ``within`` from the starts; return the other protocols' words by
    address.
    """
    own = sorted(
        {re.sub(r"\s+", " ", one) for one in strings(make_protocol(FOLDER).content)},
        key=len,
        reverse=True,
    )
    own = [text for text in own if " " in text and OTHER_WORDS.search(text)]
    found, seen, due = {}, set(starts), deque(starts)
    while due:
        address = due.popleft()
        response = client.get(address)
        assert response.status_code == 200, address
        if not response["Content-Type"].startswith("text/html"):
            continue
        body = response.content.decode()
        found[address] = other_words(body, own)
        new = {link for link in LINK.findall(body) if re.match(within, link)} - seen
        seen |= new
        due += sorted(new)
    return found


def faults(found: dict[str, list[str]]) -> list[str]:
    return [f"{address}: …{words}…" for address, every in found.items() for words in every]


def test_what_visitors_read_of_a_round_of_rollouts(client: Client) -> None:
    publish()
    found = said(client, "/rounds/rollouts/", "/leaderboards/", "/state/",
                 "/method/streamav/0.1.0/",
                 within=r"/rounds/rollouts/(?!clips/|releases/\d)")  # fmt: skip
    assert {
        "/rounds/rollouts/coverage/",
        "/rounds/rollouts/releases/",
        "/rounds/rollouts/configurations/beta/",
    } <= set(found)
    assert not faults(found)


@pytest.fixture
def admin(client: Client) -> Client:
    user = make_staff()
    user.is_superuser = True
    user.save()
    client.force_login(user)
    return client


def test_what_staff_reads_before_a_round_of_rollouts_is_there(admin: Client) -> None:
    round_ = make_round(name="rollouts", protocol=make_protocol(FOLDER))
    for state in (RoundState.DRAFT, RoundState.GENERATING, RoundState.BLINDING):
        Round.objects.filter(pk=round_.pk).update(state=state)
        found = said(
            admin,
            "/staff/rounds/rollouts/",
            "/staff/generation/",
            within=r"/staff/(rounds/rollouts|generation)/",
        )
        assert not faults(found), state


def test_what_staff_reads_of_a_closed_round_of_rollouts(admin: Client) -> None:
    store(rollouts_record())
    found = said(admin, "/staff/rounds/rollouts/", within=r"/staff/rounds/rollouts/(?!export)")
    for page in ("unblind", "preview"):
        body = admin.post(f"/staff/rounds/rollouts/{page}/", REASON).content.decode()
        found[page] = other_words(body, [])
    assert not faults(found)


def test_whoever_makes_a_round_of_rollouts_is_told_what_comes_next(
    capsys: pytest.CaptureFixture[str],
) -> None:
    round_ = make_round(name="rollouts", protocol=make_protocol(FOLDER))
    call_command("create_round", "R", "--protocol", "streamav@0.1.0")
    assert "Next: “commission R”." in capsys.readouterr().out
    due = due_step(round_)
    assert (due.key, due.words) == (
        "commission",
        "the round has no rollouts yet (“import_clips” takes in your own)",
    )
