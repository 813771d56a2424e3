"""Tokens: who can make one, what one allows, and when it ends."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from api.models import Token
from api.tokens import digest_of, make_token
from fartbench.errors import BadInput
from fartbench.models import AuditEntry
from tests.api.calls import PASSWORD, Caller, admin, staff
from tests.scoring.rows import make_open_round

pytestmark = pytest.mark.django_db


@pytest.fixture
def ada() -> User:
    user = admin()
    user.set_password(PASSWORD)
    user.save()
    return user


def make_on_page(client: Client, **changes: Any) -> str:
    given = {
        "name": "nightly import",
        "scopes": ["rounds:read"],
        "days": "30",
        "password": PASSWORD,
    }
    answer = client.post(reverse("tokens"), given | changes)
    assert answer.status_code == 200
    return answer.content.decode()


def signed_in(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def test_a_token_is_shown_once_and_stored_as_a_digest(ada: User) -> None:
    client = signed_in(ada)
    page = make_on_page(client)
    (text,) = re.findall(r"fbk_[\w-]{40,}", page)
    token = Token.objects.get()
    assert token.digest == digest_of(text)
    assert text not in str(Token.objects.values().get())
    later = client.get(reverse("tokens")).content.decode()
    assert text not in later
    assert token.hint in later
    answer = Client().get("/api/v1/me", headers={"authorization": f"Bearer {text}"})
    assert answer.json()["account"] == "ada"
    entry = AuditEntry.objects.get(action="token made")
    assert text not in str(entry.details)
    assert entry.details["scopes"] == ["rounds:read"]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"password": "wrong"}, "This is not your password."),
        ({"password": ""}, "This field is required."),
        ({"scopes": []}, "Choose at least one."),
        ({"scopes": ["everything"]}, "Select a valid choice."),
        ({"days": "366"}, "less than or equal to 365"),
        ({"rounds": ["no-such-round"]}, "Select a valid choice."),
    ],
)
def test_a_token_is_not_made_of_wrong_values(
    ada: User, changes: dict[str, Any], words: str
) -> None:
    assert words in make_on_page(signed_in(ada), **changes)
    assert not Token.objects.exists()


def test_wrong_passwords_are_counted_as_at_the_login(ada: User) -> None:
    client = signed_in(ada)
    pages = [make_on_page(client, password=f"wrong {number}") for number in range(30)]
    assert "Too many wrong tries" in pages[-1]
    assert "Too many wrong tries" in make_on_page(client)
    assert not Token.objects.exists()


def test_nobody_in_an_open_cohort_has_a_token() -> None:
    user = admin()
    caller = Caller(user)
    round_ = make_open_round(name="open", scenes=["r01-lift"], configurations=("zeta",))
    member = round_.members.first()
    member.reviewer.user = user
    member.reviewer.save()
    answer = caller.call("GET", "/me")
    assert answer.status_code == 403
    assert "reviews in round 'open'" in answer.json()["detail"]
    with pytest.raises(BadInput, match="reviews in round 'open'"):
        make_token(user=user, name="another", scopes=["rounds:read"], days=1)


def test_staff_makes_no_token_for_what_only_admins_do() -> None:
    with pytest.raises(BadInput, match="are for admins"):
        make_token(user=staff(), name="x", scopes=["rounds:write"], days=1)


def test_a_token_ends_when_it_is_revoked_or_expires_or_its_account_does(ada: User) -> None:
    caller = Caller(ada)
    assert caller.call("GET", "/me").status_code == 200
    Token.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert "expired" in caller.call("GET", "/me").json()["detail"]
    Token.objects.update(expires_at=timezone.now() + timedelta(days=1))
    ada.is_active = False
    ada.save()
    assert caller.call("GET", "/me").status_code == 403
    ada.is_active = True
    ada.save()
    client = signed_in(ada)
    assert client.post(reverse("token-revoke", args=[caller.token.pk])).status_code == 302
    answer = caller.call("GET", "/me")
    assert (answer.status_code, answer["WWW-Authenticate"]) == (401, 'Bearer realm="FARTBench"')
    assert "revoked" in answer.json()["detail"]
    assert AuditEntry.objects.filter(action="token revoked").count() == 1


def test_staff_revokes_its_own_tokens_alone(ada: User) -> None:
    token, _ = make_token(user=ada, name="x", scopes=["rounds:read"], days=1)
    stan = signed_in(staff())
    assert stan.post(reverse("token-revoke", args=[token.pk])).status_code == 404
    assert token.name not in stan.get(reverse("tokens")).content.decode().replace("x", "y")
    token.refresh_from_db()
    assert token.revoked_at is None


@pytest.mark.parametrize(
    "header", ["", "Basic YTpi", "Bearer ", "Bearer fbk_short", f"Bearer fbk_{'a' * 49}"]
)
def test_no_other_key_opens_anything(ada: User, header: str) -> None:
    client = signed_in(ada)  # a session lets nobody call an operation
    answer = client.get("/api/v1/rounds", headers={"authorization": header} if header else {})
    assert answer.status_code == 401
    assert answer["Content-Type"] == "application/problem+json"


def test_calls_are_limited_by_the_minute(ada: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("api.dispatch.MOST_CALLS", 3)
    now = timezone.now()
    monkeypatch.setattr("fartbench.throttle.timezone.now", lambda: now)
    caller = Caller(ada)
    left = []
    for _ in range(3):
        answer = caller.call("GET", "/me")
        assert answer.status_code == 200
        left.append(re.findall(r"r=(\d+)", answer["RateLimit"])[0])
    assert left == ["2", "1", "0"]
    assert caller.call("GET", "/me").status_code == 429
    other = Caller(ada)
    assert other.call("GET", "/me").status_code == 200


def test_a_token_of_some_rounds_knows_of_no_other(ada: User) -> None:
    for name in ("mine", "yours"):
        make_open_round(name=name, scenes=["r01-lift"], configurations=(f"c-{name}",))
    caller = Caller(ada, rounds=["mine"])
    assert [one["name"] for one in caller.get("/rounds")["items"]] == ["mine"]
    assert caller.call("GET", "/rounds/yours").status_code == 404
    assert caller.call("GET", "/rounds/yours/cells").status_code == 404
    assert {one["round"] for one in caller.get("/audit")["items"]} == {"mine"}
    new = {"name": "more", "protocol": "x@1", "scenes": ["r01-lift"], "replicates": 1}
    answer = caller.call("POST", "/rounds", new)
    assert answer.status_code == 403
    assert "some rounds alone" in answer.json()["detail"]
