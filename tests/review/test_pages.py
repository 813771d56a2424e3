"""A reviewer's pages and calls: who gets in, what is said, and that nothing tells two clips
apart.
"""

from __future__ import annotations

import json
import re
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from fartbench.models import Round, RoundState
from review.models import AnswerSheet, Reviewer
from review.selectors import next_assignment
from review.services import lock_sheet
from tests.factories import answers, full_playback, make_staff, open_round, reviewers_of
from tests.kept import kept

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
JSON = {"headers": {"accept": "application/json"}, "content_type": "application/json"}
CHOSEN = r'type="radio"[^>]* checked'
TEXTS = {question: str(response) for question, response in answers().items()}


kept_round = kept(lambda: open_round(scenes=["r01-lift", "r01-squat"]).name)


@pytest.fixture
def round_(kept_round: str) -> Round:
    return Round.objects.get(name=kept_round)


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def client(rae: Reviewer) -> Client:
    client = Client()
    client.force_login(rae.user)
    return client


@pytest.fixture
def first(round_: Round, rae: Reviewer) -> str:
    assignment = next_assignment(rae, round_)
    assert assignment is not None
    return assignment.stimulus_id


def put(client: Client, stimulus: str, **body: Any) -> Any:
    return client.put(
        reverse("review-draft", args=[stimulus]),
        json.dumps({"revision": 0, "answers": {}} | body),
        **JSON,
    )


def post_lock(client: Client, stimulus: str, **body: Any) -> Any:
    content = json.dumps({"revision": 0, "answers": TEXTS, "playback": full_playback()} | body)
    return client.post(reverse("review-lock", args=[stimulus]), content, **JSON)


def test_a_return_code_is_a_way_back_on_another_device(client: Client) -> None:
    page = client.post(reverse("review-way-back"), {"way": "code"})
    code = re.search(r"return-code\"[^>]*>([\w-]+)<", page.content.decode())
    assert code
    other = Client()
    assert other.post(reverse("review-return"), {"code": "nonsense"}).status_code == 422
    reply = other.post(
        reverse("review-return"), {"code": code[1], "next": "https://elsewhere.example/"}
    )
    assert reply["Location"] == reverse("review-home")
    assert other.get(reverse("review-home")).status_code == 200


def test_a_password_is_another(client: Client, rae: Reviewer) -> None:
    weak = client.post(
        reverse("review-way-back"),
        {"way": "password", "new_password1": "123", "new_password2": "123"},
    )
    assert weak.status_code == 200 and "too short" in weak.content.decode()
    given = {
        "way": "password",
        "new_password1": "seven quiet lifts",
        "new_password2": "seven quiet lifts",
    }
    assert client.post(reverse("review-way-back"), given).status_code == 302
    assert client.get(reverse("review-home")).status_code == 200
    assert Client().login(username=rae.email, password="seven quiet lifts")


def test_a_draft_is_echoed_and_a_stale_one_answers_409_with_what_is_stored(
    client: Client, first: str
) -> None:
    saved = put(client, first, answers={"event": "no", "cause": "na:no_event"})
    assert (saved.status_code, saved.json()["revision"]) == (200, 1)
    changed = put(client, first, revision=1, answers={"event": "yes"})
    assert changed.json()["cleared"] == ["cause"]
    stale = put(client, first, revision=1, answers={"event": "unclear"})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")
    assert stale.json()["draft"]["answers"] == {"event": "yes"}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ('{"answers": {}}', 400),
        ('{"revision": -1, "answers": {}}', 400),
        ('{"revision": 0, "answers": {"event": "na"}}', 422),
        ('{"revision": 0, "answers": [1]}', 400),
        ('{"revision": 0, "answers": {}, "playback": 7}', 400),
        ('{"revision": 0, "answers": {}, "playback": {"fonts": 3}}', 400),
        ('{"revision": 0, "answers": {"sound": "99"}}', 422),
        ('{"revision": 0, "answers": {"colour": "yes"}}', 422),
        ('{"revision": 0, "answers": {}, "more": "' + "x" * 30_000 + '"}', 400),
    ],
)
def test_nonsense_is_refused_in_words_and_stores_nothing(
    client: Client, first: str, body: str, status: int
) -> None:
    reply = client.put(reverse("review-draft", args=[first]), body, **JSON)
    assert reply.status_code == status
    assert reply.json()["message"]
    assert not AnswerSheet.objects.exists()


