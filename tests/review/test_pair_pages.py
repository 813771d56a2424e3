"""The page of a pair and its calls: who gets in, what is said, and that nothing tells two clips
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
from review.models import PairTask, Reviewer, Vote
from review.pairs.selectors import tasks_of
from tests.factories import make_staff, reviewers_of
from tests.pairs import both_played, first_task, open_pair_round

# What pages say is no matter of the engine; `tests/test_addresses.py` opens all of them on
# PostgreSQL.
pytestmark = [pytest.mark.django_db, pytest.mark.engine("sqlite")]
CHOSEN = r'name="convincing" value="(\w+)"[^>]* checked'
JSON = {"headers": {"accept": "application/json"}, "content_type": "application/json"}


@pytest.fixture
def round_() -> Round:
    return open_pair_round()


@pytest.fixture
def rae(round_: Round) -> Reviewer:
    return reviewers_of(round_)[0]


@pytest.fixture
def task(rae: Reviewer, round_: Round) -> PairTask:
    return first_task(rae, round_)


@pytest.fixture
def client(rae: Reviewer) -> Client:
    client = Client()
    client.force_login(rae.user)
    return client


def put(client: Client, pair: str, **body: Any) -> Any:
    content = json.dumps({"revision": 0, "answers": {}} | body)
    return client.put(reverse("review-pair-draft", args=[pair]), content, **JSON)


def post_lock(client: Client, pair: str, **body: Any) -> Any:
    content = json.dumps(
        {"revision": 0, "answers": {"convincing": "a"}, "playback": both_played()} | body
    )
    return client.post(reverse("review-pair-lock", args=[pair]), content, **JSON)


def test_the_page_shows_two_clips_and_the_protocols_question_and_answers(
    client: Client, task: PairTask
) -> None:
    reply = client.get(reverse("review-pair", args=[task.pair_id]))
    page = reply.content.decode()
    assert reply.status_code == 200 and len(reply.content) < 60_000
    assert page.count("<video") == 2 and "Which of these two is more convincing?" in page
    assert re.findall(r'name="convincing" value="(\w+)" data-key="(\w)"', page) == [
        ("a", "a"),
        ("b", "b"),
        ("tie", "t"),
        ("both_bad", "x"),
    ]
    assert page.index(f"/media/{task.clip_a.pk}") < page.index(f"/media/{task.clip_b.pk}")
    assert not re.search(r"<script(?![^>]*(src=|application/json))|<style|\bstyle=|\bon\w+=", page)
    for name in ("alpha", "beta", "gamma", task.clip_a.sha256):
        assert name not in page


def test_a_draft_is_echoed_and_a_stale_one_answers_409_with_what_is_stored(
    client: Client, task: PairTask
) -> None:
    saved = put(client, task.pair_id, answers={"convincing": "tie"}, playback={"a": {"plays": 1}})
    assert saved.json() == {
        "revision": 1,
        "answers": {"convincing": "tie"},
        "cleared": [],
        "playback": {"a": {"plays": 1}},
    }
    stale = put(client, task.pair_id, answers={"convincing": "b"})
    assert (stale.status_code, stale.json()["code"]) == (409, "stale")
    assert stale.json()["draft"]["answers"] == {"convincing": "tie"}
    page = client.get(reverse("review-pair", args=[task.pair_id])).content.decode()
    assert re.search(r'value="tie" data-key="t" checked', page) and '"revision": 1' in page


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ("{", 400),
        ("[]", 400),
        ('{"answers": {}}', 400),
        ('{"revision": 0}', 400),
        ('{"revision": 0, "answers": {"convincing": 3}}', 400),
        ('{"revision": 0, "answers": {"convincing": "c"}}', 422),
        ('{"revision": 0, "answers": {"event": "yes"}}', 422),
        ('{"revision": 0, "answers": {}, "playback": {"a": {"fonts": 3}}}', 400),
        ('{"revision": 0, "answers": {}, "playback": {"c": {}}}', 400),
        ('{"revision": 0, "answers": {}, "more": "' + "x" * 30_000 + '"}', 400),
    ],
)
def test_nonsense_is_refused_in_words_and_stores_nothing(
    client: Client, task: PairTask, body: str, status: int
) -> None:
    reply = client.put(reverse("review-pair-draft", args=[task.pair_id]), body, **JSON)
    assert reply.status_code == status and reply.json()["message"]
    assert not Vote.objects.exclude(answer="", playback={}).exists()


def test_a_second_lock_with_another_answer_is_a_conflict_and_the_page_then_says_so(
    client: Client, task: PairTask
) -> None:
    post_lock(client, task.pair_id)
    refused = post_lock(client, task.pair_id, revision=9, answers={"convincing": "b"})
    assert (refused.status_code, refused.json()["code"]) == (409, "locked_otherwise")
    assert refused.json()["answers"] == {"convincing": "a"}
    assert (
        "with another answer"
        in client.get(reverse("review-pair", args=[task.pair_id])).content.decode()
    )


def test_a_lock_answers_with_the_next_pair_and_the_second_finds_the_first(
    client: Client, task: PairTask, rae: Reviewer, round_: Round
) -> None:
    reply = post_lock(client, task.pair_id)
    again = post_lock(client, task.pair_id, revision=9)
    following = tasks_of(rae, round_)[1].pair_id
    assert (
        reply.json()
        == again.json()
        == {"locked": True, "next": reverse("review-pair", args=[following])}
    )
    assert Vote.objects.get().answer == "a"
    page = client.get(reverse("review-pair", args=[task.pair_id])).content.decode()
    assert "Clip A" in page and "Locked" in page and "<video" not in page
    short = post_lock(client, following, playback={"a": {"plays": 1}})
    assert (short.status_code, short.json()["code"]) == (422, "not_played")


def test_the_last_lock_leads_to_the_end_and_the_start_page_counts_pairs(
    client: Client, rae: Reviewer, round_: Round
) -> None:
    home = client.get(reverse("review-home")).content.decode()
    assert "Start with pair 1" in home
    for task in tasks_of(rae, round_):
        last = post_lock(client, task.pair_id)
    done = reverse("review-done", args=[round_.name])
    assert last.json()["next"] == done
    assert "That was the last pair" in client.get(done).content.decode()
    assert "All done" in client.get(reverse("review-home")).content.decode()


def test_pairs_wait_for_the_single_clips_and_cannot_be_skipped_by_address(
    client: Client, rae: Reviewer
) -> None:
    begun = open_pair_round(answered=False)
    person = reviewers_of(begun)[0]
    other = Client()
    other.force_login(person.user)
    task = first_task(person, begun)
    assert (
        "/review/pairs/" not in other.get(reverse("review-pair", args=[task.pair_id]))["Location"]
    )
    assert put(other, task.pair_id).json()["code"] == "not_due"
    mine = rae.memberships.get().round
    later = tasks_of(rae, mine)[2].pair_id
    assert client.get(reverse("review-pair", args=[later]))["Location"] == reverse(
        "review-pair", args=[tasks_of(rae, mine)[0].pair_id]
    )


def test_without_a_script_the_answer_comes_as_a_form(client: Client, task: PairTask) -> None:
    lock = reverse("review-pair-lock", args=[task.pair_id])
    assert client.post(lock).status_code == 422
    assert client.post(lock, {"convincing": "both_bad"})["Location"].startswith("/review/pairs/")
    vote = Vote.objects.get(locked_at__isnull=False)
    assert (vote.answer, vote.playback) == ("both_bad", {})
    assert client.post(lock, {"convincing": "a"}).status_code == 302
    assert Vote.objects.get(pk=vote.pk).answer == "both_bad"


def test_a_clip_that_will_not_play_is_no_dead_end(client: Client, task: PairTask) -> None:
    address = reverse("review-pair-unplayable", args=[task.pair_id])
    reply = client.post(address, json.dumps({"reason": "black", "playback": {}}), **JSON)
    assert reply.json()["ended"] and task.pair_id not in reply.json()["next"]
    assert client.post(address, {"reason": "again"}).status_code == 302
    page = client.get(reverse("review-pair", args=[task.pair_id])).content.decode()
    assert "Did not play" in page and "black" in page


def test_somebody_elses_pair_looks_exactly_like_none(client: Client) -> None:
    other = open_pair_round()
    strange = first_task(reviewers_of(other)[0], other).pair_id
    for pair in (strange, "A" * 22):
        assert client.get(reverse("review-pair", args=[pair])).status_code == 404
        assert post_lock(client, pair).status_code == 404
        assert put(client, pair).status_code == 404
    assert put(client, strange).content == put(client, "A" * 22).content


def test_staff_cannot_vote_and_calls_without_a_session_say_login(
    task: PairTask, round_: Round
) -> None:
    assert put(Client(), task.pair_id).status_code == 401
    ada = Client()
    ada.force_login(make_staff())
    assert ada.get(reverse("review-pair", args=[task.pair_id])).status_code == 403


def test_a_closed_round_shows_and_takes_nothing(
    client: Client, round_: Round, task: PairTask
) -> None:
    Round.objects.filter(pk=round_.pk).update(state=RoundState.LOCKED)
    assert client.get(reverse("review-pair", args=[task.pair_id]))["Location"] == reverse(
        "review-home"
    )
    assert put(client, task.pair_id).json()["code"] == "closed"


def test_a_draft_and_a_lock_take_few_statements(client: Client, task: PairTask) -> None:
    put(client, task.pair_id, answers={"convincing": "a"})
    with CaptureQueriesContext(connection) as queries:
        put(client, task.pair_id, revision=1, answers={"convincing": "b"}, playback=both_played())
    assert len(queries) <= 8
    with CaptureQueriesContext(connection) as queries:
        assert post_lock(client, task.pair_id, revision=2).status_code == 200
    assert len(queries) <= 16


def test_a_form_sent_without_a_script_after_the_session_ended_is_still_answered_after_the_login(
    rae: Reviewer, task: PairTask
) -> None:
    visitor, own = Client(), reverse("review-pair", args=[task.pair_id])
    login = visitor.post(
        reverse("review-pair-lock", args=[task.pair_id]), {"convincing": "tie", "revision": "0"}
    )
    address = parse_qs(urlsplit(login["Location"]).query)["next"][0]
    assert login["Location"].startswith("/login/") and address.startswith(own)
    visitor.force_login(rae.user)
    page = visitor.get(address).content.decode()
    assert "send it again" in page and re.findall(CHOSEN, page) == ["tie"]
    assert not re.findall(CHOSEN, visitor.get(address.replace("kept=", "kept=x")).content.decode())
    assert not Vote.objects.exists()
