"""Calls of the interface for programs, as tests make them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from django.contrib.auth.models import Permission, User
from django.test import Client

from api.scopes import Scope
from api.tokens import make_token
from tests.factories import make_staff

PASSWORD = "a long enough password"


def staff(name: str = "stan") -> User:
    """Return an account of staff."""
    return make_staff(name)


def admin(name: str = "ada") -> User:
    """Return an account that may change rounds."""
    user = make_staff(name)
    user.user_permissions.add(*Permission.objects.filter(codename="change_round"))
    return User.objects.get(pk=user.pk)


class Caller:
    """Calls operations with a token."""

    def __init__(
        self, user: User, scopes: Sequence[str] | None = None, rounds: Sequence[str] = ()
    ) -> None:
        allowed = [scope.value for scope in Scope] if scopes is None else scopes
        self.token, self.text = make_token(
            user=user, name="a test", scopes=allowed, days=1, rounds=rounds
        )
        self.client = Client()

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """Call an operation; a body that is not bytes is sent as JSON."""
        content, kind = body or b"", "application/octet-stream"
        if not isinstance(content, bytes):
            content, kind = json.dumps(body), "application/json"
        return self.client.generic(
            method,
            f"/api/v1{path}",
            content,
            content_type=kind,
            headers={"authorization": f"Bearer {self.text}", **headers},
        )

    def get(self, path: str) -> Any:
        """Return the JSON of a GET that succeeds."""
        answer = self.call("GET", path)
        assert answer.status_code == 200, answer.content
        return answer.json()

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        """Return the JSON of a POST that succeeds."""
        answer = self.call("POST", path, {} if body is None else body, **headers)
        assert answer.status_code in {200, 201}, answer.content
        return answer.json()