def test_a_lock_answers_with_the_next_page_and_the_second_finds_the_first(
    client: Client, first: str
) -> None:
    reply = post_lock(client, first)
    again = post_lock(client, first, revision=7, answers={"event": "yes"})
    assert (again.status_code, reply.json()) == (200, again.json())
    assert first not in reply.json()["next"]


def test_a_second_lock_with_other_answers_is_a_conflict_and_the_page_then_says_so(
    client: Client, first: str
) -> None:
    post_lock(client, first)
    refused = post_lock(client, first, revision=7, answers=TEXTS | {"event": "no"})
    assert (refused.status_code, refused.json()["code"]) == (409, "locked_otherwise")
    assert refused.json()["answers"] == TEXTS
    page = client.get(reverse("review-sheet", args=[first])).content.decode()
    assert "with other answers to: event" in page
    assert "What you sent now was not kept" in page
    by_form = client.post(reverse("review-lock", args=[first]), TEXTS | {"sound": "1"}, follow=True)
    assert "with other answers to: sound" in by_form.content.decode()
    assert AnswerSheet.objects.get().responses()["event"].value == "yes"


def test_a_lock_that_breaks_a_rule_names_it(client: Client, first: str) -> None:
    reply = post_lock(client, first, answers=TEXTS | {"cause": "na:no_event"})
    assert reply.status_code == 422
    assert "allowed only when" in reply.json()["violations"]["cause"]
    short = post_lock(client, first, playback={"covered": [[[0, 0.5]]]})
    assert (short.status_code, short.json()["code"]) == (422, "not_played")


def test_without_a_session_calls_say_login_and_pages_lead_there(first: str) -> None:
    assert put(Client(), first).status_code == 401
    page = Client().get(reverse("review-sheet", args=[first]))
    assert page["Location"] == f"/login/?next=/review/{first}/"


def test_someone_elses_id_looks_exactly_like_none(client: Client) -> None:
    other = open_round(configurations=1, scenes=["r01-lift"]).stimuli.get().pk
    for name in ("review-sheet", "media"):
        replies = [client.get(reverse(name, args=[each])) for each in (other, "A" * 22)]
        assert [reply.status_code for reply in replies] == [404, 404]
        assert _same(*(reply.content.decode() for reply in replies))
    for call in (put, post_lock):
        one, none = call(client, other), call(client, "A" * 22)
        assert (one.status_code, one.content) == (none.status_code, none.content)
        assert one.status_code == 404


def test_staff_cannot_review_and_an_account_that_became_staff_no_longer_can(
    client: Client, rae: Reviewer
) -> None:
    rae.user.is_staff = True
    rae.user.save()
    assert client.get(reverse("review-home")).status_code == 403
    ada = Client()
    ada.force_login(make_staff())
    assert ada.get(reverse("review-home")).status_code == 403


def test_clips_cannot_be_skipped_by_address(
    client: Client, round_: Round, rae: Reviewer, first: str
) -> None:
    last = rae.memberships.get().assignments.order_by("-position")[0].stimulus_id
    reply = client.get(reverse("review-sheet", args=[last]))
    assert reply["Location"] == reverse("review-sheet", args=[first])
    assert put(client, last).json()["code"] == "not_due"


def test_instructions_sound_check_and_consent_come_first(
    client: Client, round_: Round, first: str
) -> None:
    round_.members.update(consented_at=None, sound_checked_at=None)
    start = reverse("review-start", args=[round_.name])
    assert client.get(reverse("review-sheet", args=[first]))["Location"] == start
    client.get(start)
    refused = client.post(start)
    assert refused.status_code == 422
    assert "Tick the box to agree" in refused.content.decode()
    agreed = {"agree": "on"}
    assert client.post(start, agreed)["Location"] == f"{start}?sound=first"
    assert round_.members.get(place=0).consented_at is None
    tones = client.get(reverse("review-tones", args=[round_.name]))
    assert (tones["Content-Type"], tones.content[:4]) == ("audio/wav", b"RIFF")
    heard = {"heard": client.session["tones"], "volume": "0.6"}
    assert (
        "sound=again"
        in client.post(reverse("review-sound", args=[round_.name]), heard | {"heard": 9})[
            "Location"
        ]
    )
    assert (
        "sound=heard" in client.post(reverse("review-sound", args=[round_.name]), heard)["Location"]
    )
    assert client.post(start, agreed)["Location"] == f"/review/{first}/"
    member = round_.members.get(place=0)
    assert member.consented_at is not None
    assert member.sound_check == {"tries": 2, "volume": 0.6}


