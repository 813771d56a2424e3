"""Keys of services that an admin enters: sealed, used, never shown, never mixed with those of the
environment.
"""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from fartbench.entered_keys import entered_values
from fartbench.models import AuditEntry, ServiceKey
from fartbench.outgoing import BoundedClient
from generation.providers import key_check
from generation.providers.access import access
from generation.providers.order import KeyMissing
from judging.ports import access as judges
from judging.ports.port import KeyMissing as JudgesKeyMissing
from tests.factories import make_staff

pytestmark = pytest.mark.django_db
ADDRESS = "/staff/keys/"
SECRET = "fal-secret-4711"


@pytest.fixture(autouse=True)
def no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("FAL_KEY", "STAND_IN_URL", "STAND_IN_JUDGES_URL", "DASHSCOPE_API_KEY"):
        monkeypatch.delenv(name, raising=False)
    for name in ("DASHSCOPE_BASE_URL", "JUDGE_OPENAI_BASE_URL", "JUDGE_OPENAI_API_KEY"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ada() -> Client:
    client, staff = Client(), make_staff("ada")
    staff.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    client.force_login(staff)
    return client


def enter(client: Client, service: str, **values: str) -> Any:
    data = {"service": service, "action": "enter", **values}
    return client.post(ADDRESS, data, follow=True)


def test_an_entered_key_is_used_and_never_shown(ada: Client) -> None:
    with pytest.raises(KeyMissing, match="FAL_KEY: on the page “Keys of services”"):
        access("fal")
    page = enter(ada, "fal", FAL_KEY=SECRET)
    assert "The key of fal is stored" in page.text
    assert access("fal").keys == {"FAL_KEY": SECRET}
    assert SECRET not in page.text + ada.get(ADDRESS).text
    assert SECRET not in ServiceKey.objects.get().sealed
    entry = AuditEntry.objects.get(action="service key entered")
    assert (entry.actor, entry.details) == ("ada", {"service": "fal"})


def test_a_removed_key_is_gone(ada: Client) -> None:
    enter(ada, "fal", FAL_KEY=SECRET)
    ada.post(ADDRESS, {"service": "fal", "action": "remove"})
    assert not ServiceKey.objects.exists()
    assert AuditEntry.objects.filter(action="service key removed").exists()
    with pytest.raises(KeyMissing):
        access("fal")


def test_a_key_opens_under_an_earlier_secret_key_and_under_no_other(
    ada: Client, settings: Any
) -> None:
    enter(ada, "fal", FAL_KEY=SECRET)
    before, settings.SECRET_KEY = settings.SECRET_KEY, "another" * 10
    assert entered_values("fal") == {}
    settings.SECRET_KEY_FALLBACKS = [before]
    assert entered_values("fal") == {"FAL_KEY": SECRET}


def test_a_row_that_was_moved_to_another_service_opens_for_none(ada: Client) -> None:
    enter(ada, "fal", FAL_KEY=SECRET)
    ServiceKey.objects.update(service="xai")
    assert entered_values("xai") == {}
    assert "cannot be opened" in ada.get(ADDRESS).text


def test_a_key_of_the_environment_is_never_sent_to_an_entered_address(
    ada: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    enter(
        ada,
        "openai_compatible",
        JUDGE_OPENAI_BASE_URL="https://judges.example.org",
        JUDGE_OPENAI_API_KEY="entered",
    )
    entry = judges.access("openai_compatible")
    assert (entry.base_url, entry.key) == ("https://judges.example.org", "entered")
    monkeypatch.setenv("JUDGE_OPENAI_API_KEY", "of-the-environment")
    with pytest.raises(JudgesKeyMissing, match="JUDGE_OPENAI_BASE_URL"):
        judges.access("openai_compatible")


@pytest.mark.parametrize(
    "address", ["http://judges.example.org", "https://10.0.0.7", "https://localhost:8000",
                "https://a:b@judges.example.org"],
)  # fmt: skip
def test_an_address_within_the_network_is_refused(ada: Client, address: str) -> None:
    page = enter(ada, "dashscope", DASHSCOPE_API_KEY="k", DASHSCOPE_BASE_URL=address)
    assert page.status_code == 422
    assert "Enter an address on the public internet" in page.text
    assert not ServiceKey.objects.exists()


def test_a_key_with_a_space_is_refused_and_not_sent_back(ada: Client) -> None:
    page = enter(ada, "fal", FAL_KEY="two words")
    assert "A key has no spaces" in page.text
    assert "two words" not in page.text


@pytest.mark.parametrize(
    ("status", "text", "accepted"),
    [(200, "{}", True), (404, "{}", True), (422, "{}", True), (401, "{}", False),
     (403, "{}", False), (400, '{"reason": "API_KEY_INVALID"}', False), (503, "", None),
     (429, "", None)],
)  # fmt: skip
def test_the_free_call_says_what_it_knows(
    ada: Client, monkeypatch: pytest.MonkeyPatch, status: int, text: str, accepted: bool | None
) -> None:
    asked: list[httpx.Request] = []

    def answer(_client: httpx.Client, request: httpx.Request, **_options: Any) -> httpx.Response:
        asked.append(request)
        return httpx.Response(status, text=text, request=request)

    monkeypatch.setattr(BoundedClient, "send", answer)
    enter(ada, "fal", FAL_KEY=SECRET)
    assert key_check.check_key("fal").accepted is accepted
    page = ada.post(ADDRESS, {"service": "fal", "action": "test"}, follow=True)
    assert f"HTTP {status}" in page.text
    assert SECRET not in page.text
    assert {request.method for request in asked} == {"GET"}
    assert asked[0].headers["Authorization"] == f"Key {SECRET}"
    assert ServiceKey.objects.get().tested_at is not None
