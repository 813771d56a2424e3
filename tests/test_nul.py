"""The character NUL, wherever a request can hold it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import NoReverseMatch, reverse

from tests.api.calls import Caller, admin
from tests.kept import kept
from tests.test_access import CALLS, client_of, make_world

pytestmark = pytest.mark.django_db
# No engine is named: PostgreSQL refuses such texts, SQLite keeps them.
world = kept(make_world)


def test_no_address_fails_for_it(world: dict[str, str]) -> None:
    client: Any = client_of("ada", world)
    client.raise_request_exception = False
    for name, call in CALLS.items():
        for place in range(len(call.args)):
            args = [world[arg] for arg in call.args]
            args[place] = f"{args[place]}\0"
            try:
                address = reverse(name, args=args)
            except NoReverseMatch:  # the address takes no such text
                continue
            response = call.make(client, address)
            if response.streaming:
                response.getvalue()
            assert response.status_code < 500, (name, place)


@pytest.mark.parametrize(
    "path", ["/rounds?state=%00", "/rounds/a%00b", "/audit?round=%00", "/rounds?cursor=%00"]
)
def test_no_operation_fails_for_it(path: str) -> None:
    caller = Caller(admin("bea"))
    caller.client = Client(raise_request_exception=False)
    assert caller.call("GET", path).status_code < 500


def test_no_form_fails_for_it(world: dict[str, str]) -> None:
    client: Any = client_of("ada", world)
    client.raise_request_exception = False
    for name, call in CALLS.items():
        if call.method != "post":
            continue
        address = reverse(name, args=[world[arg] for arg in call.args])
        data = {key: f"{value}\0" for key, value in call.data.items()} | {"code": "\0", "q": "\0"}
        assert client.post(address, data).status_code < 500, name