def test_a_closed_round_shows_and_takes_nothing(client: Client, round_: Round, first: str) -> None:
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    assert client.get(reverse("review-sheet", args=[first]))["Location"] == reverse("review-home")
    assert put(client, first).json()["code"] == "closed"
    assert client.get(reverse("media", args=[first])).status_code == 404
    assert "This round is closed" in client.get(reverse("review-home")).content.decode()


def test_the_page_is_small_and_says_nothing_of_a_clip_but_its_id_and_scene(
    client: Client, round_: Round, rae: Reviewer
) -> None:
    pages: dict[str, list[str]] = {}
    for assignment in rae.memberships.get().assignments.select_related("stimulus"):
        reply = client.get(reverse("review-sheet", args=[assignment.stimulus_id]))
        text = reply.content.decode()
        assert reply.status_code == 200
        assert len(reply.content) < 60_000
        assert assignment.stimulus.sha256 not in text and "factor-" not in text
        assert not {"ETag", "Last-Modified", "Content-Disposition"} & set(reply.headers)
        assert not re.search(
            r"<script(?![^>]*(src=|application/json))|<style|\bstyle=|\bon\w+=", text
        )
        pages.setdefault(assignment.stimulus.scene, []).append(text)
        lock_sheet(reviewer=rae, stimulus_id=assignment.stimulus_id, responses=answers())
    for one, other in pages.values():
        assert _same(one, other)


def test_media_comes_in_ranges_with_equal_headers(client: Client, round_: Round) -> None:
    seen = set()
    for stimulus in round_.stimuli.all():
        reply = client.get(reverse("media", args=[stimulus.pk]), headers={"range": "bytes=0-99"})
        assert reply.status_code == 206
        assert len(b"".join(reply.streaming_content)) == 100
        seen.add(tuple(sorted(reply.headers.items())))
    assert len(seen) == 1


def test_a_form_sent_without_a_script_after_the_session_ended_is_still_filled_in_after_the_login(
    rae: Reviewer, first: str
) -> None:
    visitor = Client()
    login = visitor.post(
        reverse("review-lock", args=[first]),
        TEXTS | {"sound": "2", "people": "na:no_people_visible"},
    )
    address = parse_qs(urlsplit(login["Location"]).query)["next"][0]
    assert login["Location"].startswith("/login/") and address.startswith(
        reverse("review-sheet", args=[first])
    )
    visitor.force_login(rae.user)
    page = visitor.get(address).content.decode()
    assert "send them again" in page and len(re.findall(CHOSEN, page)) == 6
    assert re.search(r'name="people" value="na:no_people_visible"[^>]* checked', page)
    forged = visitor.get(address.replace("kept=", "kept=x")).content.decode()
    assert not re.findall(CHOSEN, forged)
    assert not AnswerSheet.objects.exists()


def test_a_draft_and_a_lock_take_few_statements(client: Client, round_: Round, first: str) -> None:
    put(client, first, answers={"event": "yes"}, playback=full_playback())
    with CaptureQueriesContext(connection) as queries:
        put(client, first, revision=1, answers=TEXTS)
    assert len(queries) <= 9
    with CaptureQueriesContext(connection) as queries:
        assert post_lock(client, first, revision=2).status_code == 200
    assert len(queries) <= 13


def _same(one: str, other: str) -> bool:
    """Say whether two pages are the same but for opaque ids, tokens, and what follows from the
    place in the queue.
    """
    place = (
        r'Clip \d|value="\d"|\b\d of \d\b|"nextMedia": '
        r'(null|"[^"]*")|<span[^>]*data-left>.*?</span>'
    )
    varying = re.compile(rf'[\w-]{{22}}(?=[/"&])|value="\w{{64}}"|A{{22}}|{place}', re.DOTALL)
    return varying.sub("", one) == varying.sub("", other)
